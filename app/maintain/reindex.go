package maintain

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/storage"
)

// Reindex rebuilds the text index in this process, which holds the Lock.
func (m *Maintenance) Reindex(ctx context.Context, progress func(done, total int64)) error {
	return m.Index.Rebuild(ctx, progress)
}

// RequestReindex asks the process that runs the library to rebuild the text index,
// and returns a function that reports whether that is still pending.
func (m *Maintenance) RequestReindex(ctx context.Context) (pending func(context.Context) (bool, error), err error) {
	if err := m.Disks.Room(library.IndexDir)(0); err != nil {
		return nil, err
	}
	err = m.Store.Update(ctx, func(tx *storage.Tx) error {
		return m.Jobs.AddOnce(tx, dam.JobReindex, 0)
	})
	return func(ctx context.Context) (has bool, err error) {
		err = m.Store.View(ctx, func(tx *storage.Tx) error {
			has, err = tx.HasJob(dam.JobReindex, 0)
			return err
		})
		return has, err
	}, err
}

// Ready returns the reason why the library cannot serve requests, or nil.
func (m *Maintenance) Ready(ctx context.Context) error {
	err := m.Store.View(ctx, func(tx *storage.Tx) error {
		_, err := tx.LastChange()
		return err
	})
	if no := m.Disks.Check(); err == nil && no != nil {
		return no.Readiness()
	}
	return err
}
