package dam

import "time"

// Backup is what became of a backup.
type Backup struct {
	Target   string // absolute path
	Snapshot string // its name in the target; "" when none was made
	Started  time.Time
	Ended    time.Time
	Files    int64 // that the records name
	Bytes    int64
	NewFiles int64 // of these, that were not in the target before
	NewBytes int64
	Problems int64  // files that are damaged or missing
	Error    string // why no snapshot was made; "" when one was
	Verified bool   // what the target had was read again
}

// Check is what a check of the library has found.
type Check struct {
	Started, Ended time.Time
	EveryByte      bool // the files were read, not only looked for
	Files          int
	Problems       int
}
