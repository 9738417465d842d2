package external

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

// Files in an external library are indexed in place, below a root folder that a user has
// registered. dal only reads them and never writes, moves or deletes one. Their content is
// recorded as a blob without a file; originals opens the file in the external library
// instead.

// Libraries keeps the assets of external libraries up to date.
type Libraries struct {
	Store     *storage.Store
	Originals *original.Files
	Ingest    *ingest.Ingester
	Media     *media.Processor
	Index     *index.Index
	Jobs      *job.Queue
	Followups *index.FollowUps
	Log       *slog.Logger

	DataDir     string
	MaxFile     int64 // bytes
	MaxFiles    int   // per batch
	Now         func() time.Time
	Follow      bool          // whether run watches the libraries
	Every       time.Duration // interval of scans even if no changes are reported
	CreateBatch func(context.Context, dam.Actor, *dam.Batch) error
	EndBatch    func(context.Context, dam.Actor, int64) (*dam.Batch, error)

	wake     chan struct{} // holds one element if a scan may be due
	settling settling

	mu      sync.Mutex
	watched map[int64]string // by root: why changes are not reported, "" if they are; only in a running server
	doubted map[int64]bool   // roots with files that were missing when needed
}

// New returns p, ready to run.
func New(p *Libraries) *Libraries {
	p.wake, p.watched, p.doubted = make(chan struct{}, 1), map[int64]string{}, map[int64]bool{}
	p.settling.files = map[settlingFile]*settlingState{}
	return p
}

// placesLock is a file in the data folder that is locked while scanning.
const placesLock = "places.lock"

// lock waits until nobody else is scanning.
func (p *Libraries) lock(ctx context.Context) (unlock func() error, err error) {
	l := flock.New(filepath.Join(p.DataDir, placesLock))
	ok, err := l.TryLockContext(ctx, 100*time.Millisecond)
	if err != nil || !ok {
		return nil, errors.Join(ctx.Err(), err)
	}
	return l.Unlock, nil
}

// tryLock is lock, but instead of waiting reports whether the lock was acquired.
func (p *Libraries) tryLock() (unlock func() error, ok bool, err error) {
	l := flock.New(filepath.Join(p.DataDir, placesLock))
	ok, err = l.TryLock()
	return l.Unlock, ok, err
}

// soon makes the running server check the external libraries.
func (p *Libraries) soon() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Suspect makes the running server scan an external library that has changed without
// notification.
func (p *Libraries) Suspect(root int64) {
	p.mu.Lock()
	p.doubted[root] = true
	p.mu.Unlock()
	p.soon()
}

// doubts returns the roots passed to suspect since the last call.
func (p *Libraries) doubts() map[int64]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	doubted := p.doubted
	p.doubted = map[int64]bool{}
	return doubted
}

// Unreadable records that an existing file cannot be read, unless the file is not the
// cause.
func (p *Libraries) Unreadable(ctx context.Context, f *dam.RootFile, err error) {
	why := original.UnreadableText(err)
	if why == "" || ctx.Err() != nil || f.Unreadable && f.Problem == why {
		return
	}
	err = p.Store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error { return p.putUnreadable(tx, f, why) })
	if err != nil {
		p.Log.ErrorContext(ctx, "note that a file in place cannot be read", "path", f.Path(), "err", err)
	}
}

// putUnreadable writes that a file cannot be read.
func (p *Libraries) putUnreadable(tx *storage.Tx, f *dam.RootFile, why string) error {
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
	tx.OnCommit(p.Index.Changed)
	return tx.Reappeared([]int64{now.AssetID})
}
