package dam

import "time"

// The tasks of an ai_analysis, which are done for new assets, too, where a server has
// what does them.
const (
	TaskOCR     = "ocr"     // read the words in pictures
	TaskTags    = "tags"    // find out what pictures show
	TaskCaption = "caption" // have a model describe pictures
	TaskMeaning = "meaning" // embed the text of assets again
)

// Tasks lists the tasks of an ai_analysis in the order in which they are done.
func Tasks() []string { return []string{TaskOCR, TaskTags, TaskCaption, TaskMeaning} }

// JobOf returns the kind of the job that does a task for one asset: "" for meaning,
// which follows all changes on its own.
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

// Analysis is what became of a task for an asset.
type Analysis struct {
	Task    string
	Pending bool       // it waits for its turn, or is being done
	Error   string     // why it could not be done, for people; "" if it was
	DoneAt  *time.Time // when it was last done; nil if it never was
}
