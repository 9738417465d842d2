package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// pageSize is the number of file records read per query.
const pageSize = 1000

// Source is the library to back up.
type Source struct {
	Library
	Records *storage.Store
	Blobs   *blob.Store
	Version string // of dal
}

// Options configure a backup or a restore.
type Options struct {
	Workers int // concurrent copies; 0 means 1
	// Verify compares files that the target already has with their checksums; without it
	// only copied files are verified.
	Verify bool
	Now    time.Time // determines the name of the snapshot
	// Pause is called between units of work to yield to other work.
	Pause func(context.Context)
	// Problem is called for each damaged or missing file.
	Problem func(string)
	// Progress is called after each file.
	Progress func(done, total int64)
}

func (o *Options) setDefaults() {
	o.Workers = max(o.Workers, 1)
	if o.Pause == nil {
		o.Pause = func(context.Context) {}
	}
	if o.Problem == nil {
		o.Problem = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
}

// Result is the result of a backup.
type Result struct {
	Manifest
	NewFiles, NewBytes int64 // files that were not in the target before
	Problems           int64 // damaged or missing files, in the library or the target
}

// writer writes one snapshot.
type writer struct {
	t    *Target
	src  Source
	opt  Options
	pin  *blob.Pin
	temp string // folder that becomes the snapshot

	mu      sync.Mutex // guards the following fields and the callbacks of opt
	result  Result
	done    int64
	lacking map[string]bool // blobs missing in the target
	dirs    map[string]bool // folders with new entries
}

// Write writes a snapshot of a library to the target, which must be opened by Create. It
// reports and skips damaged or missing files. If it fails, it creates no snapshot and
// leaves the existing ones unchanged; files already copied are reused by the next backup.
func (t *Target) Write(ctx context.Context, src Source, opt Options) (_ Result, err error) {
	opt.setDefaults()
	w := &writer{t: t, src: src, opt: opt, lacking: map[string]bool{}, dirs: map[string]bool{}}
	if err := w.begin(); err != nil {
		return Result{}, err
	}
	defer func() {
		if err != nil {
			t.root.RemoveAll(w.temp) // otherwise the next Create removes it
		}
	}()
	// From here on, removed library files remain readable: the snapshot may reference them.
	if w.pin, err = src.Blobs.Pin(ctx); err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, w.pin.Close()) }()
	if err := w.records(ctx); err != nil {
		return Result{}, fmt.Errorf("copy the records: %w", err)
	}
	records, err := storage.OpenCopy(ctx, w.path(recordsFile))
	if err != nil {
		return Result{}, err
	}
	defer records.Close()
	if err := w.blobs(ctx, records); err != nil {
		return Result{}, err
	}
	if err := w.signatures(ctx); err != nil {
		return Result{}, err
	}
	if err := w.sums(ctx, records); err != nil {
		return Result{}, err
	}
	return w.result, w.publish()
}

// begin creates the folder that becomes the snapshot.
func (w *writer) begin() error {
	m := &w.result.Manifest
	m.Format, m.Version, m.Library, m.Dal = manifestFormat, formatVersion, w.src.ID, w.src.Version
	for m.Time = w.opt.Now.UTC().Truncate(time.Millisecond); ; m.Time = m.Time.Add(time.Millisecond) {
		m.Snapshot = m.Time.Format(snapshotLayout)
		if _, err := w.t.root.Lstat(path.Join(snapshotsDir, m.Snapshot)); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
	}
	w.temp = path.Join(tempDir, m.Snapshot)
	return w.t.root.Mkdir(w.temp, 0o700)
}

// path returns the absolute path of a file of the unfinished snapshot.
func (w *writer) path(name string) string {
	return filepath.Join(w.t.dir, filepath.FromSlash(w.temp), name)
}

// records copies the database and checks the copy.
func (w *writer) records(ctx context.Context) (err error) {
	if err := w.src.Records.Copy(ctx, w.path(recordsFile), w.opt.Pause); err != nil {
		return err
	}
	m := &w.result.Manifest
	m.Records.Path = recordsFile
	if m.Records.Size, m.Records.SHA256, err = w.t.sum(ctx, path.Join(w.temp, recordsFile)); err != nil {
		return err
	}
	c, err := storage.OpenCopy(ctx, w.path(recordsFile))
	if err != nil {
		return err
	}
	defer c.Close()
	problem, err := c.QuickCheck(ctx)
	if err == nil && problem != "" {
		err = fmt.Errorf("they are damaged (%s); restore the last good backup", problem)
	}
	if err != nil {
		return err
	}
	return c.View(ctx, func(tx *storage.Tx) (err error) {
		if m.Assets, err = tx.CountAssets(); err != nil {
			return err
		}
		if m.Files, err = tx.CountBlobs(); err != nil {
			return err
		}
		m.Bytes, err = tx.BlobBytes()
		return err
	})
}

// blobs copies the referenced files that the target lacks.
func (w *writer) blobs(ctx context.Context, records *storage.Store) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(w.opt.Workers)
	err := eachBlob(ctx, records, func(b storage.Blob) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.Go(func() error {
			w.opt.Pause(ctx)
			if err := w.blob(ctx, records, b); err != nil {
				return err
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.done++
			w.opt.Progress(w.done, w.result.Files)
			return nil
		})
		return nil
	})
	if e := g.Wait(); e != nil {
		return e // the cause of the other error
	}
	return err
}

// eachBlob calls fn with each blob in the database, ordered by checksum.
func eachBlob(ctx context.Context, records *storage.Store, fn func(storage.Blob) error) error {
	for after := ""; ; {
		var page []storage.Blob
		err := records.View(ctx, func(tx *storage.Tx) (err error) {
			page, err = tx.Blobs(after, pageSize)
			return err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, b := range page {
			if !blob.ValidName(b.SHA256) {
				return fmt.Errorf("the records name a file by %q, which is not a checksum", b.SHA256)
			}
			if err := fn(b); err != nil {
				return err
			}
			after = b.SHA256
		}
	}
}

// blob ensures that the target has a blob.
func (w *writer) blob(ctx context.Context, records *storage.Store, b storage.Blob) error {
	src, err := w.pin.Open(b.SHA256)
	fault := faultOf(src, err, b.Size)
	if src != nil {
		defer src.Close()
	}
	kept, err := w.has(ctx, b)
	if err != nil {
		return err
	}
	if !kept && fault == "" {
		if fault, err = w.copy(ctx, b, src); err != nil {
			return err
		}
	}
	if fault == "" {
		return nil
	}
	return w.problem(ctx, records, b.SHA256, fault, kept)
}

// faultOf describes a fault of a blob's file that can be detected without reading it.
func faultOf(f *os.File, err error, size int64) string {
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file is missing"
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular():
		return "the file is not a regular file"
	case info.Size() != size:
		return fmt.Sprintf("the file has %d bytes instead of %d", info.Size(), size)
	}
	return ""
}

// has reports whether the target has a blob with the right size and, if verifying, the
// right checksum.
func (w *writer) has(ctx context.Context, b storage.Blob) (bool, error) {
	info, err := w.t.root.Lstat(blobPath(b.SHA256))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() != b.Size {
		return false, err
	}
	if !w.opt.Verify {
		return true, nil
	}
	_, sha, err := w.t.sum(ctx, blobPath(b.SHA256))
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && sha == b.SHA256, nil // unreadable files are written again
}

// copy copies a blob to the target, or returns the fault of its content.
func (w *writer) copy(ctx context.Context, b storage.Blob, src *os.File) (fault string, err error) {
	temp := path.Join(w.temp, b.SHA256)
	dst, err := w.t.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer func() {
		dst.Close() // the second call on success
		if err != nil || fault != "" {
			w.t.root.Remove(temp)
		}
	}()
	n, sha, err := copyHash(ctx, dst, src)
	var unreadable readError
	switch {
	case errors.As(err, &unreadable):
		return "the file cannot be read: " + unreadable.Error(), nil
	case err != nil:
		return "", err
	case n != b.Size:
		return fmt.Sprintf("the file has %d bytes instead of %d", n, b.Size), nil
	case sha != b.SHA256:
		return blob.ErrCorrupt.Error(), nil
	}
	if err := errors.Join(syncFile(dst), dst.Close()); err != nil {
		return "", err
	}
	to := blobPath(b.SHA256)
	if err := w.t.root.MkdirAll(path.Dir(to), 0o700); err != nil {
		return "", err
	}
	if err := w.t.root.Rename(temp, to); err != nil {
		return "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.NewFiles++
	w.result.NewBytes += n
	for dir := path.Dir(to); dir != "."; dir = path.Dir(dir) {
		w.dirs[dir] = true
	}
	return "", nil
}

// problem reports a fault of a blob's file in the library.
func (w *writer) problem(ctx context.Context, records *storage.Store, sha, fault string, kept bool) error {
	of, err := owners(ctx, records, sha)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.Problems++
	if kept {
		w.opt.Problem(fmt.Sprintf("%s: %s; the backup has a good one (file %s)", of, fault, sha))
		return nil
	}
	w.lacking[sha] = true
	if len(w.result.Missing) < maxMissing {
		w.result.Missing = append(w.result.Missing, Missing{sha, fault, of})
	}
	w.opt.Problem(fmt.Sprintf("%s: %s (file %s)", of, fault, sha))
	return nil
}

// ownersNamed is the maximum number of assets listed for a shared file.
const ownersNamed = 3

// owners describes the owners of a blob.
func owners(ctx context.Context, records *storage.Store, sha string) (string, error) {
	var list []storage.BlobOwner
	err := records.View(ctx, func(tx *storage.Tx) (err error) {
		list, err = tx.BlobOwners(sha, ownersNamed+1)
		return err
	})
	var words []string
	for i, o := range list {
		switch {
		case i == ownersNamed:
			words = append(words, "and others")
		case o.Asset == "":
			words = append(words, fmt.Sprintf("uploaded file %q", o.Filename))
		default:
			words = append(words, fmt.Sprintf("asset %s %q (%q)", o.Asset, o.Title, o.Filename))
		}
	}
	if len(words) == 0 {
		words = []string{"a file that nothing refers to"}
	}
	return strings.Join(words, ", "), err
}
