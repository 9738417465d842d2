package dam

import "time"

// JobState is the state of a job. Completed jobs are deleted.
type JobState string

// The states of a job. A dead job has used up its attempts and waits for manual action.
const (
	JobReady   JobState = "ready"
	JobRunning JobState = "running"
	JobDead    JobState = "dead"
)

// Values lists the states of a job.
func (JobState) Values() []JobState { return []JobState{JobReady, JobRunning, JobDead} }

// JobKind is the kind of a job.
type JobKind string

// The kinds of job.
const (
	JobIngest  JobKind = "ingest"  // ingest a batch file, the subject
	JobReindex JobKind = "reindex" // rebuild the search index
	JobFollow  JobKind = "follow"  // update assets after a change of definitions
	JobProxy   JobKind = "proxy"   // transcode an asset, the subject, for browsers
	JobSidecar JobKind = "sidecar" // read the sidecar of an asset in an external library, the subject
	JobMail    JobKind = "mail"    // mail the code of a guest, the subject

	// Analysis of an asset, the subject; see the tasks of the same names.
	JobOCR     JobKind = "ocr"
	JobTags    JobKind = "tags"
	JobCaption JobKind = "caption"

	// Batches of a user's operations. The subject is the user.
	JobBulk     JobKind = "bulk"     // the next items of a bulk_update or bulk_delete
	JobAnalysis JobKind = "analysis" // the next items of an ai_analysis
	JobExport   JobKind = "export"   // the next export
)

// Values lists the kinds of job.
func (JobKind) Values() []JobKind {
	return []JobKind{
		JobIngest, JobReindex, JobFollow, JobProxy, JobSidecar, JobMail, JobOCR, JobTags, JobCaption, JobBulk, JobAnalysis, JobExport,
	}
}

// Job is one unit of background work. Attempt is incremented by each claim and is also the
// fencing token: only the holder of the latest attempt can complete the job.
type Job struct {
	ID          int64
	Kind        JobKind
	Subject     int64 // object of the job; see its kind
	State       JobState
	Attempt     int
	MaxAttempts int
	RunAt       time.Time
	LastError   string
	Deaths      int // number of times that the process died while running it
}
