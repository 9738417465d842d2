package original

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

// Marker maintains the identity beside the files. It identifies the database that
// the files belong to and its progress, so that combining the files with an older
// database is detected.
type Marker struct {
	Dir   string // folder of the files
	Store *storage.Store
	Blobs *blob.Store
	Log   *slog.Logger
	Force bool // replace an unreadable identity
}

// Update brings the identity up to date with the database. Its number is on disk in
// the database before the identity is written, so the identity is never ahead.
// Nothing is written between updates.
func (m *Marker) Update(ctx context.Context) error {
	old, err := blob.ReadMark(m.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !m.Force {
		return err
	}
	var l storage.Library
	advance := func(beyond int64) error {
		return m.Store.Update(ctx, func(tx *storage.Tx) (err error) {
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
	return m.Blobs.WriteMark(blob.Mark{Library: l.ID, Change: l.Change})
}

// Try updates the identity and logs an error: an outdated identity is harmless.
func (m *Marker) Try(ctx context.Context) {
	if err := m.Update(ctx); err != nil && ctx.Err() == nil {
		m.Log.ErrorContext(ctx, "mark the files", "err", err)
	}
}

// Run keeps the identity up to date until ctx is done.
func (m *Marker) Run(ctx context.Context) {
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
		err := m.Store.View(ctx, func(tx *storage.Tx) (err error) {
			last, err = tx.LastChange()
			return err
		})
		if err == nil && last != marked {
			m.Try(ctx)
			marked = last
		}
	}
}
