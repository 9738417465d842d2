package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// followEvery is the interval at which the server checks whether a scan is due.
	followEvery = time.Second
	// followAfter is the delay of a scan after the last change.
	followAfter = 2 * time.Second
	// offlineEvery is the interval at which an offline library is checked.
	offlineEvery = 5 * time.Second
	// restFactor is the ratio of the pause before a scan for changes to the duration of
	// the last scan, so that scans take a small part of the time.
	restFactor = 4
)

// followed is the state of an external library in a running server.
type followed struct {
	path    string
	scanned bool      // since the server started
	changed time.Time // last reported change not covered by a scan; zero for none
	settles time.Time // when files skipped by the last scan may have settled; zero for none
	tried   time.Time // last attempt to scan
	took    time.Duration
	blind   string // why not all changes are reported; "" if they are
}

// follower keeps the external libraries of a running server up to date.
type follower struct {
	p       *Libraries
	watcher *fsnotify.Watcher // nil if the system has none
	roots   map[int64]*followed
}

// Run watches the external libraries until ctx is done.
func (p *Libraries) Run(ctx context.Context) {
	if !p.Follow {
		return
	}
	f := &follower{p: p, roots: map[int64]*followed{}}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		p.Log.WarnContext(ctx, "the system does not tell of changes of files in place: they are found by scans only", "err", err)
	} else {
		f.watcher = w
		defer w.Close()
	}
	f.loop(ctx)
}

func (f *follower) loop(ctx context.Context) {
	var events chan fsnotify.Event
	var errs chan error
	if f.watcher != nil {
		events, errs = f.watcher.Events, f.watcher.Errors
	}
	t := time.NewTicker(followEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !e.Has(fsnotify.Chmod) || e.Op != fsnotify.Chmod {
				f.note(e.Name)
			}
			continue
		case err := <-errs: // events may be missing
			f.p.Log.WarnContext(ctx, "changes of files in place", "err", err)
			f.note("")
			continue
		case <-f.p.wake:
		case <-t.C:
		}
		if err := f.turn(ctx, events); err != nil && ctx.Err() == nil {
			f.p.Log.ErrorContext(ctx, "follow files in place", "err", err)
		}
	}
}

// note records a change at a path, or anywhere if it is "".
func (f *follower) note(path string) {
	if name := filepath.Base(path); path != "" && (ingest.LeftOut(name) || ingest.IsPartial(name) && !ingest.Controls(name)) {
		return
	}
	for _, r := range f.roots {
		if path == "" || path == r.path || strings.HasPrefix(path, r.path+string(filepath.Separator)) {
			r.changed = time.Now()
		}
	}
}

// turn scans the libraries that are due.
func (f *follower) turn(ctx context.Context, events <-chan fsnotify.Event) error {
	var roots []*dam.Root
	err := f.p.Store.View(ctx, func(tx *storage.Tx) (err error) {
		roots, err = tx.Roots()
		return err
	})
	if err != nil {
		return err
	}
	known, doubted := map[int64]bool{}, f.p.doubts()
	for _, r := range roots {
		known[r.ID] = true
		if f.roots[r.ID] == nil {
			f.roots[r.ID] = &followed{path: r.Path}
		}
		if is := f.roots[r.ID]; doubted[r.ID] && is.changed.IsZero() {
			is.changed = time.Now()
		}
		if f.due(r) {
			err = errors.Join(err, f.scan(ctx, r))
		}
		for more := true; more && len(events) > 0; { // the scan has covered these events
			select {
			case e := <-events:
				f.note(e.Name)
			default:
				more = false
			}
		}
	}
	for id, r := range f.roots {
		if !known[id] {
			f.unwatch(r)
			delete(f.roots, id)
		}
	}
	return err
}

// due reports whether a library must be scanned now.
func (f *follower) due(r *dam.Root) bool {
	is, now := f.roots[r.ID], time.Now()
	switch {
	case r.ScanWanted || !is.scanned && is.tried.IsZero():
		return true
	case r.State == dam.RootOffline || !is.scanned:
		return now.Sub(is.tried) >= offlineEvery
	case !is.settles.IsZero() && now.After(is.settles):
		return now.Sub(is.tried) >= restFactor*is.took
	case !is.changed.IsZero():
		return now.Sub(is.changed) >= followAfter && now.Sub(is.tried) >= restFactor*is.took
	}
	return r.LastScanAt == nil || f.p.Now().Sub(*r.LastScanAt) >= f.p.Every
}

// scan scans a library, unless another process is scanning.
func (f *follower) scan(ctx context.Context, r *dam.Root) error {
	is := f.roots[r.ID]
	unlock, ok, err := f.p.tryLock()
	if err != nil || !ok {
		return err
	}
	defer unlock()
	is.tried, is.blind = time.Now(), ""
	changed := is.changed
	sum, err := f.p.scanRoot(ctx, r.ID, scanOptions{folder: func(path string) { f.watch(is, path) }})
	is.took = time.Since(is.tried)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("scan the root %s: %w", r.Name, err)
	}
	if err != nil {
		return nil
	}
	is.scanned = true
	is.settles = time.Time{}
	if sum.Unsettled > 0 {
		is.settles = time.Now().Add(sum.Settle)
	}
	if is.changed.Equal(changed) {
		is.changed = time.Time{}
	}
	f.p.tell(r.ID, is.blindness(f.watcher != nil))
	return f.p.Store.Update(ctx, func(tx *storage.Tx) error {
		return tx.SetWatched(r.ID, f.watcher != nil && is.blind == "")
	})
}

// blindness returns why the system does not report all changes, "" if it does.
func (is *followed) blindness(watching bool) string {
	if !watching {
		return "the system does not tell of changes"
	}
	return is.blind
}

// watch subscribes to changes in a folder.
func (f *follower) watch(is *followed, path string) {
	if f.watcher == nil || is.blind != "" {
		return
	}
	err := f.watcher.Add(path)
	switch {
	case err == nil || errors.Is(err, os.ErrNotExist):
	case errors.Is(err, syscall.ENOSPC):
		is.blind = "the system watches no more folders (fs.inotify.max_user_watches)"
	default:
		is.blind = original.Cause(err).Error()
	}
}

// unwatch unsubscribes from changes in a library.
func (f *follower) unwatch(is *followed) {
	if f.watcher == nil {
		return
	}
	for _, path := range f.watcher.WatchList() {
		if path == is.path || strings.HasPrefix(path, is.path+string(filepath.Separator)) {
			f.watcher.Remove(path)
		}
	}
}

// tell records for the status why the system does not report changes in a library.
func (p *Libraries) tell(root int64, blind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watched[root] = blind
}

// Blind returns why the system does not report all changes, by root.
func (p *Libraries) Blind() map[int64]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := map[int64]string{}
	for id, why := range p.watched {
		if why != "" {
			list[id] = why
		}
	}
	return list
}
