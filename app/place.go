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

// Files in an external library are indexed in place, below a root folder that a user has
// registered. dal only reads them and never writes, moves or deletes one. Their content is
// recorded as a blob without a file; originals opens the file in the external library
// instead.

// places keeps the assets of external libraries up to date.
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
	maxFiles    int   // per batch
	now         func() time.Time
	follow      bool          // whether run watches the libraries
	every       time.Duration // interval of scans even if no changes are reported
	createBatch func(context.Context, dam.Actor, *dam.Batch) error
	endBatch    func(context.Context, dam.Actor, int64) (*dam.Batch, error)

	wake     chan struct{} // holds one element if a scan may be due
	settling settling

	mu      sync.Mutex
	watched map[int64]string // by root: why changes are not reported, "" if they are; only in a running server
	doubted map[int64]bool   // roots with files that were missing when needed
}

// placesLock is a file in the data folder that is locked while scanning.
const placesLock = "places.lock"

// lock waits until nobody else is scanning.
func (p *places) lock(ctx context.Context) (unlock func() error, err error) {
	l := flock.New(filepath.Join(p.dataDir, placesLock))
	ok, err := l.TryLockContext(ctx, 100*time.Millisecond)
	if err != nil || !ok {
		return nil, errors.Join(ctx.Err(), err)
	}
	return l.Unlock, nil
}

// tryLock is lock, but instead of waiting reports whether the lock was acquired.
func (p *places) tryLock() (unlock func() error, ok bool, err error) {
	l := flock.New(filepath.Join(p.dataDir, placesLock))
	ok, err = l.TryLock()
	return l.Unlock, ok, err
}

// soon makes the running server check the external libraries.
func (p *places) soon() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// suspect makes the running server scan an external library that has changed without
// notification.
func (p *places) suspect(root int64) {
	p.mu.Lock()
	p.doubted[root] = true
	p.mu.Unlock()
	p.soon()
}

// doubts returns the roots passed to suspect since the last call.
func (p *places) doubts() map[int64]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	doubted := p.doubted
	p.doubted = map[int64]bool{}
	return doubted
}

// unavailableError is the cause of errors about files in external libraries that cannot be
// read now.
type unavailableError struct {
	place string
	err   error
}

func (e *unavailableError) Error() string { return fmt.Sprintf("%s: %v", e.place, e.err) }
func (e *unavailableError) Unwrap() error { return e.err }

// isUnavailable reports whether an error means that a file in an external library cannot be
// read now.
func isUnavailable(err error) bool {
	_, ok := errors.AsType[*unavailableError](err)
	return ok
}

var (
	errOffline = errors.New("its folder is not there")
	errChanged = errors.New("it is not as it was read")
	errNoFile  = errors.New("there is no such file")
)

// place is a file in an external library that should have certain content.
type place struct {
	*dam.RootFile
	root *dam.Root
}

func (p place) path() string { return filepath.Join(p.root.Path, filepath.FromSlash(p.Path())) }

// placesOf returns the locations of content that the library has only in external
// libraries, and whether that is the case.
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

// openPlaced opens content that the library has only in external libraries, and reports
// whether that is the case. A file that has changed since it was read is not opened.
func (o *originals) openPlaced(ctx context.Context, sha string) (f *os.File, placed bool, err error) {
	list, placed, err := o.placesOf(ctx, sha)
	if err != nil || !placed {
		return nil, placed, err
	}
	msg, away := "The file is in place, and is not there at present.", error(&unavailableError{sha, errNoFile})
	for _, p := range list {
		f, touched, err := p.open(ctx)
		if touched { // the next scan records its stamp
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

// maxProven is the maximum number of bytes read to prove that a file is unchanged if its
// size and mtime are the same but its stamp differs.
const maxProven = 256 << 20

// open opens the file if it is unchanged. If only its stamp differs, it counts as touched,
// and its content decides.
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

// prove returns errChanged unless an open file has the expected content.
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

// unreadable records that an existing file cannot be read, unless the file is not the
// cause.
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

// unreadableText describes why an existing file cannot be read, "" if the file is not the
// cause.
func unreadableText(err error) string {
	for _, other := range []error{errOffline, errChanged, errNoFile, context.Canceled, context.DeadlineExceeded, fs.ErrNotExist,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR} {
		if errors.Is(err, other) {
			return ""
		}
	}
	return fmt.Sprintf("The file cannot be read: %v.", cause(err))
}

// openRegularIn opens a regular file below a root. It follows no link out of the root, and
// none in place of the file itself.
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

// Roots lists the external libraries with their file counts.
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

// Root returns an external library with its file counts.
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

// MaxFolders is the maximum number of folders that Folders returns.
const MaxFolders = 5000

// Folders lists the direct subfolders of a folder in an external library, or the root
// folders for "", with the number of assets in and below each. It includes only folders
// with assets outside the trash.
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

// ScanRoot makes the server scan an external library soon.
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

// forgetStep is the number of assets of a forgotten external library moved to the trash per
// transaction.
const forgetStep = 200

// CountInPlace returns the number of assets whose content exists only in external
// libraries.
func (a *App) CountInPlace(ctx context.Context) (n int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.CountInPlace()
		return err
	})
	return n, err
}

// OnlyInRoot returns the number of assets outside the trash whose file exists only in one
// external library. ForgetRoot moves these to the trash.
func (a *App) OnlyInRoot(ctx context.Context, actor dam.Actor, id int64) (n int, err error) {
	if err := mayManageRoots(actor); err != nil {
		return 0, err
	}
	return n, a.store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.CountLiveOnlyIn(id)
		return err
	})
}

// ForgetRoot forgets an external library. Its files do not change. Assets that have another
// location stay. If assets have their file only in this library, ForgetRoot returns a
// Conflict or, with trash, moves them to the trash.
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

// forget forgets an external library that no asset outside the trash needs.
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
