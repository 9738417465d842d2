package dam

import (
	"maps"
	"slices"
	"time"
)

// BatchStatus is the state of an upload batch.
type BatchStatus string

// The states of an upload batch. It is open while files can be added, then processing until
// its last file is done, then in one of the final states.
const (
	BatchOpen                BatchStatus = "open"
	BatchProcessing          BatchStatus = "processing"
	BatchCompleted           BatchStatus = "completed"
	BatchCompletedWithErrors BatchStatus = "completed_with_errors"
	BatchFailed              BatchStatus = "failed" // no file became an asset
	BatchCancelled           BatchStatus = "cancelled"
)

// Values lists the states of an upload batch.
func (BatchStatus) Values() []BatchStatus {
	return []BatchStatus{BatchOpen, BatchProcessing, BatchCompleted, BatchCompletedWithErrors, BatchFailed, BatchCancelled}
}

// Terminal reports whether s is a final state.
func (s BatchStatus) Terminal() bool { return s != BatchOpen && s != BatchProcessing }

// FileStatus is the state of one file of an upload batch.
type FileStatus string

// The states of a file in a batch. The last four are final.
const (
	FileQueued     FileStatus = "queued"
	FileScanning   FileStatus = "scanning"
	FileValidating FileStatus = "validating"
	FileExtracting FileStatus = "extracting"
	FileEnriching  FileStatus = "enriching"
	FileReady      FileStatus = "ready"
	FileDuplicate  FileStatus = "duplicate"
	FileRejected   FileStatus = "rejected" // the file is invalid
	FileFailed     FileStatus = "failed"   // an error of dal, or cancelled
)

// Values lists the states of a file in a batch.
func (FileStatus) Values() []FileStatus {
	return []FileStatus{
		FileQueued, FileScanning, FileValidating, FileExtracting, FileEnriching,
		FileReady, FileDuplicate, FileRejected, FileFailed,
	}
}

// Terminal reports whether s is a final state.
func (s FileStatus) Terminal() bool {
	switch s {
	case FileReady, FileDuplicate, FileRejected, FileFailed:
		return true
	}
	return false
}

// FileErrorCode is the reason why a file did not become an asset.
type FileErrorCode string

// The reasons. CodeCancelled applies to the files of a cancelled batch.
const (
	CodeInfected          FileErrorCode = "infected"
	CodeUnsupportedFormat FileErrorCode = "unsupported_format"
	CodeCorrupt           FileErrorCode = "corrupt"
	CodeTooLarge          FileErrorCode = "too_large"
	CodeLimitsExceeded    FileErrorCode = "limits_exceeded"
	CodeDuplicate         FileErrorCode = "duplicate"
	CodeInternal          FileErrorCode = "internal"
	CodeCancelled         FileErrorCode = "cancelled"
)

// Values lists the reasons.
func (FileErrorCode) Values() []FileErrorCode {
	return []FileErrorCode{CodeInfected, CodeUnsupportedFormat, CodeCorrupt, CodeTooLarge, CodeLimitsExceeded, CodeDuplicate, CodeInternal,
		CodeCancelled}
}

// FileError is the reason why a file did not become an asset, or why its processing is waiting.
type FileError struct {
	Code      FileErrorCode
	Message   string // user-facing
	Retryable bool   // a retry with the same bytes may succeed
	Err       error  // cause, for the log; not stored
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return string(e.Code) + ": " + e.Message + ": " + e.Err.Error()
	}
	return string(e.Code) + ": " + e.Message
}

func (e *FileError) Unwrap() error { return e.Err }

// Batch is an upload batch: files that are uploaded and ingested together.
type Batch struct {
	ID              int64
	Name            string
	Status          BatchStatus
	AssetClassID    int64
	CollectionIDs   []int64
	Metadata        map[string]any
	ExpectedFiles   int // 0 if unknown
	AllowDuplicates bool
	VersionOf       GAID  // asset that its single file is a new version of; "" for none
	ShareID         int64 // share of a guest upload; 0 for none
	VisitID         int64 // visit of that guest
	AccessID        int64 // entry in the access log of the share
	Counts          BatchCounts
	// Waiting is the user-facing reason why processing is waiting, such as an unreachable
	// virus scanner; "" for none.
	Waiting     string
	CreatedByID int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClosedAt    *time.Time // no more files after this
	CompletedAt *time.Time // when it reached a final state
}

// Takes returns an error if n more files cannot be added to the batch. MaxFiles is the
// limit for a batch.
func (b *Batch) Takes(n, maxFiles int) error {
	if b.Status != BatchOpen {
		return Errorf(Conflict, "The upload batch is %s: it takes no more files.", b.Status)
	}
	if b.VersionOf != "" && b.Counts.Total+n > 1 {
		return InvalidField("file", "A new version is one file.")
	}
	if b.Counts.Total+n > maxFiles {
		return InvalidField("file", "An upload batch takes at most %d files; this one has %d.", maxFiles, b.Counts.Total)
	}
	return nil
}

// MaxBatchCollections is the maximum number of collections that a batch adds its assets to.
const MaxBatchCollections = 100

// BatchCounts counts the files of a batch by state. Processing is the sum of all states
// between queued and the final ones.
type BatchCounts struct {
	Total, Queued, Processing, Ready, Duplicate, Rejected, Failed int
}

// Open returns the number of files that are not in a final state.
func (c BatchCounts) Open() int { return c.Queued + c.Processing }

// Outcome returns the state of a closed batch with these counts.
func (c BatchCounts) Outcome() BatchStatus {
	switch {
	case c.Open() > 0:
		return BatchProcessing
	case c.Failed == 0 && c.Rejected == 0:
		return BatchCompleted
	case c.Ready == 0 && c.Duplicate == 0:
		return BatchFailed
	default:
		return BatchCompletedWithErrors
	}
}

// Validate checks a new batch against its limits and its metadata against the definitions
// in s. Required fields may be missing: they can be set later. MaxFiles is the limit for a
// batch.
func (b *Batch) Validate(maxFiles int, s *Schema) error {
	var p Problems
	p.name("name", b.Name, 0)
	if b.ExpectedFiles < 0 || b.ExpectedFiles > maxFiles {
		p.Add("expected_files", "expected_files must be between 1 and %d.", maxFiles)
	}
	p.items("collection_ids", len(b.CollectionIDs), MaxBatchCollections)
	b.Metadata = maps.Clone(b.Metadata)
	maps.DeleteFunc(b.Metadata, func(_ string, v any) bool { return v == nil }) // null means no value, as elsewhere
	b.Metadata = s.check(&p, b.AssetClassID, nil, b.Metadata)
	return p.Err()
}

// BatchFile is one file of a batch.
type BatchFile struct {
	ID        int64
	BatchID   int64
	Filename  string // display name: see CleanFilename
	Size      int64  // bytes received
	SHA256    string // "" if no content was stored
	Status    FileStatus
	Error     *FileError // reason for its final state or for waiting; nil for neither
	Warning   string     // user-facing sentences about a ready file; "" for none
	GAID      GAID       // asset that it became or is part of; for a duplicate, the existing asset
	Stem      string     // key for files that may belong together, "" for none: see Stem
	OwnOnly   bool       // as a sidecar, it may only change assets of its batch
	CreatedAt time.Time
	UpdatedAt time.Time
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
