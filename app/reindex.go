package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Reindex rebuilds the text index in this process, which holds the Lock.
func (a *App) Reindex(ctx context.Context, progress func(done, total int64)) error {
	return a.index.Rebuild(ctx, progress)
}

// RequestReindex asks the process that runs the library to rebuild the text index,
// and returns a function that reports whether that is still pending.
func (a *App) RequestReindex(ctx context.Context) (pending func(context.Context) (bool, error), err error) {
	if err := a.disks.room(indexDir)(0); err != nil {
		return nil, err
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		return a.jobs.addOnce(tx, dam.JobReindex, 0)
	})
	return func(ctx context.Context) (has bool, err error) {
		err = a.store.View(ctx, func(tx *storage.Tx) error {
			has, err = tx.HasJob(dam.JobReindex, 0)
			return err
		})
		return has, err
	}, err
}

// Ready returns the reason why the library cannot serve requests, or nil.
func (a *App) Ready(ctx context.Context) error {
	err := a.store.View(ctx, func(tx *storage.Tx) error {
		_, err := tx.LastChange()
		return err
	})
	if no := a.disks.check(); err == nil && no != nil {
		return no.readiness()
	}
	return err
}
