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

// markEvery is how often the mark beside the files is brought up to the records
// while assets change.
const markEvery = 10 * time.Minute

// marker keeps a mark beside the files that says which records they belong to,
// and how far these had come: whoever puts older records beside them is warned.
type marker struct {
	dir   string // of the files
	store *storage.Store
	blobs *blob.Store
	log   *slog.Logger
	force bool // replace a mark that cannot be read
}

// update brings the mark up to the records. The number that it gets is on the
// disk in them before the mark is written, so the mark is never ahead. Between
// two marks nothing is written for it.
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
	if err == nil && l.Change <= old.Change { // in a second step, so that the log can still be seen to follow on the database
		err = advance(old.Change)
	}
	if err != nil {
		return err
	}
	return m.blobs.WriteMark(blob.Mark{Library: l.ID, Change: l.Change})
}

// try updates the mark and logs an error: a mark that stays behind does no harm.
func (m *marker) try(ctx context.Context) {
	if err := m.update(ctx); err != nil && ctx.Err() == nil {
		m.log.ErrorContext(ctx, "mark the files", "err", err)
	}
}

// run keeps the mark up to date until ctx is done.
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
