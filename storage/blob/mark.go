package blob

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// markFile identifies the library that the blobs belong to.
const markFile = "library.json"

// maxMark is larger than any identity file, in bytes.
const maxMark = 4 << 10

// Mark is the identity stored beside the files: the library that they belong to, and the
// minimum change number of its database. A database with a lower number is older than the
// files.
type Mark struct {
	Library string `json:"library"` // a UUID
	Change  int64  `json:"change"`
}

// ReadMark reads the identity of the store in dir. The error is fs.ErrNotExist if there
// is none, and a *MarkError if it is malformed.
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

// MarkError describes a malformed identity file.
type MarkError struct {
	Path string
	Err  error
}

func (e *MarkError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }
func (e *MarkError) Unwrap() error { return e.Err }

// parseMark decodes an identity file and ignores unknown members, which are from a later
// dal.
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

// WriteMark durably replaces the identity.
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
		os.Remove(f.Name()) // leftovers are removed with the folder
		return full(err)
	}
	return full(syncDir(s.dir))
}
