package dam

import "time"

// Resumable is a file that comes into an upload batch in pieces.
type Resumable struct {
	ID          string // 32 hexadecimal digits that nobody can guess
	BatchID     int64
	Filename    string // as shown and kept: see CleanFilename
	Metadata    string // as the client sent it
	Size        int64  // bytes of the whole file
	Received    int64  // bytes that have come and are kept
	Hash        []byte // the state of SHA-256 after these bytes
	FileID      int64  // the file of the batch that it became; 0 until the last byte is there
	CreatedByID int64
	CreatedAt   time.Time
	TouchedAt   time.Time // when the last bytes came
}

// Complete reports whether the file has joined its batch.
func (r *Resumable) Complete() bool { return r.FileID != 0 }
