package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Swept says what Sweep did.
type Swept struct {
	Temps int   // folders of processes that have ended, removed
	Blobs int   // blobs that nothing referred to, moved aside
	Bytes int64 // of those
}

// Sweep cleans up what a crash left: it removes the temporary files of processes
// that have ended, and moves aside blobs that known says have no record. It
// deletes no file that might be the only copy.
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

// sweepTemp removes a folder of temporary files, if its process has ended and
// has left nothing else in it. It holds the store's lock, as Open and Close do
// while they make and remove such a folder.
func (s *Store) sweepTemp(ctx context.Context, dir string) (removed bool, err error) {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it has ended meanwhile
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || e.Name() != lockFile && !digits(e.Name()) {
			return false, nil // not ours to judge
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
