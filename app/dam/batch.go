package dam

import (
	"maps"
	"slices"
	"time"
)

// BatchStatus is the state of an upload batch.
type BatchStatus string

// The states of an upload batch. It is open while files may be added, then
// processing until its last file has ended, then in one of the final states.
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
	FileRejected   FileStatus = "rejected" // the file is at fault
	FileFailed     FileStatus = "failed"   // dal is at fault, or it was cancelled
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

// FileErrorCode says why a file did not become an asset.
type FileErrorCode string

// The reasons. CodeCancelled is that of files whose batch was cancelled.
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

// FileError is why a file did not become an asset, or what it waits for.
type FileError struct {
	Code      FileErrorCode
	Message   string // for people
	Retryable bool   // whether trying the same bytes again can help
	Err       error  // what is behind it, for the log; not stored
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return string(e.Code) + ": " + e.Message + ": " + e.Err.Error()
	}
	return string(e.Code) + ": " + e.Message
}

func (e *FileError) Unwrap() error { return e.Err }

// Batch is an upload batch: files that are added and ingested together.
type Batch struct {
	ID              int64
	Name            string
	Status          BatchStatus
	AssetClassID    int64
	CollectionIDs   []int64
	Metadata        map[string]any
	ExpectedFiles   int // 0 when not known
	AllowDuplicates bool
	VersionOf       GAID  // the asset that its one file is a new version of, "" for none
	ShareID         int64 // the share through which a guest hands its files in; 0 for none
	VisitID         int64 // of that guest
	AccessID        int64 // what the access log of the share says of it
	Counts          BatchCounts
	// Waiting says, for people, what processing waits for, such as a virus
	// scanner that cannot be reached; "" when nothing holds it up.
	Waiting     string
	CreatedByID int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClosedAt    *time.Time // no more files since
	CompletedAt *time.Time // terminal since
}

// Takes reports why the batch does not take n more files, when it may have maxFiles.
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

// MaxBatchCollections is how many collections the assets of a batch can go in.
const MaxBatchCollections = 100

// BatchCounts counts the files of a batch by state. Processing counts all
// states between queued and the final ones.
type BatchCounts struct {
	Total, Queued, Processing, Ready, Duplicate, Rejected, Failed int
}

// Open reports how many files have not ended.
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

// Validate reports what is wrong with a new batch, given the definitions in s of
// its metadata: fields that they require can be set later. maxFiles is the most files
// a batch may have.
func (b *Batch) Validate(maxFiles int, s *Schema) error {
	var p Problems
	p.name("name", b.Name, 0)
	if b.ExpectedFiles < 0 || b.ExpectedFiles > maxFiles {
		p.Add("expected_files", "expected_files must be between 1 and %d.", maxFiles)
	}
	p.items("collection_ids", len(b.CollectionIDs), MaxBatchCollections)
	b.Metadata = maps.Clone(b.Metadata)
	maps.DeleteFunc(b.Metadata, func(_ string, v any) bool { return v == nil }) // no value, as elsewhere
	b.Metadata = s.check(&p, b.AssetClassID, nil, b.Metadata)
	return p.Err()
}

// BatchFile is one file that was pushed into a batch.
type BatchFile struct {
	ID        int64
	BatchID   int64
	Filename  string // as shown and kept: see CleanFilename
	Size      int64  // bytes received
	SHA256    string // "" when nothing was kept
	Status    FileStatus
	Error     *FileError // why it ended, or what it waits for; nil if neither
	Warning   string     // what to know of one that is ready, in sentences; "" for nothing
	GAID      GAID       // the asset it became or is a part of, or, for a duplicate, the one that was there
	Stem      string     // by what files are found that may belong together, "" for none: see Stem
	OwnOnly   bool       // as a sidecar, it may change no assets but those of its batch
	CreatedAt time.Time
	UpdatedAt time.Time
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
