package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Swept is the result of Sweep.
type Swept struct {
	Temps int   // removed folders of processes that have ended
	Blobs int   // unreferenced blobs moved aside
	Bytes int64 // their total size
}

// Sweep cleans up after a crash: it removes the temporary files of processes that have
// ended, and moves aside blobs that have no record according to known. It never deletes a
// file that might be the only copy.
func (s *Store) Sweep(ctx context.Context, known func(sha256 string) (bool, error)) (n Swept, err error) {
	dirs, err := os.ReadDir(filepath.Join(s.dir, tempDir))
	if err != nil {
		return n, err
	}
	for _, d := range dirs {
		dir := filepath.Join(s.dir, tempDir, d.Name())
		if dir == s.temp || !d.IsDir() || !digits(d.Name()) {
			continue
		}
		removed, err := s.sweepTemp(ctx, dir)
		if err != nil {
			return n, err
		}
		if removed {
			n.Temps++
		}
	}
	err = s.Walk(ctx, func(sha string, size int64) error {
		if ok, err := known(sha); err != nil || ok {
			return err
		}
		moved, err := s.take(ctx, sha, func(sha string) (bool, error) {
			ok, err := known(sha)
			return !ok, err
		}, func(path string) error { return s.setAside(path, sha) })
		if moved {
			n.Blobs++
			n.Bytes += size
		}
		return err
	}, func(string) error { return nil })
	return n, err
}

// sweepTemp removes a folder of temporary files, if its process has ended and it contains
// no other files. It holds the store's lock, like Open and Close while they create and
// remove such a folder.
func (s *Store) sweepTemp(ctx context.Context, dir string) (removed bool, err error) {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // its process has ended meanwhile
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || e.Name() != lockFile && !digits(e.Name()) {
			return false, nil // contains files of others
		}
	}
	own := flock.New(filepath.Join(dir, lockFile))
	if ok, err := own.TryLock(); err != nil || !ok {
		return false, nil // in use
	}
	err = own.Unlock()
	for _, e := range entries {
		if e.Name() != lockFile {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	err = errors.Join(err, os.Remove(own.Path()), os.Remove(dir))
	return err == nil, err
}
