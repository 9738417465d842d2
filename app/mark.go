package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// markEvery is the interval at which the identity beside the files is updated while
// assets change.
const markEvery = 10 * time.Minute

// marker maintains the identity beside the files. It identifies the database that
// the files belong to and its progress, so that combining the files with an older
// database is detected.
type marker struct {
	dir   string // folder of the files
	store *storage.Store
	blobs *blob.Store
	log   *slog.Logger
	force bool // replace an unreadable identity
}

// update brings the identity up to date with the database. Its number is on disk in
// the database before the identity is written, so the identity is never ahead.
// Nothing is written between updates.
func (m *marker) update(ctx context.Context) error {
	old, err := blob.ReadMark(m.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !m.force {
		return err
	}
	var l storage.Library
	advance := func(beyond int64) error {
		return m.store.Update(ctx, func(tx *storage.Tx) (err error) {
			l, err = tx.AdvanceLibrary(beyond)
			return err
		})
	}
	err = advance(0)
	if err == nil && l.Change <= old.Change { // in a second step, so that the log can still be recognized as following the database
		err = advance(old.Change)
	}
	if err != nil {
		return err
	}
	return m.blobs.WriteMark(blob.Mark{Library: l.ID, Change: l.Change})
}

// try updates the identity and logs an error: an outdated identity is harmless.
func (m *marker) try(ctx context.Context) {
	if err := m.update(ctx); err != nil && ctx.Err() == nil {
		m.log.ErrorContext(ctx, "mark the files", "err", err)
	}
}

// run keeps the identity up to date until ctx is done.
func (m *marker) run(ctx context.Context) {
	t := time.NewTicker(markEvery)
	defer t.Stop()
	var marked int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		var last int64
		err := m.store.View(ctx, func(tx *storage.Tx) (err error) {
			last, err = tx.LastChange()
			return err
		})
		if err == nil && last != marked {
			m.try(ctx)
			marked = last
		}
	}
}
