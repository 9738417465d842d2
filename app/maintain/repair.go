package maintain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// RepairOptions are the options of Repair.
type RepairOptions struct {
	Full bool     // read every file
	From []string // folders, such as a backup, that may contain intact copies of damaged files
}

// repairChunk is the number of damaged blobs per search of the folders.
const repairChunk = 10_000

// Repair checks the library like Check, and repairs problems where possible: files
// get the correct modes, leftovers of dead processes are removed, orphaned files
// are moved aside, broken renditions are removed and rebuilt on demand, and a
// damaged file is replaced by one with the correct checksum that was lost, was put
// aside, or is in a folder of opt.From. Nothing is lost: a replaced file is kept
// aside. Repair calls report with each problem and its repair; Problems counts the
// remaining problems.
func (m *Maintenance) Repair(
	ctx context.Context, opt RepairOptions, report func(string), progress func(done, total int64),
) (r CheckReport, err error) {
	c := m.newCheck(opt.Full, report, progress)
	rep := &repair{store: m.Store, blobs: c.blobs, originals: m.Originals, from: opt.From, report: report}
	if err := rep.modes(ctx); err != nil {
		return r, err
	}
	strays, err := c.strays(ctx, func(string) error { return nil })
	if err != nil {
		return r, err
	}
	swept, err := rep.blobs.Sweep(ctx, func(sha string) (bool, error) { // files being deleted must not be kept
		if _, stray := slices.BinarySearch(strays, sha); !stray {
			return true, nil
		}
		return m.Originals.Recorded(ctx, sha)
	})
	if err != nil {
		return r, err
	}
	if swept.Temps > 0 {
		rep.mended("temporary files: removed those of %d processes that have ended", swept.Temps)
	}
	if swept.Blobs > 0 {
		rep.mended("blob folder: moved %d files that no record refers to to blobs/lost", swept.Blobs)
	}
	// The check finds and marks damaged files, which are repaired afterwards.
	err = c.all(ctx)
	if r = c.report; err != nil {
		return r, err
	}
	for damaged := range slices.Chunk(c.damaged, repairChunk) {
		mended, err := rep.files(ctx, damaged)
		if r.Problems -= mended; err != nil {
			return r, err
		}
	}
	if err := c.cache.Check(ctx, opt.Full, rep.rendition); err != nil {
		return r, err
	}
	r.Problems += rep.unmended
	return r, nil
}

// repair is a running Repair.
type repair struct {
	store     *storage.Store
	blobs     *blob.Store
	originals *original.Files
	from      []string // see RepairOptions
	report    func(string)
	unmended  int // problems not counted by check
}

// mended reports a completed repair.
func (r *repair) mended(format string, args ...any) { r.report(fmt.Sprintf(format, args...)) }

// failed counts and reports a problem that could not be repaired.
func (r *repair) failed(what string, err error) {
	r.unmended++
	r.report(fmt.Sprintf("%s: %v", what, err))
}

// modes sets the correct modes of blob files and folders.
func (r *repair) modes(ctx context.Context) error {
	changed := 0
	err := r.blobs.Modes(ctx, func(path string, should fs.FileMode) error {
		if err := os.Chmod(path, should); err != nil {
			r.failed(fmt.Sprintf("%s: the mode should be %#o", path, should), err)
			return nil
		}
		changed++
		return nil
	})
	if changed > 0 {
		r.mended("blob folder: changed the modes of %d files or folders", changed)
	}
	return err
}

// rendition removes a broken derived file.
func (r *repair) rendition(path string, why error) error {
	what := fmt.Sprintf("rendition %s: %v", filepath.Base(path), why)
	if err := os.Remove(path); err != nil {
		r.failed(what, err)
		return nil
	}
	r.mended("%s: removed; it is made again when it is wanted", what)
	return nil
}

// files repairs damaged files and returns their number.
func (r *repair) files(ctx context.Context, damaged []storage.Blob) (mended int, err error) {
	places := map[string][]string{} // by checksum: files of this library
	sizes := map[int64][]string{}   // by size: checksums of blobs found nowhere else
	for _, b := range damaged {
		paths, err := r.blobs.SetAside(b.SHA256)
		if err != nil {
			return mended, err
		}
		places[b.SHA256] = paths
		sizes[b.Size] = append(sizes[b.Size], b.SHA256)
	}
	for _, b := range damaged {
		for _, path := range places[b.SHA256] {
			ok, err := r.restore(ctx, b.SHA256, path)
			if err != nil {
				return mended, err
			}
			if ok {
				delete(places, b.SHA256)
				mended++
				break
			}
		}
	}
	for _, dir := range r.from {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if !d.Type().IsRegular() || len(places) == 0 {
				return nil
			}
			info, err := d.Info()
			if err != nil || len(sizes[info.Size()]) == 0 {
				return nil // removed in the meantime, or useless
			}
			sha, err := blob.Sum(ctx, path)
			if _, wanted := places[sha]; err != nil || !wanted {
				return ctx.Err() // unreadable files do not help
			}
			ok, err := r.restore(ctx, sha, path)
			if ok {
				delete(places, sha)
				mended++
			}
			return err
		})
		if err != nil {
			return mended, fmt.Errorf("look for files in %s: %w", dir, err)
		}
	}
	for _, b := range damaged {
		if _, still := places[b.SHA256]; still {
			r.report(fmt.Sprintf("blob %s: not mended: no file with its %d bytes was found", b.SHA256, b.Size))
		}
	}
	return mended, nil
}

// restore replaces a blob's file by the content of another file, if that has the
// correct checksum.
func (r *repair) restore(ctx context.Context, sha, path string) (bool, error) {
	err := r.blobs.Restore(ctx, sha, path, func() error {
		return r.store.Update(ctx, func(tx *storage.Tx) error { return r.originals.Mended(tx, sha) })
	})
	switch {
	case errors.Is(err, blob.ErrCorrupt), errors.Is(err, blob.ErrIrregular), errors.Is(err, fs.ErrNotExist):
		return false, nil
	case dam.KindOf(err) == dam.NoSpace || ctx.Err() != nil:
		return false, err
	case err != nil:
		r.report(fmt.Sprintf("blob %s: %s could not be put in its place: %v", sha, path, err))
		return false, nil
	}
	r.mended("blob %s: mended with %s", sha, path)
	return true, nil
}
