// Package blob stores the bytes of files in a folder, each under the SHA-256 of its
// content. Several processes may use a folder concurrently.
//
// A blob is first written to a temporary file, then adopted: renamed to its final path
// and recorded by the caller, both under a shared lock. Removal takes the lock
// exclusively and checks again whether anything refers to the blob, so a blob is never
// removed between its adoption and its record.
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
	tempDir       = "tmp"        // tmp/<one folder per process>/
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
	// durable contains the blob folders that are known to survive a power failure.
	durable durable

	mu sync.RWMutex // shared while adopting, exclusive while removing; flock does the same between processes
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

// OpenReadOnly opens the store in dir, which may be missing, and creates nothing there.
func OpenReadOnly(dir string) *Store { return &Store{dir: dir, only: true} }

// Close removes the temporary files of this process.
func (s *Store) Close() error {
	if s.only {
		return nil
	}
	unlock, err := s.lock(context.Background(), false) // not during Sweep
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

// Create starts a blob. The caller must call Discard eventually, which does nothing after
// Adopt.
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

// Finish completes the blob, which is durable when Finish returns.
func (t *Temp) Finish() error {
	if err := errors.Join(t.f.Chmod(0o400), t.f.Sync()); err != nil {
		return full(err)
	}
	t.sha256 = hex.EncodeToString(t.hash.Sum(nil))
	return full(t.f.Close())
}

// Open opens a finished blob for reading before it is adopted.
func (t *Temp) Open() (*os.File, error) { return os.Open(t.f.Name()) }

// SHA256 returns the checksum of a finished blob, in lower-case hex.
func (t *Temp) SHA256() string { return t.sha256 }

// Size returns the number of bytes written.
func (t *Temp) Size() int64 { return t.size }

// Discard removes the temporary file, if it was not adopted.
func (t *Temp) Discard() {
	t.f.Close()
	os.Remove(t.f.Name()) // leftovers are removed with the folder
}

// Adopt durably moves finished blobs to their final paths, then calls commit, which
// records them. An existing file is read and kept if it is intact; a damaged one is
// replaced and set aside. If commit fails, unreferenced files remain: those that were
// Placed can be removed with Remove, and Sweep moves the rest aside.
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
		// The folder contains the file's entry, its parents the folders' entries. They are
		// synced even if the blob existed: the process that adopted it may not have synced
		// them yet.
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

// Remove removes a blob if unreferenced confirms, while no other process or goroutine can
// be adopting it, that nothing refers to it.
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

// Quiet calls fn while no blobs are being adopted or removed.
func (s *Store) Quiet(ctx context.Context, fn func() error) error {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// Walk calls blob with each blob, in order, and stray with each file whose name is not
// that of a blob at its path.
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

// lock takes the store's lock among the goroutines of this process and among processes,
// either exclusively or shared with others that adopt blobs.
func (s *Store) lock(ctx context.Context, alone bool) (unlock func(), err error) {
	if s.only { // nobody can write there, or locking is not up to this process
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
		l.Unlock() // closing its file releases it in any case
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

// full converts the errors of a full disk to domain errors.
func full(err error) error {
	if err != nil && isFull(err) {
		return &dam.Error{Kind: dam.NoSpace, Msg: "The server's disk is full.", Err: err}
	}
	return err
}
