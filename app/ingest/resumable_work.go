package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Resumables manages resumable uploads: only one request at a time works on an upload, and
// abandoned uploads are removed.
type Resumables struct {
	store *storage.Store
	blobs *blob.Store
	log   *slog.Logger

	mu   sync.Mutex
	busy map[string]*working // by upload ID
}

// NewResumables returns the resumable uploads of a library.
func NewResumables(store *storage.Store, blobs *blob.Store, log *slog.Logger) *Resumables {
	return &Resumables{store: store, blobs: blobs, log: log, busy: map[string]*working{}}
}

// working is a request that is working on an upload.
type working struct {
	stop func() // makes it end soon
	done chan struct{}
}

// take registers a request as working on an upload, unless another one is.
func (r *Resumables) take(id string, stop func()) (leave func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[id] != nil {
		return nil, false
	}
	w := &working{stop, make(chan struct{})}
	r.busy[id] = w
	return func() {
		r.mu.Lock()
		delete(r.busy, id)
		r.mu.Unlock()
		close(w.done)
	}, true
}

// replace registers a request as working on an upload after stopping the current one, which
// usually waits for bytes from a broken connection.
func (r *Resumables) replace(ctx context.Context, id string) (leave func(), err error) {
	for {
		leave, ok := r.take(id, func() {})
		if ok {
			return leave, nil
		}
		r.mu.Lock()
		w := r.busy[id]
		r.mu.Unlock()
		if w == nil {
			continue
		}
		w.stop()
		select {
		case <-w.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// using reports whether a request is working on an upload.
func (r *Resumables) using(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy[id] != nil
}

// Forget removes the uploads that StaleResumables finds, unless a request is sending bytes
// of them.
func (r *Resumables) Forget(tx *storage.Tx, since, guests, empty time.Time) (n int64, err error) {
	stale, err := tx.StaleResumables(since, guests, empty, storage.Step)
	if err != nil {
		return 0, err
	}
	for _, id := range stale {
		if r.using(id) {
			continue
		}
		if err := tx.DeleteResumable(id); err != nil {
			return 0, err
		}
		tx.OnCommit(func() { r.remove(id) })
		n++
	}
	return n, nil
}

// remove removes the received bytes of an upload. If that fails, the next sweep removes
// them.
func (r *Resumables) remove(id string) {
	if err := r.blobs.RemoveIncoming(id); err != nil {
		r.log.Warn("remove an upload", "id", id, "err", err)
	}
}

// Sweep removes the received bytes of finished or forgotten uploads, which a crash may have
// left behind.
func (r *Resumables) Sweep(ctx context.Context) error {
	after := ""
	for {
		names, err := r.blobs.Incomings(after, storage.Step)
		if err != nil || len(names) == 0 {
			return err
		}
		after = names[len(names)-1]
		known := map[string]bool{}
		if err := r.store.View(ctx, func(tx *storage.Tx) error {
			ids, err := tx.UnfinishedResumables(names)
			for _, id := range ids {
				known[id] = true
			}
			return err
		}); err != nil {
			return err
		}
		for _, name := range names {
			if !known[name] && !r.using(name) {
				err = errors.Join(err, r.blobs.RemoveIncoming(name))
			}
		}
		if err != nil {
			return err
		}
	}
}

// errBusy returns the error for a request to an upload that another one is working on.
func errBusy() error {
	return dam.Errorf(dam.Locked, "Another request is sending bytes of this upload.")
}
