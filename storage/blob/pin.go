package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// holdPrefix begins the names of folders, in the temporary folder of a process,
// for what is removed from the store while that process has a Pin.
const holdPrefix = "hold-"

// ValidName reports whether s is the name of a blob: a SHA-256 in lower-case
// hex.
func ValidName(s string) bool { return validName(s) }

// Pin keeps blobs readable though they are removed meanwhile. It holds nobody
// up; what is removed takes its space until the Pin is closed.
type Pin struct {
	s   *Store
	dir string
}

// Pin begins to keep what any process removes or quarantines from now on. The
// caller must Close it. What a process that was killed kept goes with its
// temporary files.
func (s *Store) Pin(ctx context.Context) (*Pin, error) {
	unlock, err := s.lock(ctx, false) // who removes takes the lock alone and looks for pins then
	if err != nil {
		return nil, err
	}
	defer unlock()
	dir, err := os.MkdirTemp(s.temp, holdPrefix)
	if err != nil {
		return nil, full(err)
	}
	return &Pin{s, dir}, nil
}

// Open opens a blob that was in the store when the Pin was made, or came since.
// One that is not there is fs.ErrNotExist.
func (p *Pin) Open(sha256 string) (*os.File, error) {
	f, err := p.s.Open(sha256)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, e := os.Open(filepath.Join(p.dir, sha256)); e == nil {
		return f, nil
	}
	return nil, err
}

// Close lets go of what was removed.
func (p *Pin) Close() error {
	unlock, err := p.s.lock(context.Background(), false) // nobody is putting something there
	if err != nil {
		return err
	}
	defer unlock()
	return os.RemoveAll(p.dir)
}

// hold keeps the file of a blob, which is about to be removed, for those who
// have a Pin. The caller holds the lock alone.
func (s *Store) hold(path, sha string) error {
	temp := filepath.Join(s.dir, tempDir)
	pins, err := fs.Glob(os.DirFS(temp), "*/"+holdPrefix+"*")
	if err != nil {
		return err
	}
	for _, pin := range pins {
		pin = filepath.Join(temp, filepath.FromSlash(pin))
		if ended(filepath.Dir(pin)) {
			continue
		}
		if err := linkOrCopy(path, filepath.Join(pin, sha)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keep blob %s for a backup: %w", sha, full(err))
		}
	}
	return nil
}

// ended reports whether the process that a temporary folder belongs to has
// ended.
func ended(dir string) bool {
	own := flock.New(filepath.Join(dir, lockFile))
	ok, err := own.TryLock()
	if err != nil || !ok {
		return false
	}
	own.Unlock() // closing its file frees it in any case
	return true
}

// linkOrCopy gives a file a second name, or where the file system has no such
// thing a copy.
func linkOrCopy(path, to string) error {
	err := os.Link(path, to)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	src, err := os.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		os.Remove(to)
	}
	return err
}
