package dam

import "time"

// The tasks of an ai_analysis. New assets also get them where the server has the required
// engine or model.
const (
	TaskOCR     = "ocr"     // OCR of pictures
	TaskTags    = "tags"    // tagging of pictures
	TaskCaption = "caption" // captions of pictures by a model
	TaskMeaning = "meaning" // new text embeddings
)

// Tasks lists the tasks of an ai_analysis in the order in which they run.
func Tasks() []string { return []string{TaskOCR, TaskTags, TaskCaption, TaskMeaning} }

// JobOf returns the kind of the job that runs a task for one asset. It returns "" for
// TaskMeaning, because embeddings follow all changes without a job.
func JobOf(task string) JobKind {
	switch task {
	case TaskOCR:
		return JobOCR
	case TaskTags:
		return JobTags
	case TaskCaption:
		return JobCaption
	}
	return ""
}

// Analysis is the state of a task for an asset.
type Analysis struct {
	Task    string
	Pending bool       // queued or running
	Error   string     // user-facing reason of a failure; "" for none
	DoneAt  *time.Time // last completion; nil if never
}
