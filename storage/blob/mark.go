package blob

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// markFile says which library the blobs belong to.
const markFile = "library.json"

// maxMark is more bytes than a mark has.
const maxMark = 4 << 10

// Mark says which library the blobs of a folder belong to, and the change that its
// records had reached at least: records that have not come so far are older than
// the blobs.
type Mark struct {
	Library string `json:"library"` // a UUID
	Change  int64  `json:"change"`
}

// ReadMark reads the mark of the store in dir. The error is fs.ErrNotExist if there
// is none, and a *MarkError if it cannot be understood.
func ReadMark(dir string) (m Mark, err error) {
	f, err := os.Open(filepath.Join(dir, markFile))
	if err != nil {
		return m, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMark+1))
	if err != nil {
		return m, err
	}
	if m, err = parseMark(data); err != nil {
		err = &MarkError{Path: f.Name(), Err: err}
	}
	return m, err
}

// MarkError says why a mark cannot be understood.
type MarkError struct {
	Path string
	Err  error
}

func (e *MarkError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }
func (e *MarkError) Unwrap() error { return e.Err }

// parseMark reads a mark. Members that it does not know are those of a later dal.
func parseMark(data []byte) (m Mark, err error) {
	if len(data) > maxMark {
		return Mark{}, fmt.Errorf("it has more than %d bytes", maxMark)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return Mark{}, err
	}
	if len(m.Library) != 36 || m.Change < 0 {
		return Mark{}, errors.New("it names no library")
	}
	return m, nil
}

// WriteMark replaces the mark; it is on the disk when WriteMark returns.
func (s *Store) WriteMark(m Mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.temp, "")
	if err != nil {
		return full(err)
	}
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, markFile))
	}
	if err != nil {
		os.Remove(f.Name()) // what cannot be removed goes with the folder
		return full(err)
	}
	return full(syncDir(s.dir))
}
