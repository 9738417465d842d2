package dam

import "time"

// Resumable is a resumable upload of one file to an upload batch.
type Resumable struct {
	ID          string // 32 random hexadecimal digits
	BatchID     int64
	Filename    string // display name: see CleanFilename
	Metadata    string // as sent by the client
	Size        int64  // bytes of the whole file
	Received    int64  // bytes received and stored
	Hash        []byte // SHA-256 state after these bytes
	FileID      int64  // resulting file of the batch; 0 while incomplete
	CreatedByID int64
	CreatedAt   time.Time
	TouchedAt   time.Time // time of the last received bytes
}

// Complete reports whether the file was added to its batch.
func (r *Resumable) Complete() bool { return r.FileID != 0 }
