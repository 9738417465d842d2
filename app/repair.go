package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// RepairOptions say what Repair does.
type RepairOptions struct {
	Full bool     // read every file
	From []string // folders, such as a backup, that may have the bytes of damaged files
}

// repairChunk is for how many damaged blobs the folders are searched at once.
const repairChunk = 10_000

// Repair checks as Check does, and mends what can be mended: files get the modes
// they should have, what dead processes left goes, files without a record are
// moved aside, broken renditions go and are
// made anew when wanted, and a damaged file is replaced by one with the right
// checksum that was lost, was put aside, or is in a folder of opt.From. Nothing
// is lost: a file that is replaced is kept aside. It calls tell with each thing
// that was wrong and what became of it; Problems counts what is wrong still.
func (a *App) Repair(ctx context.Context, opt RepairOptions, tell func(string), progress func(done, total int64)) (r CheckReport, err error) {
	rep := &repair{app: a, opt: opt, tell: tell}
	if err := rep.modes(ctx); err != nil {
		return r, err
	}
	strays, err := a.strays(ctx, func(string) error { return nil })
	if err != nil {
		return r, err
	}
	swept, err := a.blobs.Sweep(ctx, func(sha string) (bool, error) { // what is being deleted is not to be kept
		if _, stray := slices.BinarySearch(strays, sha); !stray {
			return true, nil
		}
		return a.blobKnown(ctx, sha)
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
	// The check finds and marks; what it finds of blobs is told once it is known
	// what becomes of it.
	var damaged []storage.Blob
	found := func(sha string, size int64) { damaged = append(damaged, storage.Blob{SHA256: sha, Size: size}) }
	if r, err = a.check(ctx, opt.Full, tell, progress, found); err != nil {
		return r, err
	}
	for len(damaged) > 0 {
		n := min(len(damaged), repairChunk)
		mended, err := rep.blobs(ctx, damaged[:n])
		if r.Problems -= mended; err != nil {
			return r, err
		}
		damaged = damaged[n:]
	}
	if err := a.cache.Check(ctx, opt.Full, rep.rendition); err != nil {
		return r, err
	}
	r.Problems += rep.unmended
	return r, nil
}

// repair is a Repair under way.
type repair struct {
	app      *App
	opt      RepairOptions
	tell     func(string)
	unmended int // of what check does not count
}

func (r *repair) mended(format string, args ...any) { r.tell(fmt.Sprintf(format, args...)) }

// failed tells that something could not be mended.
func (r *repair) failed(what string, err error) {
	r.unmended++
	r.tell(fmt.Sprintf("%s: %v", what, err))
}

// modes gives the files and folders of blobs the modes that they should have.
func (r *repair) modes(ctx context.Context) error {
	changed := 0
	err := r.app.blobs.Modes(ctx, func(path string, should fs.FileMode) error {
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

// rendition removes a derived file that is broken.
func (r *repair) rendition(path string, why error) error {
	what := fmt.Sprintf("rendition %s: %v", filepath.Base(path), why)
	if err := os.Remove(path); err != nil {
		r.failed(what, err)
		return nil
	}
	r.mended("%s: removed; it is made anew when it is wanted", what)
	return nil
}

// blobs mends damaged blobs and returns how many.
func (r *repair) blobs(ctx context.Context, damaged []storage.Blob) (mended int, err error) {
	places := map[string][]string{} // by checksum: files of this library
	sizes := map[int64][]string{}   // checksums by the size, of blobs that are nowhere else
	for _, b := range damaged {
		paths, err := r.app.blobs.SetAside(b.SHA256)
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
	for _, dir := range r.opt.From {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if !d.Type().IsRegular() || len(places) == 0 {
				return nil
			}
			info, err := d.Info()
			if err != nil || len(sizes[info.Size()]) == 0 {
				return nil // removed meanwhile, or of no use
			}
			sha, err := blob.Sum(ctx, path)
			if _, wanted := places[sha]; err != nil || !wanted {
				return ctx.Err() // what cannot be read here does not help
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
			r.tell(fmt.Sprintf("blob %s: not mended: no file with its %d bytes was found", b.SHA256, b.Size))
		}
	}
	return mended, nil
}

// restore puts the bytes of a file in the place of a blob, if they are the right
// ones.
func (r *repair) restore(ctx context.Context, sha, path string) (bool, error) {
	err := r.app.blobs.Restore(ctx, sha, path, func() error {
		return r.app.store.Update(ctx, func(tx *storage.Tx) error { return r.app.mended(tx, sha) })
	})
	switch {
	case errors.Is(err, blob.ErrCorrupt), errors.Is(err, blob.ErrIrregular), errors.Is(err, fs.ErrNotExist):
		return false, nil
	case dam.KindOf(err) == dam.NoSpace || ctx.Err() != nil:
		return false, err
	case err != nil:
		r.tell(fmt.Sprintf("blob %s: %s could not be put in its place: %v", sha, path, err))
		return false, nil
	}
	r.mended("blob %s: mended with %s", sha, path)
	return true, nil
}
