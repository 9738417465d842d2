package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// Files in an external library are indexed in place, below a root folder that a user has
// registered. dal only reads them and never writes, moves or deletes one. Their content is
// recorded as a blob without a file; originals opens the file in the external library
// instead.

// places keeps the assets of external libraries up to date.
type places struct {
	store     *storage.Store
	originals *originals
	ingest    *ingest
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

// newPlaces returns p, ready to run.
func newPlaces(p *places) *places {
	p.wake, p.watched, p.doubted = make(chan struct{}, 1), map[int64]string{}, map[int64]bool{}
	p.settling.files = map[settlingFile]*settlingState{}
	return p
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
