package dam

import "time"

// Backup is the result of a backup.
type Backup struct {
	Target   string // absolute path
	Snapshot string // name in the target; "" if no snapshot was created
	Started  time.Time
	Ended    time.Time
	Files    int64 // referenced by the database
	Bytes    int64
	NewFiles int64 // of Files, those that the target did not have
	NewBytes int64
	Problems int64  // damaged or missing files
	Error    string // reason why no snapshot was created; "" on success
	Verified bool   // existing files in the target were reread
}

// Check is the result of a check of the library.
type Check struct {
	Started, Ended time.Time
	EveryByte      bool // files were read in full, not only stat'ed
	Files          int
	Problems       int
}
