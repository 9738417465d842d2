// Package blob keeps the bytes of files in a folder, each under the SHA-256 of
// its content. Several processes may use a folder at once.
//
// A blob is first written to a temporary file, then adopted: renamed to its
// place and recorded by the caller while a shared lock is held. Removing takes
// the lock alone and asks once more whether anything refers to the blob, so
// that a blob is never removed between its adoption and its record.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/dam"
)

// The folders of a store.
const (
	blobDir       = "sha256"     // sha256/ab/cd/abcd…
	tempDir       = "tmp"        // tmp/<one folder a process>/
	quarantineDir = "quarantine" // outside the library, never served
	lockFile      = "lock"
)

// ErrCorrupt is returned by Verify for a blob whose bytes do not match its name.
var ErrCorrupt = errors.New("the bytes do not have the checksum they are kept under")

// Store is a folder of blobs.
type Store struct {
	dir  string
	temp string       // this process's folder for temporary files
	own  *flock.Flock // held as long as temp is in use
	only bool         // for reading: nothing is created in dir, not even a lock
	room Room
	// durable are the folders of blobs that are known to survive a power cut.
	durable durable

	mu sync.RWMutex // shared while adopting, alone while removing; flock does the same between processes
}

// Open opens the store in dir, which is created if missing.
func Open(dir string) (*Store, error) {
	for _, d := range []string{blobDir, tempDir, incomingDir, quarantineDir, lostDir} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, full(err)
		}
	}
	s := &Store{dir: dir}
	unlock, err := s.lock(context.Background(), false) // Sweep must not see temp before own is held
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s.temp, err = os.MkdirTemp(filepath.Join(dir, tempDir), ""); err != nil {
		return nil, full(err)
	}
	s.own = flock.New(filepath.Join(s.temp, lockFile))
	if err := s.own.Lock(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.temp, full(err))
	}
	return s, nil
}

// OpenReadOnly opens the store in dir, which may be missing, and creates nothing
// there.
func OpenReadOnly(dir string) *Store { return &Store{dir: dir, only: true} }

// Close removes the temporary files of this process.
func (s *Store) Close() error {
	if s.only {
		return nil
	}
	unlock, err := s.lock(context.Background(), false) // not while Sweep looks at them
	if err != nil {
		return err
	}
	defer unlock()
	return errors.Join(s.own.Unlock(), os.RemoveAll(s.temp))
}

// Temp is a blob that is being written.
type Temp struct {
	f      *os.File
	hash   hash.Hash
	size   int64
	sha256 string
	healed bool // see Healed
	placed bool // see Placed
	room   Room
}

// Create begins a blob. The caller must Discard it in the end, which does nothing
// after Adopt.
func (s *Store) Create(context.Context) (*Temp, error) {
	f, err := os.CreateTemp(s.temp, "")
	if err != nil {
		return nil, full(err)
	}
	return &Temp{f: f, hash: sha256.New(), room: s.room}, nil
}

// Write appends to the blob. A full disk is a dam.NoSpace error.
func (t *Temp) Write(p []byte) (int, error) {
	if err := t.room.ask(len(p)); err != nil {
		return 0, err
	}
	n, err := t.f.Write(p)
	t.hash.Write(p[:n])
	t.size += int64(n)
	return n, full(err)
}

// Finish ends the writing: the bytes are on the disk when it returns.
func (t *Temp) Finish() error {
	if err := errors.Join(t.f.Chmod(0o400), t.f.Sync()); err != nil {
		return full(err)
	}
	t.sha256 = hex.EncodeToString(t.hash.Sum(nil))
	return full(t.f.Close())
}

// Open opens a finished blob, before it is adopted, to read it.
func (t *Temp) Open() (*os.File, error) { return os.Open(t.f.Name()) }

// SHA256 returns the checksum of a finished blob, in lower-case hex.
func (t *Temp) SHA256() string { return t.sha256 }

// Size returns how many bytes were written.
func (t *Temp) Size() int64 { return t.size }

// Discard removes the temporary file, if it was not adopted.
func (t *Temp) Discard() {
	t.f.Close()
	os.Remove(t.f.Name()) // what cannot be removed goes with the folder
}

// Adopt puts finished blobs in their places, durably, and then calls commit,
// which records them. A blob that is there already keeps its file, which is read
// to see that it is whole; one that is not is replaced and kept aside. If commit
// fails, files stay that nothing refers to: those that were Placed can be removed with
// Remove, and Sweep moves aside what is left.
func (s *Store) Adopt(ctx context.Context, temps []*Temp, commit func() error) error {
	seen := make([]before, len(temps))
	for i, t := range temps {
		if t.sha256 == "" {
			return fmt.Errorf("adopt %s, which is not finished", t.f.Name())
		}
		var err error
		if seen[i], err = s.look(ctx, t); err != nil {
			return err
		}
	}
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	dirs := map[string]bool{}
	for i, t := range temps {
		dir := filepath.Dir(s.path(t.sha256))
		made, err := s.makeFolder(dir)
		if err != nil {
			return full(err)
		}
		// The folder has the file's entry, its parents have the folders'. They are
		// synced even if the blob was there: whoever adopted it may not have got to it.
		dirs[dir] = true
		inner, outer := s.durable.has(t.sha256)
		if made == madeOuter || !outer {
			dirs[filepath.Join(s.dir, blobDir)] = true
		}
		if made != madeNothing || !inner {
			dirs[filepath.Dir(dir)] = true
		}
		if err := s.settle(t, seen[i]); err != nil {
			return full(err)
		}
	}
	for dir := range dirs {
		if err := syncDir(dir); err != nil {
			return full(err)
		}
	}
	for _, t := range temps {
		s.durable.add(t.sha256)
	}
	return commit()
}

// Verify reads a blob and compares its checksum with its name. The error is
// fs.ErrNotExist if it is missing, ErrIrregular if it is not a regular file, and
// ErrCorrupt if the checksum differs.
func (s *Store) Verify(ctx context.Context, sha string) error {
	if !validName(sha) {
		return fmt.Errorf("%q is no SHA-256 in hex", sha)
	}
	return s.verify(ctx, filepath.Join(blobDir, relative(sha)), sha)
}

// verify is Verify for a file of the store.
func (s *Store) verify(ctx context.Context, name, sha string) error {
	f, err := openRegular(s.dir, name)
	if err != nil {
		return err
	}
	defer f.Close()
	same, err := hasSum(ctx, f, sha)
	if err != nil {
		return err
	}
	return different(same)
}

// Remove removes a blob, if unreferenced still says that nothing refers to it
// when no other process or goroutine can be adopting it.
func (s *Store) Remove(ctx context.Context, sha string, unreferenced func(sha string) (bool, error)) (removed bool, err error) {
	return s.take(ctx, sha, unreferenced, os.Remove)
}

// Quarantine moves a blob out of the library under the same condition.
func (s *Store) Quarantine(ctx context.Context, sha string, unreferenced func(sha string) (bool, error)) (moved bool, err error) {
	return s.take(ctx, sha, unreferenced, func(path string) error {
		dir := filepath.Join(s.dir, quarantineDir)
		return errors.Join(os.Rename(path, filepath.Join(dir, sha)), syncDir(dir))
	})
}

func (s *Store) take(ctx context.Context, sha string, unreferenced func(string) (bool, error), do func(path string) error) (bool, error) {
	if !validName(sha) {
		return false, fmt.Errorf("%q is no SHA-256 in hex", sha)
	}
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	if ok, err := unreferenced(sha); err != nil || !ok {
		return false, err
	}
	path := s.path(sha)
	if err := s.hold(path, sha); err != nil {
		return false, err
	}
	err = do(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, errors.Join(err, syncDir(filepath.Dir(path)))
}

// Quiet calls fn while nobody adopts or removes a blob.
func (s *Store) Quiet(ctx context.Context, fn func() error) error {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// Walk calls blob with each blob, in order, and stray with each file that is
// not one by its name.
func (s *Store) Walk(ctx context.Context, blob func(sha256 string, size int64) error, stray func(path string) error) error {
	root := filepath.Join(s.dir, blobDir)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err != nil || d.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		name := d.Name()
		if !validName(name) || s.path(name) != path || !d.Type().IsRegular() {
			return stray(path)
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return blob(name, info.Size())
	})
}

// lock takes the store's lock, alone or shared with others who adopt blobs: among
// the goroutines of this process, and among processes.
func (s *Store) lock(ctx context.Context, alone bool) (unlock func(), err error) {
	if s.only { // nobody can write there, or this process is not the one to lock
		return func() {}, ctx.Err()
	}
	l := flock.New(filepath.Join(s.dir, lockFile))
	if alone {
		s.mu.Lock()
		err = l.Lock()
	} else {
		s.mu.RLock()
		err = l.RLock()
	}
	release := func() {
		l.Unlock() // closing its file frees it in any case
		if alone {
			s.mu.Unlock()
		} else {
			s.mu.RUnlock()
		}
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		release()
		return nil, fmt.Errorf("lock the blob folder: %w", err)
	}
	return release, nil
}

func (s *Store) path(sha string) string {
	return filepath.Join(s.dir, blobDir, sha[:2], sha[2:4], sha)
}

// validName reports whether s is a SHA-256 in lower-case hex.
func validName(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// full turns the errors of a full disk into the domain's.
func full(err error) error {
	if err != nil && isFull(err) {
		return &dam.Error{Kind: dam.NoSpace, Msg: "The server's disk is full.", Err: err}
	}
	return err
}
