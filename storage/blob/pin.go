package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// heldDir contains a folder for each Pin, with the blobs removed from the store during
// its lifetime.
const heldDir = "held"

// ValidName reports whether s is the name of a blob: a SHA-256 in lower-case hex.
func ValidName(s string) bool { return validName(s) }

// Pin keeps blobs readable even if they are removed. It blocks nobody; removed blobs use
// space until the Pin is closed.
type Pin struct {
	s   *Store
	dir string
	own *flock.Flock // held as long as dir is in use
}

// Pin starts to keep the blobs that any process removes or quarantines. The caller must
// Close it. SweepPins removes the leftovers of killed processes.
func (s *Store) Pin(ctx context.Context) (*Pin, error) {
	unlock, err := s.lock(ctx, false) // removal takes the lock exclusively, then checks for pins
	if err != nil {
		return nil, err
	}
	defer unlock()
	held := filepath.Join(s.dir, heldDir)
	if err := os.MkdirAll(held, 0o700); err != nil {
		return nil, full(err)
	}
	dir, err := os.MkdirTemp(held, "")
	if err != nil {
		return nil, full(err)
	}
	p := &Pin{s, dir, flock.New(filepath.Join(dir, lockFile))}
	if err := p.own.Lock(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, full(err))
	}
	return p, nil
}

// Open opens a blob that was in the store when the Pin was created, or was added since.
// The error is fs.ErrNotExist if it is missing.
func (p *Pin) Open(sha256 string) (*os.File, error) {
	f, err := p.s.Open(sha256)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, e := openRegular(p.dir, sha256); e == nil {
		return f, nil
	}
	return nil, err
}

// Close releases the removed blobs.
func (p *Pin) Close() error {
	unlock, err := p.s.lock(context.Background(), false) // nobody is adding blobs to dir
	if err != nil {
		return err
	}
	defer unlock()
	return errors.Join(p.own.Unlock(), os.RemoveAll(p.dir))
}

// hold keeps the file of a blob, which is about to be removed, for all pins. The caller
// holds the lock exclusively.
func (s *Store) hold(path, sha string) error {
	pins, err := s.pins()
	if err != nil {
		return err
	}
	for _, pin := range pins {
		if ended(pin) {
			continue
		}
		if err := s.twin(path, filepath.Join(pin, sha)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keep blob %s for a backup: %w", sha, full(err))
		}
	}
	return nil
}

// pins returns the folders of all pins.
func (s *Store) pins() (dirs []string, err error) {
	held := filepath.Join(s.dir, heldDir)
	entries, err := os.ReadDir(held)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(held, e.Name()))
		}
	}
	return dirs, err
}

// SweepPins removes the pins of processes that were killed before they closed them.
// Nothing refers to their blobs, which had been removed.
func (s *Store) SweepPins(ctx context.Context) error {
	unlock, err := s.lock(ctx, true) // nobody is creating a pin
	if err != nil {
		return err
	}
	defer unlock()
	pins, err := s.pins()
	for _, pin := range pins {
		if ended(pin) {
			err = errors.Join(err, sweepPin(pin))
		}
	}
	return err
}

// sweepPin removes the folder of a pin, unless it contains other files.
func sweepPin(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && validName(e.Name()) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err := os.Remove(filepath.Join(dir, lockFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(err, os.Remove(dir))
}

// ended reports whether the process that owns a folder, and holds the lock there, has
// ended.
func ended(dir string) bool {
	own := flock.New(filepath.Join(dir, lockFile))
	ok, err := own.TryLock()
	if err != nil || !ok {
		return false
	}
	own.Unlock() // closing its file releases it in any case
	return true
}
