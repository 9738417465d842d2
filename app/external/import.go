package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// InPlaceOptions are the options of Import.
type InPlaceOptions struct {
	Name       string // name of the library; "" for the name of the folder
	Collection string // name of a collection to add new assets to; "" for none
	DryRun     bool   // count only
	Verify     bool   // also read files that seem unchanged
	Again      bool   // retry files that could not be imported or whose assets were deleted
	// Problem is called with each file that did not become an asset.
	Problem func(path, why string)
	// Progress is called periodically.
	Progress func(p PlaceProgress)
	// Waiting is called periodically during ingestion, with the number of open files. An
	// error ends the waiting.
	Waiting func(open int) error
}

// InPlaceResult is the result of Import.
type InPlaceResult struct {
	Root *dam.Root // with counts
	PlaceProgress
}

// Import registers a folder as an external library, if it is not registered yet,
// scans it, and waits until its files are assets. Nothing in the folder is changed. The
// library must be Run, by this process or another.
func (p *Libraries) Import(ctx context.Context, actor dam.Actor, dir string, opt InPlaceOptions) (res InPlaceResult, err error) {
	if err := access.MayUpload(actor); err != nil {
		return res, err
	}
	path, wrong := p.rootPath(dir)
	if wrong != nil { // an offline library is identified by its path
		if path, err = filepath.Abs(dir); err != nil {
			return res, err
		}
	}
	if res.Root, err = p.find(ctx, path); err != nil {
		return res, err
	}
	if wrong != nil && res.Root == nil {
		return res, wrong
	}
	isNew := res.Root == nil
	if isNew {
		if res.Root, err = p.newRoot(ctx, actor, path, opt.Name); err != nil {
			return res, err
		}
	} else if opt.Name != "" && opt.Name != res.Root.Name {
		return res, dam.InvalidField("name", "The folder is a root already, with the name %s.", res.Root.Name)
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	scan := scanOptions{dry: opt.DryRun, verify: opt.Verify, progress: opt.Progress, problem: opt.Problem}
	if opt.DryRun {
		res.PlaceProgress, err = p.dryScan(ctx, res.Root, scan)
		return res, err
	}
	if err := p.prepare(ctx, actor, res.Root, isNew, opt, &scan); err != nil {
		return res, err
	}
	if res.PlaceProgress, err = p.settledScan(ctx, res.Root.ID, scan, opt.Waiting); err != nil {
		return res, err
	}
	if err := p.await(ctx, res.Root.ID, opt.Waiting); err != nil {
		return res, err
	}
	if err := p.tellApart(ctx, &res.PlaceProgress); err != nil {
		return res, err
	}
	if opt.Again {
		if err := p.restore(ctx, actor, res.Root.ID); err != nil {
			return res, err
		}
	}
	err = p.Store.View(ctx, func(tx *storage.Tx) error {
		if res.Root, err = tx.Root(res.Root.ID); err == nil {
			res.Root.Counts, err = tx.RootCounts(res.Root.ID)
		}
		return err
	})
	return res, err
}

// tellApart counts the outcomes of the files passed to ingestion.
func (p *Libraries) tellApart(ctx context.Context, sum *PlaceProgress) error {
	return p.Store.View(ctx, func(tx *storage.Tx) error {
		batches, err := tx.BatchesByID(sum.batches)
		for _, b := range batches {
			parts, _, err := tx.BatchParts(b.ID)
			if err != nil {
				return err
			}
			refused := b.Counts.Rejected + b.Counts.Failed
			sum.New -= parts + refused + b.Counts.Duplicate
			sum.Parts += parts
			sum.Refused += refused
			sum.Linked += b.Counts.Duplicate
		}
		return err
	})
}

// prepare registers a new external library, or prepares one for retrying files.
func (p *Libraries) prepare(
	ctx context.Context, actor dam.Actor, root *dam.Root, isNew bool, opt InPlaceOptions, scan *scanOptions,
) error {
	return p.Store.Update(ctx, func(tx *storage.Tx) error {
		if isNew {
			if err := tx.InsertRoot(root); err != nil {
				return err
			}
		}
		if opt.Collection != "" {
			id, err := collection.EnsureCollection(tx, actor, opt.Collection)
			if err != nil {
				return err
			}
			scan.collections = []int64{id}
		}
		if opt.Again {
			return tx.ForgetProblems(root.ID, true)
		}
		return nil
	})
}

// restore restores the assets of an external library from the trash.
func (p *Libraries) restore(ctx context.Context, actor dam.Actor, root int64) error {
	for {
		left := 0
		err := p.Store.Update(ctx, func(tx *storage.Tx) error {
			gaids, err := tx.TrashedOfRoot(root, forgetStep)
			if left = len(gaids); err != nil || left == 0 {
				return err
			}
			if err := access.MayDeleteAssets(actor); err != nil {
				return err
			}
			for _, gaid := range gaids {
				asset, err := tx.Asset(gaid)
				if err != nil {
					return err
				}
				asset.DeletedAt = nil
				if err := assets.PutAsset(tx, actor, asset, asset, dam.AssetRestored, 0); err != nil {
					return err
				}
			}
			tx.OnCommit(p.Index.Changed)
			return nil
		})
		if err != nil || left == 0 {
			return err
		}
	}
}

// An import waits at most settleTicks times settleTick for files to settle.
const (
	settleTick  = 100 * time.Millisecond
	settleTicks = 300
)

// settledScan scans a library, and repeats that for a while as long as files in it are
// still being written.
func (p *Libraries) settledScan(ctx context.Context, id int64, opt scanOptions, waiting func(int) error) (sum PlaceProgress, err error) {
	t := time.NewTicker(settleTick)
	defer t.Stop()
	opt.taken = map[string]bool{}
	for ticks := 0; ; {
		before := sum
		sum, err = p.scanRoot(ctx, id, opt)
		sum.New, sum.Linked, sum.Gone = sum.New+before.New, sum.Linked+before.Linked, sum.Gone+before.Gone
		sum.batches = append(before.batches, sum.batches...)
		if err != nil || sum.Unsettled == 0 {
			return sum, err
		}
		for settled := p.Now().Add(sum.Settle); p.Now().Before(settled); ticks++ {
			if ticks == settleTicks {
				return sum, nil
			}
			if err = waitTick(ctx, t, func() error { return waiting(sum.Unsettled) }); err != nil {
				return sum, err
			}
		}
	}
}

// maxOpenSidecars is the limit up to which assets with unread sidecars are counted.
const maxOpenSidecars = 1000

// await waits until no file of a library is being ingested and no sidecar remains to be
// read.
func (p *Libraries) await(ctx context.Context, id int64, waiting func(int) error) error {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		open := 0
		err := p.Store.View(ctx, func(tx *storage.Tx) error {
			c, err := tx.RootCounts(id)
			if err != nil {
				return err
			}
			n, err := tx.CountSidecarJobs(id, maxOpenSidecars)
			open = c.Open + n
			return err
		})
		if err != nil || open == 0 {
			return err
		}
		if err := waitTick(ctx, t, func() error { return waiting(open) }); err != nil {
			return err
		}
	}
}

func waitTick(ctx context.Context, t *time.Ticker, waiting func() error) error {
	if err := waiting(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// EachRootProblem calls do with each file of an external library that could not be
// imported.
func (p *Libraries) EachRootProblem(ctx context.Context, actor dam.Actor, id int64, do func(path, why string)) error {
	if err := access.MayManageRoots(actor); err != nil {
		return err
	}
	for after := int64(0); ; {
		var list []*dam.RootFile
		err := p.Store.View(ctx, func(tx *storage.Tx) (err error) {
			list, err = tx.RootProblems(id, after, storage.Step)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, f := range list {
			after = f.ID
			do(f.Path(), f.Problem)
		}
	}
}

// rootPath returns the canonical path of a folder, or an error if it cannot be an
// external library.
func (p *Libraries) rootPath(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	data, err := filepath.Abs(p.DataDir)
	if err == nil {
		data, err = filepath.EvalSymlinks(data)
	}
	switch {
	case err != nil:
		return "", err
	case inside(path, data):
		return "", fmt.Errorf("%s is in the data folder: it is the library's own", dir)
	case inside(data, path):
		return "", fmt.Errorf("%s has the data folder in it: it would catalogue the library's own files", dir)
	}
	return path, nil
}

// inside reports whether a path equals a folder or is inside it.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// find returns the external library at a path, nil for none.
func (p *Libraries) find(ctx context.Context, path string) (root *dam.Root, err error) {
	return root, p.Store.View(ctx, func(tx *storage.Tx) error {
		roots, err := tx.Roots()
		for _, r := range roots {
			if r.Path == path {
				root = r
			}
		}
		return err
	})
}

// MaxRoots is the maximum number of external libraries.
const MaxRoots = 100

// newRoot returns an unregistered external library. It must not overlap another one.
func (p *Libraries) newRoot(ctx context.Context, actor dam.Actor, path, name string) (*dam.Root, error) {
	if name == "" {
		name = dam.Visible(strings.ToValidUTF8(filepath.Base(path), "\uFFFD"))
	}
	root := &dam.Root{Name: name, Path: path, UserID: actor.User.ID, State: dam.RootOnline}
	if err := root.Validate(); err != nil {
		return nil, err
	}
	return root, p.Store.View(ctx, func(tx *storage.Tx) error {
		roots, err := tx.Roots()
		if err != nil {
			return err
		}
		if len(roots) >= MaxRoots {
			return dam.Errorf(dam.Conflict, "The library has %d roots already; forget one first.", len(roots))
		}
		for _, r := range roots {
			switch {
			case inside(path, r.Path) || inside(r.Path, path):
				return dam.Errorf(dam.Conflict, "%s overlaps the root %s, which is %s.", path, r.Name, r.Path)
			case dam.SameName(r.Name, name):
				return dam.Errorf(dam.Conflict, "The root %s has that name; choose another one.", r.Path)
			}
		}
		return nil
	})
}

// scanOptions are the options of a scan.
type scanOptions struct {
	dry         bool
	verify      bool
	taken       map[string]bool // see rootScan
	collections []int64
	folder      func(path string)
	progress    func(p PlaceProgress)
	problem     func(path, why string)
}

// dryScan counts the effects of a scan of an external library, registered or not.
func (p *Libraries) dryScan(ctx context.Context, root *dam.Root, opt scanOptions) (PlaceProgress, error) {
	s := p.newScan(root, dam.Actor{}, opt)
	err := s.scan(ctx)
	return s.sum, err
}

func (p *Libraries) newScan(root *dam.Root, owner dam.Actor, opt scanOptions) *rootScan {
	s := &rootScan{p: p, root: root, actor: owner, dry: opt.dry, verify: opt.verify, taken: opt.taken, collections: opt.collections,
		folder: opt.folder, progress: opt.progress, problem: opt.problem}
	if s.progress == nil {
		s.progress = func(PlaceProgress) {}
	}
	return s
}

// scanRoot scans a registered external library for its owner, and records if it is
// offline. The caller holds the lock.
func (p *Libraries) scanRoot(ctx context.Context, id int64, opt scanOptions) (PlaceProgress, error) {
	var root *dam.Root
	var owner *dam.User
	err := p.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if root, err = tx.Root(id); err == nil {
			owner, err = tx.User(root.UserID)
		}
		return err
	})
	if err != nil {
		return PlaceProgress{}, err
	}
	if root.State == dam.RootOffline {
		if err := p.backOnline(ctx, root); err != nil {
			return PlaceProgress{}, err
		}
	}
	s := p.newScan(root, dam.Actor{User: owner}, opt)
	if !access.StillMay(owner, access.MayUpload) {
		s.closed = fmt.Sprintf("New files are not taken: %s may not upload any more.", owner.Email)
	}
	err = s.scan(ctx)
	if off, ok := errors.AsType[*offlineError](err); ok {
		p.Log.WarnContext(ctx, "a folder of files in place is offline", "root", root.Name, "path", root.Path, "why", off.why)
		return s.sum, p.offline(ctx, id, off.why)
	}
	if s.sum.New+s.sum.Linked+s.sum.Gone > 0 {
		p.Log.InfoContext(ctx, "scanned files in place", "root", root.Name, "files", s.sum.Found, "new", s.sum.New,
			"moved", s.sum.Linked, "gone", s.sum.Gone)
	}
	return s.sum, err
}

// backOnline schedules a retry of files that could not be read before a library went
// offline, once the library is available again.
func (p *Libraries) backOnline(ctx context.Context, root *dam.Root) error {
	s := p.newScan(root, dam.Actor{}, scanOptions{})
	dir, err := s.recognize(ctx)
	if err != nil {
		if _, ok := errors.AsType[*offlineError](err); ok {
			return nil // the scan reports this
		}
		return err
	}
	dir.Close()
	return p.Store.Update(ctx, func(tx *storage.Tx) error { return tx.ForgetProblems(root.ID, false) })
}
