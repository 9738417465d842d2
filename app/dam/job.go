package dam

import "time"

// JobState is the state of a job. A job that is done is deleted.
type JobState string

// The states of a job. A dead job has used up its attempts and waits for a
// person.
const (
	JobReady   JobState = "ready"
	JobRunning JobState = "running"
	JobDead    JobState = "dead"
)

// Values lists the states of a job.
func (JobState) Values() []JobState { return []JobState{JobReady, JobRunning, JobDead} }

// JobKind names what a job does.
type JobKind string

// The kinds of job.
const (
	JobIngest  JobKind = "ingest"  // bring a file of a batch, the subject, into the library
	JobReindex JobKind = "reindex" // build the search index anew
	JobFollow  JobKind = "follow"  // do what is left to do for assets after a change of definitions
	JobProxy   JobKind = "proxy"   // make a copy of an asset, the subject, that browsers play
	JobSidecar JobKind = "sidecar" // read what lies beside the file in place of an asset, the subject
	JobMail    JobKind = "mail"    // mail the code of a guest, the subject

	// What is to be found out about an asset, the subject; see the tasks of the same names.
	JobOCR     JobKind = "ocr"
	JobTags    JobKind = "tags"
	JobCaption JobKind = "caption"

	// The turns of a user, the subject, at operations of some types.
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

// Job is one unit of background work. Attempt counts up at each claim and is
// also the fencing token: only the holder of the latest attempt can complete it.
type Job struct {
	ID          int64
	Kind        JobKind
	Subject     int64 // what it works on, in the terms of its kind
	State       JobState
	Attempt     int
	MaxAttempts int
	RunAt       time.Time
	LastError   string
	Deaths      int // how often the process died with it in hand
}
