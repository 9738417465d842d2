// Package backup copies a library to another folder, the target, and restores it from
// there.
//
// A target belongs to one library and has this layout:
//
//	dal-backup.json                 library that it belongs to
//	lock                            held while a process writes to the target
//	blobs/sha256/ab/cd/abcd…        files, named by the SHA-256 of their content
//	snapshots/20260131T120000.000Z/
//	    manifest.json               description, with the checksums of the other two
//	    dal.db                      snapshot of the database
//	    SHA256SUMS                  dal.db and all files it references, for sha256sum -c in the target's folder
//	tmp/                            files being written or removed
//
// A file gets its final name after it is durable, and a snapshot after all its files are.
// Everything with a final name is therefore complete, even if a process is killed. A file
// that is referenced by several snapshots is stored once.
//
// A backup contains the database, the files it references, and the hash lists in
// signatures/, stored like other files. It excludes data that can be rebuilt (index, cache,
// exports) and unreferenced files (quarantine, lost files).
package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// The names in a target.
const (
	identityFile = "dal-backup.json"
	lockFile     = "lock"
	blobsDir     = "blobs/sha256"
	snapshotsDir = "snapshots"
	tempDir      = "tmp"
)

const (
	identityFormat = "dal-backup"
	formatVersion  = 1
)

// maxIdentity is the maximum size of identityFile in bytes.
const maxIdentity = 64 << 10

// The errors of a target that callers check for.
var (
	ErrBusy    = errors.New("another dal is writing to this backup folder, or reading it")
	ErrForeign = errors.New("the folder holds backups of another library")
	ErrGone    = errors.New("backups went there before and now there are none; is its disk mounted? (--new starts over)")
	ErrNone    = errors.New("there is no backup of dal in it")
)

// identity identifies the library of a target.
type identity struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Library string    `json:"library"`
	Created time.Time `json:"created_at"`
}

// Target is a folder with backups.
type Target struct {
	dir  string // absolute
	root *os.Root
	lock *flock.Flock // nil when reading from a read-only disk
	id   identity
}

// Library identifies a library to its targets.
type Library struct {
	ID  string // constant for the lifetime of the library
	Dir string // data folder
}

// Create opens the target in dir for writing. It creates dir if necessary, but not its
// parent folder, and removes leftovers of a killed process. If expected is set, a folder
// without a target is ErrGone.
func Create(dir string, lib Library, expected bool, now time.Time) (_ *Target, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := Apart(dir, lib.Dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if expected {
			return nil, fmt.Errorf("%s: %w", dir, ErrGone)
		}
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrNotExist) { // not created: a backup below the mount point of a missing disk is useless
			err = fmt.Errorf("the folder %s, which %s is to be created in, is missing; is its disk mounted?", filepath.Dir(dir), filepath.Base(dir))
		}
		if err != nil {
			return nil, err
		}
	}
	t, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", dir, err), t.Close())
		}
	}()
	if _, err := t.identify(); err != nil { // before creating a file in a folder that belongs to something else
		return nil, err
	}
	if err := t.lockFor(true); err != nil {
		return nil, err
	}
	known, err := t.identify()
	if err != nil {
		return nil, err
	}
	if known && t.id.Library != lib.ID {
		return nil, ErrForeign
	}
	if !known {
		if expected {
			return nil, ErrGone
		}
		t.id = identity{identityFormat, formatVersion, uuid.NewString(), lib.ID, now.UTC()}
	}
	for _, d := range []string{blobsDir, snapshotsDir, tempDir} {
		if err := t.root.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := t.clearTemp(); err != nil {
		return nil, err
	}
	if !known {
		err = t.putJSON(identityFile, t.id)
	}
	return t, err
}

// Open opens an existing target for reading. It prevents writes by other processes until it
// is closed, unless the target is on a read-only disk.
func Open(dir string) (_ *Target, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	t, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", dir, err), t.Close())
		}
	}()
	if known, err := t.identify(); err != nil || !known {
		if err == nil || errors.Is(err, errNotEmpty) {
			err = ErrNone
		}
		return nil, err
	}
	return t, t.lockFor(false)
}

// OpenToPrune opens an existing target for Prune.
func OpenToPrune(dir string) (*Target, error) {
	t, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if t.lock != nil {
		err = t.lock.Unlock()
	}
	if err == nil {
		err = t.lockFor(true)
	}
	if err == nil {
		err = t.root.MkdirAll(tempDir, 0o700)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", t.dir, err), t.Close())
	}
	return t, nil
}

func openRoot(dir string) (*Target, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Target{dir: dir, root: root}, nil
}

// Dir returns the absolute path of the target.
func (t *Target) Dir() string { return t.dir }

// Library returns the ID of the library that the target belongs to.
func (t *Target) Library() string { return t.id.Library }

// Close releases the target.
func (t *Target) Close() error {
	var err error
	if t.lock != nil {
		err = t.lock.Unlock()
	}
	return errors.Join(err, t.root.Close())
}

func (t *Target) lockFor(writing bool) error {
	info, err := t.root.Lstat(lockFile)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", lockFile)
	}
	missing := errors.Is(err, fs.ErrNotExist)
	t.lock = flock.New(filepath.Join(t.dir, lockFile), flock.SetPermissions(0o600))
	take := t.lock.TryRLock
	if writing {
		take = t.lock.TryLock
	}
	ok, err := take()
	switch {
	case err != nil && missing && !writing: // read-only, so no process can be writing to it
		t.lock = nil
		return nil
	case err != nil:
		t.lock = nil
		return fmt.Errorf("lock it: %w", err)
	case !ok:
		t.lock = nil
		return ErrBusy
	}
	return nil
}

var errNotEmpty = errors.New("the folder is not empty and holds no backup of dal; choose an empty or a new one")

// identify reads the identity of the target, if it has one. The error is errNotEmpty for a
// folder with any other content.
func (t *Target) identify() (known bool, err error) {
	data, err := t.readFile(identityFile, maxIdentity)
	if errors.Is(err, fs.ErrNotExist) {
		return false, t.mustBeEmpty()
	}
	if err != nil {
		return false, err
	}
	id, err := parseIdentity(data)
	if err != nil {
		return false, fmt.Errorf("%s: %w", identityFile, err)
	}
	t.id = id
	return true, nil
}

func parseIdentity(data []byte) (id identity, err error) {
	if err := json.Unmarshal(data, &id); err != nil {
		return id, fmt.Errorf("cannot be read: %w", err)
	}
	switch {
	case id.Format != identityFormat || id.Version < 1 || id.ID == "" || id.Library == "":
		return id, errors.New("is not what dal writes there")
	case id.Version > formatVersion:
		return id, errors.New("was written by a newer version of dal; use that version")
	}
	return id, nil
}

// systemNames are prefixes of files that operating systems create in the top folder of a
// disk.
var systemNames = []string{
	"lost+found", ".Trash", ".Spotlight-V100", ".fseventsd", ".DS_Store",
	"System Volume Information", "$RECYCLE.BIN",
}

// mustBeEmpty ignores files that operating systems create, and those that Create creates
// before the identity file.
func (t *Target) mustBeEmpty() error {
	entries, err := t.readDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		system := slices.ContainsFunc(systemNames, func(s string) bool { return strings.HasPrefix(e.Name(), s) })
		ours := e.IsDir() && slices.Contains([]string{"blobs", snapshotsDir, tempDir}, e.Name())
		if system || e.Name() == lockFile || ours && t.hollow(e.Name()) {
			continue
		}
		return errNotEmpty
	}
	return nil
}

// hollow reports whether a folder contains no files, except for temporary ones of an
// unfinished Create.
func (t *Target) hollow(dir string) bool {
	err := fs.WalkDir(t.root.FS(), dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != tempDir+"/"+identityFile {
			err = errNotEmpty
		}
		return err
	})
	return err == nil
}

// clearTemp removes leftovers of a killed process.
func (t *Target) clearTemp() error {
	entries, err := t.readDir(tempDir)
	for _, e := range entries {
		err = errors.Join(err, t.root.RemoveAll(tempDir+"/"+e.Name()))
	}
	return err
}

func (t *Target) readDir(name string) ([]fs.DirEntry, error) {
	d, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// open opens a regular file and never follows links.
func (t *Target) open(name string) (*os.File, fs.FileInfo, error) {
	info, err := t.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, nil, errors.Join(fmt.Errorf("%s changed while it was opened", name), err, f.Close())
	}
	return f, info, nil
}

func (t *Target) readFile(name string, limit int64) ([]byte, error) {
	f, info, err := t.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
