package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Access is how a process uses a library.
type Access int

// The kinds of access.
const (
	AccessMake    Access = iota // write; create a library if the folder is empty or missing
	AccessWrite                 // write to an existing library
	AccessCheck                 // like AccessWrite, but open a folder that cannot be written read-only
	AccessRecover               // write, even if the database does not match the files
)

// Names in a data folder.
const (
	RecordsFile = "dal.db"
	BlobsDir    = "blobs"
	CacheDir    = "cache"
	ExportsDir  = "exports"
	IndexDir    = "index"
	EnginesDir  = "engines" // compiled code, safe to delete
	ServerLock  = "server.lock"
	ServerURL   = "server.url" // URL of the running server, for commands
)

// ErrNoLibrary is returned by Open for a folder without a library.
var ErrNoLibrary = errors.New("there is no library")

// Unfit is the error for a data folder whose database and files do not belong
// together. Opening the library would treat files as deleted, so it is refused and
// nothing is changed.
type Unfit struct {
	Dir string // absolute
	Why string // full sentence
	Err error  // cause, if any

	Records bool // whether the database is usable
}

func (e *Unfit) Error() string {
	msg := fmt.Sprintf("the records and the files in %s do not belong together: %s Nothing was changed.\n"+
		"Put the right %s in its place, without the %[3]s-wal or -shm of another one beside it (or the right %s folder).\n",
		e.Dir, e.Why, RecordsFile, BlobsDir)
	if e.Records {
		return msg + "If you do not have it, dal recover keeps these records and adds an asset for each file that they do not know."
	}
	return msg + "If you do not have it, dal recover creates new records, with an asset for each file."
}

func (e *Unfit) Unwrap() error { return e.Err }

// fitness describes whether the database and the files of a folder belong together.
type fitness struct {
	records storage.Library
	mark    blob.Mark
	New     bool   // neither a library nor any remains of one
	Unfit   *Unfit // nil if they belong together
}

// Examine inspects the library in a folder, which may be missing, without changing
// anything. It reads the identity beside the files first: the database may be
// changing, and is never behind that identity.
func Examine(ctx context.Context, dir string) (f fitness, err error) {
	unfit := func(records bool, cause error, why string, args ...any) (fitness, error) {
		f.Unfit = &Unfit{Dir: dir, Why: fmt.Sprintf(why, args...), Err: cause, Records: records}
		return f, nil
	}
	blobs := blob.OpenReadOnly(filepath.Join(dir, BlobsDir))
	marked := true
	var broken *blob.MarkError
	f.mark, err = blob.ReadMark(filepath.Join(dir, BlobsDir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		marked = false
	case errors.As(err, &broken):
	case err != nil:
		return f, err
	}
	path := filepath.Join(dir, RecordsFile)
	if err := storage.CheckLog(ctx, path); errors.Is(err, storage.ErrOtherLog) {
		return f, fmt.Errorf("%s-wal in %s is the log of another %[1]s, or of a later state of this one. Nothing was changed.\n"+
			"If this %[1]s came from a backup, move %[1]s-wal and %[1]s-shm away and start again; "+
			"otherwise put back the %[1]s that they belong to: %[3]w", RecordsFile, dir, err)
	} else if err != nil {
		return f, err
	}
	store, err := storage.OpenReadOnly(ctx, path)
	switch {
	case errors.Is(err, storage.ErrNoRecords):
		files, err := countBlobs(ctx, blobs)
		if err != nil {
			return f, err
		}
		if f.New = !marked && files.Count == 0; f.New {
			return f, nil
		}
		what := "is missing"
		if _, err := os.Stat(path); err == nil {
			what = "is empty"
		}
		return unfit(false, nil, "%s %s, but there are %s.", RecordsFile, what, files)
	case errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotRecords):
		files, e := countBlobs(ctx, blobs)
		if e != nil {
			return f, e
		}
		return unfit(false, err, "%s cannot be read (%v). There are %s.", RecordsFile, err, files)
	case err != nil:
		return f, fmt.Errorf("open %s: %w", path, err)
	}
	defer store.Close()
	if err := store.View(ctx, func(tx *storage.Tx) error {
		f.records, err = tx.Library()
		return err
	}); err != nil {
		return f, err
	}
	switch {
	case broken != nil:
		return unfit(true, broken, "the mark of the files cannot be read (%v).", broken)
	case marked && f.records.ID == "":
		return unfit(true, nil, "%s was written by an older dal, before the files were.", RecordsFile)
	case marked && f.records.ID != f.mark.Library:
		return unfit(true, nil, "%s belongs to the library %s, the files belong to the library %s.",
			RecordsFile, f.records.ID, f.mark.Library)
	case marked && f.records.Change < f.mark.Change:
		return unfit(true, nil, "%s is older than the files: it is at change %d, they are at %d.",
			RecordsFile, f.records.Change, f.mark.Change)
	case marked:
		return f, nil
	}
	return f, unmarked(ctx, store, blobs, func(why string, args ...any) { unfit(true, nil, why, args...) }, f.records.Change > 0)
}

// strangers is the number of files without an identity that are looked up in the
// database before they are considered to be another library's.
const strangers = 100

// unmarked compares a database with files that have no identity beside them: those
// of an older dal, and restored ones. If the database has advanced, there was once
// an identity.
func unmarked(ctx context.Context, store *storage.Store, blobs *blob.Store, unfit func(why string, args ...any), advanced bool) error {
	var looked, known int
	var rows int64
	enough := errors.New("enough")
	err := store.View(ctx, func(tx *storage.Tx) (err error) {
		if rows, err = tx.CountBlobs(); err != nil {
			return err
		}
		return blobs.Walk(ctx, func(sha string, _ int64) error {
			ok, err := tx.BlobKnown(sha)
			if looked++; ok {
				known++
			}
			if err == nil && (known > 0 || looked >= strangers) {
				err = enough
			}
			return err
		}, func(string) error { return nil })
	})
	switch {
	case err != nil && !errors.Is(err, enough):
		return err
	case looked > 0 && known == 0:
		files, err := countBlobs(ctx, blobs)
		if err != nil {
			return err
		}
		unfit("%s knows none of the files that are there: %s.", RecordsFile, files)
	case looked == 0 && rows > 0 && advanced:
		unfit("%s names %s files, and none of them exists. Is the disk with the %s folder mounted?",
			RecordsFile, humanize.Comma(rows), BlobsDir)
	}
	return nil
}

// FileCount counts files.
type FileCount struct {
	Count int
	Bytes int64
}

func (n FileCount) String() string {
	noun := "files"
	if n.Count == 1 {
		noun = "file"
	}
	return fmt.Sprintf("%s %s (%s)", humanize.Comma(int64(n.Count)), noun, humanize.IBytes(uint64(n.Bytes)))
}

// Add counts a file.
func (n *FileCount) Add(size int64) {
	n.Count++
	n.Bytes += size
}

// countBlobs counts all files in a blob folder, including those moved aside.
func countBlobs(ctx context.Context, blobs *blob.Store) (n FileCount, err error) {
	err = blobs.Unrecorded(ctx, func(string) (bool, error) { return false, nil }, func(_ string, size int64) error {
		n.Add(size)
		return nil
	})
	return n, err
}

// MayMake refuses to create a library in a folder with other files. Files that a
// library would create are allowed.
func MayMake(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		switch e.Name() {
		case RecordsFile, RecordsFile + "-wal", RecordsFile + "-shm", ServerLock, ServerURL,
			BlobsDir, CacheDir, ExportsDir, IndexDir, EnginesDir, SignaturesDir, "lost+found":
		default:
			return fmt.Errorf("%w in %s, and none is created there because the folder is not empty: it contains %s. "+
				"Give --data a folder that is empty or does not exist yet", ErrNoLibrary, dir, e.Name())
		}
	}
	return err
}

// Private restricts dal's folders to their owner.
func Private(dir string) (err error) {
	for _, name := range []string{BlobsDir, CacheDir, ExportsDir, IndexDir, EnginesDir, SignaturesDir} {
		path := filepath.Join(dir, name)
		info, e := os.Stat(path)
		switch {
		case errors.Is(e, fs.ErrNotExist):
		case e != nil:
			err = errors.Join(err, e)
		case info.IsDir() && info.Mode().Perm()&0o077 != 0:
			err = errors.Join(err, os.Chmod(path, info.Mode().Perm()&0o700))
		}
	}
	return err
}

// SignaturesDir is the folder, in the data folder, for hash lists.
const SignaturesDir = "signatures"
