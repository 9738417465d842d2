package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Files in place are catalogued where they lie: below a root, a folder that somebody
// named. dal reads them and never writes, moves or deletes one. The record of their
// bytes is a blob without a file; originals opens the file in place instead.

// places keep the assets of files in place up to date.
type places struct {
	store     *storage.Store
	originals *originals
	media     *media.Processor
	index     *index
	jobs      *jobs
	followups *followups
	log       *slog.Logger

	dataDir     string
	maxFile     int64 // bytes
	maxFiles    int   // of a batch
	now         func() time.Time
	follow      bool          // whether run follows
	every       time.Duration // how often a root is scanned even if nothing is told
	createBatch func(context.Context, dam.Actor, *dam.Batch) error
	endBatch    func(context.Context, dam.Actor, int64) (*dam.Batch, error)

	wake     chan struct{} // has one when a root may have to be scanned
	settling settling

	mu      sync.Mutex
	watched map[int64]string // by root: why the system tells of no changes, "" if it does; of a running server
	doubted map[int64]bool   // roots with files that were not there when they were wanted
}

// placesLock is a file in the data folder: who holds it scans.
const placesLock = "places.lock"

// lock waits until nobody else scans.
func (p *places) lock(ctx context.Context) (unlock func() error, err error) {
	l := flock.New(filepath.Join(p.dataDir, placesLock))
	ok, err := l.TryLockContext(ctx, 100*time.Millisecond)
	if err != nil || !ok {
		return nil, errors.Join(ctx.Err(), err)
	}
	return l.Unlock, nil
}

// tryLock is lock, and reports whether nobody else scans instead of waiting.
func (p *places) tryLock() (unlock func() error, ok bool, err error) {
	l := flock.New(filepath.Join(p.dataDir, placesLock))
	ok, err = l.TryLock()
	return l.Unlock, ok, err
}

// soon has the running server look at the roots.
func (p *places) soon() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// suspect has the running server scan a root that has changed without being told.
func (p *places) suspect(root int64) {
	p.mu.Lock()
	p.doubted[root] = true
	p.mu.Unlock()
	p.soon()
}

// doubts returns the roots that suspect has named since the last call.
func (p *places) doubts() map[int64]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	doubted := p.doubted
	p.doubted = map[int64]bool{}
	return doubted
}

// unavailableError is the cause of errors about files in place that cannot be read
// now.
type unavailableError struct {
	place string
	err   error
}

func (e *unavailableError) Error() string { return fmt.Sprintf("%s: %v", e.place, e.err) }
func (e *unavailableError) Unwrap() error { return e.err }

// isUnavailable reports whether an error says that a file in place cannot be read
// now.
func isUnavailable(err error) bool {
	_, ok := errors.AsType[*unavailableError](err)
	return ok
}

var (
	errOffline = errors.New("its folder is not there")
	errChanged = errors.New("it is not as it was read")
	errNoFile  = errors.New("there is no such file")
)

// place is a file of a root that should have certain bytes.
type place struct {
	*dam.RootFile
	root *dam.Root
}

func (p place) path() string { return filepath.Join(p.root.Path, filepath.FromSlash(p.Path())) }

// placesOf returns where bytes are that the library has only in place, and whether
// that is so.
func (o *originals) placesOf(ctx context.Context, sha string) (list []place, placed bool, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
		if placed, err = tx.IsPlaced(sha); err != nil || !placed {
			return err
		}
		files, err := tx.PlacesOf(sha)
		if err != nil {
			return err
		}
		roots, err := tx.Roots()
		if err != nil {
			return err
		}
		for _, f := range files {
			for _, r := range roots {
				if r.ID == f.RootID {
					list = append(list, place{f, r})
				}
			}
		}
		return nil
	})
	return list, placed, err
}

// openPlaced opens bytes that the library has only in place, and reports whether
// that is so. A file that has changed since it was read is not opened.
func (o *originals) openPlaced(ctx context.Context, sha string) (f *os.File, placed bool, err error) {
	list, placed, err := o.placesOf(ctx, sha)
	if err != nil || !placed {
		return nil, placed, err
	}
	msg, away := "The file is in place, and is not there at present.", error(&unavailableError{sha, errNoFile})
	for _, p := range list {
		f, touched, err := p.open(ctx)
		if touched { // the next scan notes its stamp
			o.lookAgain(p.RootID)
		}
		if err == nil {
			return f, true, nil
		}
		away = &unavailableError{p.path(), err}
		switch {
		case errors.Is(err, errOffline):
			msg = fmt.Sprintf("The file is in place in “%s”, which is offline: its folder is not there at present.", p.root.Name)
		case errors.Is(err, errChanged):
			msg = fmt.Sprintf("The file in place in “%s” has changed and is being read again.", p.root.Name)
		case errors.Is(err, errNoFile):
			msg = fmt.Sprintf("The file is in place in “%s”, and is not there at present.", p.root.Name)
		default:
			msg = fmt.Sprintf("The file is in place in “%s”, and cannot be read: %v.", p.root.Name, cause(err))
			o.unreadable(ctx, p.RootFile, err)
		}
		o.lookAgain(p.RootID)
	}
	return nil, true, &dam.Error{Kind: dam.Conflict, Msg: msg, Err: away}
}

// maxProven is how many bytes of a file are read to prove that it is as it was: one that has
// the size and the mtime that it had, and another stamp.
const maxProven = 256 << 20

// open opens the file if it is as it was read. If only its stamp has changed, it is touched,
// and its bytes decide.
func (p place) open(ctx context.Context) (f *os.File, touched bool, err error) {
	if p.root.State == dam.RootOffline {
		return nil, false, errOffline
	}
	root, err := os.OpenRoot(p.root.Path)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errOffline, err)
	}
	defer root.Close()
	f, info, err := openRegularIn(root, p.Path())
	if err != nil {
		return nil, false, err
	}
	stamp := stampOf(info, keepsInodes(f))
	touched = p.Stamp != "" && stamp != "" && p.Stamp != stamp
	if info.Size() != p.Size || info.ModTime().UnixNano() != p.MTime || touched && p.Size > maxProven {
		err = errChanged
	} else if touched && p.SHA256 != "" {
		err = p.prove(ctx, f)
	}
	if err != nil {
		f.Close()
		return nil, touched, err
	}
	return f, touched, nil
}

// prove reports errChanged unless an open file has the bytes that the place should have.
func (p place) prove(ctx context.Context, f *os.File) error {
	sum, err := blob.SumOf(ctx, f)
	if err == nil && sum != p.SHA256 {
		err = errChanged
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
}

// unreadable notes that a file which is there cannot be read, unless the cause is not the file.
func (p *places) unreadable(ctx context.Context, f *dam.RootFile, err error) {
	why := unreadableText(err)
	if why == "" || ctx.Err() != nil || f.Unreadable && f.Problem == why {
		return
	}
	err = p.store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error { return p.putUnreadable(tx, f, why) })
	if err != nil {
		p.log.ErrorContext(ctx, "note that a file in place cannot be read", "path", f.Path(), "err", err)
	}
}

// putUnreadable writes that a file cannot be read.
func (p *places) putUnreadable(tx *storage.Tx, f *dam.RootFile, why string) error {
	now, err := tx.RootFileAt(f.RootID, f.Folder, f.Name)
	if dam.KindOf(err) == dam.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	now.State, now.Unreadable, now.Problem = dam.RootFilePresent, true, why
	if err := tx.PutRootFile(now); err != nil || now.AssetID == 0 {
		return err
	}
	tx.OnCommit(p.index.changed)
	return tx.Reappeared([]int64{now.AssetID})
}

// unreadableText says for people that a file which is there cannot be read, "" if the cause is
// not the file.
func unreadableText(err error) string {
	for _, other := range []error{errOffline, errChanged, errNoFile, context.Canceled, context.DeadlineExceeded, fs.ErrNotExist,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR} {
		if errors.Is(err, other) {
			return ""
		}
	}
	return fmt.Sprintf("The file cannot be read: %v.", cause(err))
}

// openRegularIn opens a file below a root. No link is followed out of it, and one in
// place of the file is not followed at all.
func openRegularIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	before, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, errNoFile
	case err != nil:
		return nil, nil, err
	case !before.Mode().IsRegular():
		return nil, nil, errNoFile
	}
	f, err := openQuietly(root, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errChanged
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Roots lists the roots with the numbers of their files.
func (a *App) Roots(ctx context.Context, actor dam.Actor) (roots []*dam.Root, err error) {
	if err := mayReadAssets(actor); err != nil {
		return nil, err
	}
	return roots, a.store.View(ctx, func(tx *storage.Tx) error {
		if roots, err = tx.Roots(); err != nil {
			return err
		}
		for _, r := range roots {
			if r.Counts, err = tx.RootCounts(r.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Root returns a root with the numbers of its files.
func (a *App) Root(ctx context.Context, actor dam.Actor, id int64) (r *dam.Root, err error) {
	if err := mayReadAssets(actor); err != nil {
		return nil, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if r, err = tx.Root(id); err == nil {
			r.Counts, err = tx.RootCounts(id)
		}
		return err
	})
	return r, err
}

// MaxFolders is how many folders Folders returns.
const MaxFolders = 5000

// Folders lists the folders directly in one of files in place, "" for the roots, with
// the number of assets in each and below. They are those that have assets outside
// the trash.
func (a *App) Folders(ctx context.Context, actor dam.Actor, in string) (list []dam.Folder, err error) {
	if err := mayReadAssets(actor); err != nil {
		return nil, err
	}
	in = strings.Trim(in, "/")
	return list, a.store.View(ctx, func(tx *storage.Tx) error {
		list, err = tx.Folders(in, MaxFolders)
		return err
	})
}

// ScanRoot has the server scan a root soon.
func (a *App) ScanRoot(ctx context.Context, actor dam.Actor, id int64) (r *dam.Root, err error) {
	if err := mayManageRoots(actor); err != nil {
		return nil, err
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.WantScan(id); err != nil {
			return err
		}
		tx.OnCommit(a.places.soon)
		if r, err = tx.Root(id); err == nil {
			r.Counts, err = tx.RootCounts(id)
		}
		return err
	})
	return r, err
}

// forgetStep is how many assets of a forgotten root go to the trash in one
// transaction.
const forgetStep = 200

// CountInPlace returns how many assets have their bytes only in files in place.
func (a *App) CountInPlace(ctx context.Context) (n int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.CountInPlace()
		return err
	})
	return n, err
}

// OnlyInRoot returns how many assets outside the trash have their file only in a root:
// those that ForgetRoot moves to the trash.
func (a *App) OnlyInRoot(ctx context.Context, actor dam.Actor, id int64) (n int, err error) {
	if err := mayManageRoots(actor); err != nil {
		return 0, err
	}
	return n, a.store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.CountLiveOnlyIn(id)
		return err
	})
}

// ForgetRoot forgets a root. Its files do not change. Assets that have another location
// stay. If assets have their file only in the root, ForgetRoot returns a Conflict or, with
// trash, moves them to the trash.
func (a *App) ForgetRoot(ctx context.Context, actor dam.Actor, id int64, trash bool) error {
	if err := mayManageRoots(actor); err != nil {
		return err
	}
	for {
		left := 0
		err := a.store.Update(ctx, func(tx *storage.Tx) error {
			if _, err := tx.Root(id); err != nil {
				return err
			}
			gaids, err := tx.LiveOnlyIn(id, forgetStep)
			if err != nil {
				return err
			}
			if left = len(gaids); left == 0 {
				return a.places.forget(tx, id)
			}
			if !trash {
				n, err := tx.CountLiveOnlyIn(id)
				if err != nil {
					return err
				}
				return dam.Errorf(dam.Conflict, "Assets whose only file is in this root: %d. Move the folder's files to another root "+
					"and scan that root first, or set forget=true to move these assets to the trash.", n)
			}
			for _, gaid := range gaids {
				asset, err := tx.Asset(gaid)
				if err != nil {
					return err
				}
				now := tx.Now()
				asset.DeletedAt = &now
				if err := putAsset(tx, actor, asset, asset, dam.AssetDeleted, 0); err != nil {
					return err
				}
			}
			tx.OnCommit(a.index.changed)
			return nil
		})
		if err != nil || left == 0 {
			return err
		}
	}
}

// forget forgets a root that no asset outside the trash needs.
func (p *places) forget(tx *storage.Tx, id int64) error {
	assets, err := tx.AssetsOfRoot(id)
	if err != nil {
		return err
	}
	if err := tx.DeleteRoot(id); err != nil {
		return err
	}
	tx.OnCommit(p.soon)
	if err := p.relocate(tx, assets, false); err != nil {
		return err
	}
	tx.OnCommit(p.index.changed)
	return tx.Reappeared(assets)
}
