package maintain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Maintenance checks, repairs, backs up and describes a library. Its methods are safe for
// concurrent use.
type Maintenance struct {
	Store     *storage.Store
	Originals *original.Files
	Accounts  *account.Accounts
	Index     *index.Index
	Jobs      *job.Queue
	Disks     *library.Disks
	Upkeep    *Upkeep
	Health    *Health
	Log       *slog.Logger
	Now       func() time.Time
}

// CheckReport sums up a check.
type CheckReport struct {
	Blobs    int
	InPlace  int // checked files in external libraries
	Offline  int // unchecked files in external libraries, because their folder is offline
	Problems int
	DeadJobs int
	Lost     []LostFile // kept aside in case they are needed
}

// Check verifies everything that the library must keep: the database, a file for
// every record, with its checksum if full is set, and a record for every file. It
// calls problem for each problem found. Assets with a damaged file are marked; with
// full, the mark is removed from those whose file is intact again. The result is
// recorded.
func (m *Maintenance) Check(
	ctx context.Context, full bool, problem func(string), progress func(done, total int64),
) (CheckReport, error) {
	c := m.newCheck(full, problem, progress)
	started := m.Now()
	if err := c.look(ctx); err != nil || c.cache == nil { // the library is read-only
		return c.report, err
	}
	made := &dam.Check{Started: started, Ended: m.Now(), EveryByte: full, Files: c.report.Blobs, Problems: c.report.Problems}
	if err := m.Store.Update(ctx, func(tx *storage.Tx) error { return tx.InsertCheck(made) }); err != nil {
		c.log.WarnContext(ctx, "remember what the check found", "err", err)
	}
	return c.report, nil
}

// look runs all checks.
func (c *check) look(ctx context.Context) error {
	if err := c.all(ctx); err != nil {
		return err
	}
	modes := 0
	if err := c.blobs.Modes(ctx, func(string, fs.FileMode) error { modes++; return nil }); err != nil {
		return err
	}
	if modes > 0 {
		c.found("blob folder: %d files or folders can be read by others, or not by their owner", modes)
	}
	if c.cache == nil {
		return nil
	}
	return c.cache.Check(ctx, c.full, func(path string, why error) error {
		c.found("rendition %s: %v", filepath.Base(path), why)
		return nil
	})
}

// check is a running Check or Repair.
type check struct {
	store     *storage.Store
	blobs     *blob.Store
	originals *original.Files
	cache     *blob.Cache // nil if the library is read-only
	lost      *LostFiles
	log       *slog.Logger

	full     bool // read every file
	problem  func(string)
	progress func(done, total int64)

	report  CheckReport
	damaged []storage.Blob // blobs with a damaged file
}

func (m *Maintenance) newCheck(full bool, problem func(string), progress func(done, total int64)) *check {
	return &check{
		store: m.Store, blobs: m.Originals.Blobs, originals: m.Originals, cache: m.Originals.Cache, lost: m.Upkeep.Lost, log: m.Log,
		full: full, problem: problem, progress: progress,
	}
}

// found counts and reports a problem.
func (c *check) found(format string, args ...any) {
	c.report.Problems++
	c.problem(fmt.Sprintf(format, args...))
}

// all runs the checks that Check and Repair share.
func (c *check) all(ctx context.Context) error {
	lines, err := c.store.Check(ctx)
	if err != nil {
		return err
	}
	for _, l := range lines {
		c.found("%s", l)
	}
	if err := c.files(ctx); err != nil {
		return err
	}
	if err := c.inPlace(ctx); err != nil {
		return err
	}
	strays, err := c.strays(ctx, func(path string) error {
		c.found("blob folder: %s does not belong there", path)
		return nil
	})
	if err != nil {
		return err
	}
	for _, sha := range strays {
		c.found("blob %s: no record refers to it; the next start of the server moves it to blobs/lost", sha)
	}
	if c.report.Lost, err = c.lost.list(ctx); err != nil {
		return err
	}
	return c.store.View(ctx, func(tx *storage.Tx) error {
		dead, err := tx.DeadJobs(maxDeadJobs)
		c.report.DeadJobs = len(dead)
		return err
	})
}

// strayWait is how long a file must remain without a record before it counts as
// stray rather than as about to be removed.
const strayWait = time.Second

// strays returns the blobs that no record refers to, except for those currently
// being added to the library or removed from it.
func (c *check) strays(ctx context.Context, other func(path string) error) (shas []string, err error) {
	if err := c.blobs.Walk(ctx, func(sha string, _ int64) error {
		known, err := c.originals.Recorded(ctx, sha)
		if err == nil && !known {
			shas = append(shas, sha)
		}
		return err
	}, other); err != nil {
		return nil, err
	}
	for before := 0; len(shas) > 0 && len(shas) != before; { // many may be removed one by one
		before = len(shas)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(strayWait):
		}
		shas = slices.DeleteFunc(shas, func(sha string) bool {
			settled, e := c.originals.Settled(ctx, sha)
			err = errors.Join(err, e)
			return e != nil || settled
		})
		if err != nil {
			return nil, err
		}
	}
	return shas, nil
}

// files checks the file of every blob record.
func (c *check) files(ctx context.Context) error {
	var total int64
	if err := c.store.View(ctx, func(tx *storage.Tx) (err error) {
		total, err = tx.CountBlobs()
		return err
	}); err != nil {
		return err
	}
	for after := ""; ; {
		var blobs []storage.Blob
		err := c.store.View(ctx, func(tx *storage.Tx) (err error) {
			blobs, err = tx.Blobs(after, 500)
			return err
		})
		if err != nil || len(blobs) == 0 {
			return err
		}
		for _, b := range blobs {
			after = b.SHA256
			c.report.Blobs++
			c.progress(int64(c.report.Blobs), total)
			if err := c.file(ctx, b); err != nil {
				return err
			}
		}
	}
}

// file checks the file of one blob.
func (c *check) file(ctx context.Context, b storage.Blob) error {
	fault, err := c.fault(ctx, b)
	if err != nil || fault == "" {
		return err
	}
	known, err := c.originals.Recorded(ctx, b.SHA256)
	if err != nil || !known { // removed in the meantime
		return err
	}
	c.found("blob %s: %s (%s)", b.SHA256, fault, c.uses(ctx, b.SHA256))
	c.damaged = append(c.damaged, b)
	return nil
}

// fault checks the file of a blob and marks it if it is damaged. It returns a
// description of the damage, or "" if the file is intact.
func (c *check) fault(ctx context.Context, b storage.Blob) (string, error) {
	damage, err := c.blobs.Inspect(ctx, b.SHA256, b.Size, c.full)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil: // unknown whether it is damaged
		return err.Error(), nil
	case damage == dam.DamageNone && c.full:
		if err := c.originals.Unmark(ctx, b.SHA256); err != nil {
			c.log.WarnContext(ctx, "a file that is whole is still marked as damaged", "sha256", b.SHA256, "err", err)
		}
		return "", nil
	case damage == dam.DamageNone:
		if damage, err = c.originals.Marked(ctx, b.SHA256); err != nil || damage == dam.DamageNone {
			return "", err
		}
		return "it is marked as damaged; check without --quick to see whether it still is", nil
	}
	if err := c.originals.Mark(ctx, b.SHA256, damage); err != nil {
		c.log.WarnContext(ctx, "a damaged file could not be marked", "sha256", b.SHA256, "err", err)
	}
	if damage == dam.DamageSize {
		if f, err := c.blobs.Open(b.SHA256); err == nil {
			defer f.Close()
			if info, err := f.Stat(); err == nil {
				return fmt.Sprintf("the file has %d bytes instead of %d", info.Size(), b.Size), nil
			}
		}
	}
	return damage.String(), nil
}

// uses describes what refers to a blob.
func (c *check) uses(ctx context.Context, sha string) string {
	var u storage.BlobUses
	err := c.store.View(ctx, func(tx *storage.Tx) (err error) {
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

// maxDeadJobs is the maximum number of permanently failed jobs that are listed.
const maxDeadJobs = 100

// JobStatus counts the jobs by kind and state, and returns up to 100 that failed
// permanently.
func (m *Maintenance) JobStatus(ctx context.Context) (counts map[dam.JobKind]map[dam.JobState]int, dead []*dam.Job, err error) {
	err = m.Store.View(ctx, func(tx *storage.Tx) error {
		if counts, err = tx.CountJobs(); err != nil {
			return err
		}
		dead, err = tx.DeadJobs(maxDeadJobs)
		return err
	})
	return counts, dead, err
}
