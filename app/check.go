package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// CheckReport sums up a check.
type CheckReport struct {
	Blobs    int
	Problems int
	DeadJobs int
	Lost     []LostFile // kept aside, in case somebody misses them
}

// Check looks at everything that the library must keep: the database, a file
// for every record, with full its checksum, and a record for every file. It
// calls problem with each thing that is wrong.
// Assets whose file is damaged are marked, and those whose file is whole again
// are not any more, which only reading it tells.
func (a *App) Check(ctx context.Context, full bool, problem func(string), progress func(done, total int64)) (r CheckReport, err error) {
	if r, err = a.check(ctx, full, problem, progress, func(string, int64) {}); err != nil {
		return r, err
	}
	found := func(format string, args ...any) {
		r.Problems++
		problem(fmt.Sprintf(format, args...))
	}
	modes := 0
	if err := a.blobs.Modes(ctx, func(string, fs.FileMode) error { modes++; return nil }); err != nil {
		return r, err
	}
	if modes > 0 {
		found("blob folder: the modes of %d files or folders let others read them, or do not let their owner", modes)
	}
	if a.cache == nil { // opened for reading only
		return r, nil
	}
	return r, a.cache.Check(ctx, full, func(path string, why error) error {
		found("rendition %s: %v", filepath.Base(path), why)
		return nil
	})
}

// check is what Check and Repair have in common. It calls damaged with each blob
// whose file is.
func (a *App) check(ctx context.Context, full bool, problem func(string), progress func(done, total int64), damaged func(sha string, size int64)) (r CheckReport, err error) {
	found := func(format string, args ...any) {
		r.Problems++
		problem(fmt.Sprintf(format, args...))
	}
	lines, err := a.store.Check(ctx)
	if err != nil {
		return r, err
	}
	for _, l := range lines {
		found("%s", l)
	}
	if err := a.checkBlobs(ctx, full, &r, found, progress, damaged); err != nil {
		return r, err
	}
	strays, err := a.strays(ctx, func(path string) error {
		found("blob folder: %s does not belong there", path)
		return nil
	})
	if err != nil {
		return r, err
	}
	for _, sha := range strays {
		found("blob %s: no record refers to it; the next start of the server moves it to blobs/lost", sha)
	}
	if r.Lost, err = a.LostFiles(ctx); err != nil {
		return r, err
	}
	_, dead, err := a.JobStatus(ctx)
	r.DeadJobs = len(dead)
	return r, err
}

// strayWait is for how long a file without a record has to stay, or other such
// files, to be one that nobody is removing.
const strayWait = time.Second

// strays returns the blobs in their places that no record refers to, but for
// those on their way into the library, or out of it, right now.
func (a *App) strays(ctx context.Context, other func(path string) error) (shas []string, err error) {
	if err := a.blobs.Walk(ctx, func(sha string, _ int64) error {
		known, err := a.blobKnown(ctx, sha)
		if err == nil && !known {
			shas = append(shas, sha)
		}
		return err
	}, other); err != nil {
		return nil, err
	}
	for before := 0; len(shas) > 0 && len(shas) != before; { // many may be removed, one after the other
		before = len(shas)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(strayWait):
		}
		shas = slices.DeleteFunc(shas, func(sha string) bool {
			settled, e := a.blobSettled(ctx, sha)
			err = errors.Join(err, e)
			return e != nil || settled
		})
		if err != nil {
			return nil, err
		}
	}
	return shas, nil
}

// checkBlobs looks at the file of every record of a blob.
func (a *App) checkBlobs(ctx context.Context, full bool, r *CheckReport, found func(string, ...any), progress func(done, total int64), damaged func(sha string, size int64)) error {
	var total int64
	if err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		total, err = tx.CountBlobs()
		return err
	}); err != nil {
		return err
	}
	for after := ""; ; {
		var blobs []storage.Blob
		err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
			blobs, err = tx.Blobs(after, 500)
			return err
		})
		if err != nil || len(blobs) == 0 {
			return err
		}
		for _, b := range blobs {
			after = b.SHA256
			r.Blobs++
			progress(int64(r.Blobs), total)
			fault, err := a.checkBlob(ctx, b, full)
			if err != nil {
				return err
			}
			if fault == "" {
				continue
			}
			if known, err := a.blobKnown(ctx, b.SHA256); err != nil || !known { // removed meanwhile
				if err != nil {
					return err
				}
				continue
			}
			found("blob %s: %s (%s)", b.SHA256, fault, a.usesOf(ctx, b.SHA256))
			damaged(b.SHA256, b.Size)
		}
	}
}

// checkBlob says what is wrong with the file of a blob, and marks it.
func (a *App) checkBlob(ctx context.Context, b storage.Blob, full bool) (fault string, err error) {
	damage, err := a.blobs.Inspect(ctx, b.SHA256, b.Size, full)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil { // it cannot be known whether it is damaged
		return err.Error(), nil
	}
	if damage == dam.DamageNone {
		if !full {
			err = a.store.View(ctx, func(tx *storage.Tx) error {
				damage, err = tx.DamageOf(b.SHA256)
				return err
			})
			if damage != dam.DamageNone {
				fault = "it is marked as damaged; checking without --quick tells whether it is"
			}
			return fault, err
		}
		if err := a.unmark(ctx, b.SHA256); err != nil {
			a.log.WarnContext(ctx, "a file that is whole is still marked as damaged", "sha256", b.SHA256, "err", err)
		}
		return "", nil
	}
	if _, err := a.markDamaged(ctx, b.SHA256, damage); err != nil {
		a.log.WarnContext(ctx, "a damaged file could not be marked", "sha256", b.SHA256, "err", err)
	}
	if damage == dam.DamageSize {
		if f, err := a.blobs.Open(b.SHA256); err == nil {
			defer f.Close()
			if info, err := f.Stat(); err == nil {
				return fmt.Sprintf("the file has %d bytes instead of %d", info.Size(), b.Size), nil
			}
		}
	}
	return damage.String(), nil
}

// unmark takes the mark from a blob whose file is whole.
func (a *App) unmark(ctx context.Context, sha string) error {
	var was dam.Damage
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		was, err = tx.DamageOf(sha)
		return err
	})
	if err != nil || was == dam.DamageNone {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error { return a.mended(tx, sha) })
}

// usesOf says in words what refers to a blob.
func (a *App) usesOf(ctx context.Context, sha string) string {
	var u storage.BlobUses
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		u, err = tx.BlobUses(sha, 0)
		return err
	})
	switch {
	case err != nil:
		return err.Error()
	case u.Asset != "":
		return "asset " + string(u.Asset)
	case u.Files > 0:
		return "a file of an upload batch"
	}
	return "nothing refers to it"
}

// blobSettled reports whether a blob has a record once nobody can be adopting
// or removing it.
func (a *App) blobSettled(ctx context.Context, sha string) (known bool, err error) {
	err = a.blobs.Quiet(ctx, func() error {
		if f, err := a.blobs.Open(sha); err != nil {
			known = true // removed meanwhile
			return nil
		} else {
			f.Close()
		}
		known, err = a.blobKnown(ctx, sha)
		return err
	})
	return known, err
}

// JobStatus counts the jobs by kind and state, and returns up to 100 that gave
// up.
func (a *App) JobStatus(ctx context.Context) (counts map[dam.JobKind]map[dam.JobState]int, dead []*dam.Job, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if counts, err = tx.CountJobs(); err != nil {
			return err
		}
		dead, err = tx.DeadJobs(100)
		return err
	})
	return counts, dead, err
}
