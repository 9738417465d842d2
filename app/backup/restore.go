package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// The names in a data folder used by a restore.
const (
	unfinishedDir  = "restore"      // exists until the restore is complete
	unfinishedFile = "restore.json" // in it: the restore in progress
	libraryBlobs   = "blobs"
	libraryLock    = "server.lock"
)

// The limits of a batch of files added to the library.
const (
	adoptFiles = 32
	adoptBytes = 64 << 20
)

// unfinished describes a restore in progress.
type unfinished struct {
	Target   string `json:"target"`
	Snapshot string `json:"snapshot"`
	Records  string `json:"records_sha256"`
}

// Unfinished returns an error with the command to continue an interrupted restore into a
// data folder, nil if no restore was interrupted.
func Unfinished(dir string) error {
	u, ok, err := readUnfinished(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // reported in full when the library is opened
	}
	if err != nil || !ok {
		return err
	}
	return fmt.Errorf("a restore into %s was interrupted: to continue, dal restore %q --at %s --data %q", dir, u.Target, u.Snapshot, dir)
}

func readUnfinished(dir string) (u unfinished, ok bool, err error) {
	data, err := os.ReadFile(filepath.Join(dir, unfinishedDir, unfinishedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return u, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &u)
	}
	if err != nil {
		err = fmt.Errorf("a restore into %s was interrupted and cannot continue; empty the folder and restore again: %w", dir, err)
	}
	return u, true, err
}

// restorer restores one snapshot to a folder.
type restorer struct {
	t     *Target
	s     Snapshot
	dir   string
	opt   Options
	blobs *blob.Store

	mu       sync.Mutex // guards the following fields and the callbacks of opt
	done     int64
	problems int64
}

// Restore creates a library in dir from a snapshot. dir must be missing, empty, or the
// folder of an interrupted restore of the same snapshot. Every file is verified against its
// checksum; files that are damaged or missing in the target are reported, counted and
// skipped. The database is written last: until then the folder is not a library.
func (t *Target) Restore(ctx context.Context, s Snapshot, dir string, opt Options) (problems int64, err error) {
	opt.setDefaults()
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, err
	}
	if err := Apart(t.dir, dir); err != nil {
		return 0, err
	}
	again, err := t.mayRestore(s, dir)
	if err != nil {
		return 0, err
	}
	for _, f := range []File{s.Records, s.Sums} {
		if err := t.whole(ctx, s.Name, f); err != nil {
			return 0, fmt.Errorf("snapshot %s cannot be used: %w", s.Name, err)
		}
	}
	records, err := storage.OpenCopy(ctx, t.place(s.Name, recordsFile))
	if err != nil {
		return 0, fmt.Errorf("snapshot %s cannot be used: %w", s.Name, err)
	}
	defer records.Close()

	if err := os.MkdirAll(filepath.Join(dir, unfinishedDir), 0o700); err != nil {
		return 0, err
	}
	lock := flock.New(filepath.Join(dir, libraryLock), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil {
		return 0, fmt.Errorf("lock the data folder: %w", err)
	} else if !ok {
		return 0, fmt.Errorf("%s: another dal works there", dir)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	r := &restorer{t: t, s: s, dir: dir, opt: opt}
	if !again {
		if err := r.begin(); err != nil {
			return 0, err
		}
	}
	if err := r.files(ctx, records); err != nil {
		return r.problems, err
	}
	for _, e := range s.Extras {
		if err := r.extra(ctx, e); err != nil {
			return r.problems, err
		}
	}
	return r.problems, r.finish(ctx)
}

// mayRestore returns an error if dir contains anything but an interrupted restore of the
// snapshot. again reports an interrupted restore.
func (t *Target) mayRestore(s Snapshot, dir string) (again bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	u, again, err := readUnfinished(dir)
	if err != nil {
		return false, err
	}
	if again && (u.Snapshot != s.Name || u.Records != s.Records.SHA256) {
		return false, fmt.Errorf(
			"a restore of snapshot %s into %s was interrupted; continue with --at %[1]s, or empty the folder first", u.Snapshot, dir)
	}
	for _, e := range entries {
		name := e.Name()
		system := slices.ContainsFunc(systemNames, func(s string) bool { return strings.HasPrefix(name, s) })
		ours := []string{unfinishedDir, libraryLock}
		if again {
			ours = append(ours, libraryBlobs, signatures, recordsFile)
		}
		if system || slices.Contains(ours, name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, recordsFile)); err == nil {
			return false, fmt.Errorf("there is a library in %s; --data names an empty or a new folder to restore into", dir)
		}
		return false, fmt.Errorf("%s is not empty; --data names an empty or a new folder to restore into", dir)
	}
	return again, nil
}

// begin records the restore in progress.
func (r *restorer) begin() error {
	temp := r.path(unfinishedDir, unfinishedFile+".part")
	data, err := json.MarshalIndent(unfinished{r.t.dir, r.s.Name, r.s.Records.SHA256}, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err := errors.Join(err, syncFile(f), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(temp, r.path(unfinishedDir, unfinishedFile)), syncPath(r.path(unfinishedDir)), syncPath(r.dir))
}

// files restores the files referenced by the database.
func (r *restorer) files(ctx context.Context, records *storage.Store) (err error) {
	if r.blobs, err = blob.Open(r.path(libraryBlobs)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.blobs.Close()) }()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.opt.Workers)
	var list []storage.Blob
	var bytes int64
	send := func() {
		if some := list; len(some) > 0 {
			g.Go(func() error { return r.some(ctx, records, some) })
		}
		list, bytes = nil, 0
	}
	err = eachBlob(ctx, records, func(b storage.Blob) error {
		if list = append(list, b); len(list) == adoptFiles || bytes+b.Size > adoptBytes {
			send()
		} else {
			bytes += b.Size
		}
		return ctx.Err()
	})
	send()
	if e := g.Wait(); e != nil {
		return e // the cause of the other error
	}
	return err
}

// some restores a batch of files.
func (r *restorer) some(ctx context.Context, records *storage.Store, list []storage.Blob) error {
	var temps []*blob.Temp
	defer func() {
		for _, t := range temps {
			t.Discard()
		}
	}()
	for _, b := range list {
		r.opt.Pause(ctx)
		temp, fault, err := r.fetch(ctx, b)
		if err != nil {
			return err
		}
		if temp != nil {
			temps = append(temps, temp)
		}
		if err := r.report(ctx, records, b, fault); err != nil {
			return err
		}
	}
	return r.blobs.Adopt(ctx, temps, func() error { return nil })
}

// report reports a restored file, or why it was not restored.
func (r *restorer) report(ctx context.Context, records *storage.Store, b storage.Blob, fault string) (err error) {
	var of string
	if fault != "" {
		if of, err = owners(ctx, records, b.SHA256); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.opt.Progress(r.done, r.s.Files)
	if fault != "" {
		r.problems++
		r.opt.Problem(fmt.Sprintf("%s: %s (file %s in the backup)", of, fault, b.SHA256))
	}
	return nil
}

// fetch copies a file from the target, or returns its fault. If it returns neither, the
// library already has the file.
func (r *restorer) fetch(ctx context.Context, b storage.Blob) (_ *blob.Temp, fault string, err error) {
	if f, err := r.blobs.Open(b.SHA256); err == nil { // from an interrupted restore
		known := faultOf(f, nil, b.Size) == ""
		f.Close()
		if known {
			return nil, "", nil
		}
	}
	src, _, err := r.t.open(blobPath(b.SHA256))
	if fault := faultOf(src, err, b.Size); fault != "" {
		if src != nil {
			src.Close()
		}
		return nil, fault, nil
	}
	defer src.Close()
	temp, err := r.blobs.Create(ctx)
	if err != nil {
		return nil, "", err
	}
	n, sha, err := copyHash(ctx, temp, src)
	var unreadable readError
	switch {
	case errors.As(err, &unreadable):
		fault = "the file cannot be read: " + unreadable.Error()
	case err != nil:
	case n != b.Size || sha != b.SHA256:
		fault = blob.ErrCorrupt.Error()
	default:
		if err = temp.Finish(); err == nil {
			return temp, "", nil
		}
	}
	temp.Discard()
	if fault != "" {
		err = nil
	}
	return nil, fault, err
}

// extra restores a file of the data folder that is not referenced by the database.
func (r *restorer) extra(ctx context.Context, e File) error {
	if err := os.MkdirAll(r.path(signatures), 0o700); err != nil {
		return err
	}
	if err := r.place(ctx, blobPath(e.SHA256), e, filepath.FromSlash(e.Path)); err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	return syncPath(r.path(signatures))
}

// place copies a file from the target to the data folder atomically and durably.
func (r *restorer) place(ctx context.Context, from string, want File, to string) error {
	src, _, err := r.t.open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	temp := r.path(unfinishedDir, "part")
	dst, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	n, sha, err := copyHash(ctx, dst, io.LimitReader(src, want.Size+1))
	if err == nil && (n != want.Size || sha != want.SHA256) {
		err = errors.New("it is damaged in the backup: " + blob.ErrCorrupt.Error())
	}
	if err := errors.Join(err, syncFile(dst), dst.Close()); err != nil {
		return err
	}
	return os.Rename(temp, r.path(to))
}

// finish writes the database, which turns the folder into a library.
func (r *restorer) finish(ctx context.Context) error {
	err := r.place(ctx, r.s.in(recordsFile), r.s.Records, recordsFile)
	if err = errors.Join(err, syncPath(r.dir)); err != nil {
		return err
	}
	if err := os.Remove(r.path(unfinishedDir, unfinishedFile)); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(r.path(unfinishedDir)), syncPath(r.dir))
}

func (r *restorer) path(names ...string) string {
	return filepath.Join(append([]string{r.dir}, names...)...)
}

// syncPath syncs the entries of a folder.
func syncPath(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return syncEntries(d)
}
