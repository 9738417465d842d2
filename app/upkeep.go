package app

import (
	"context"
	"errors"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	upkeepEvery = time.Minute
	upkeepStep  = 500 // rows changed in one transaction, so that others get their turn

	// draftKeep is after which time an operation whose items are not all there
	// is one that a crash has left. It takes seconds.
	draftKeep = time.Hour
)

// upkeepSoon has upkeep look now.
func (a *App) upkeepSoon() {
	select {
	case a.upkeepWake <- struct{}{}:
	default:
	}
}

// upkeep does what time brings, until ctx is done.
func (a *App) upkeep(ctx context.Context) {
	t := time.NewTicker(upkeepEvery)
	defer t.Stop()
	for {
		if err := a.Tidy(ctx); err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "upkeep", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-a.upkeepWake:
		}
	}
}

// Tidy closes idle batches, moves infected files to the quarantine, and
// forgets what is older than it is kept.
func (a *App) Tidy(ctx context.Context) error {
	now := a.cfg.Now()
	a.Trail.WriteSums()
	return errors.Join(
		a.quarantine(ctx),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return closeIdle(tx, now.Add(-a.cfg.BatchIdle)) }),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return a.forgetFailed(tx, now.Add(-a.cfg.FailedKeep)) }),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return tx.TrimAudit(now.Add(-a.cfg.AuditKeep), upkeepStep) }),
		a.Exports.expire(ctx, now),
		a.forgetDamaged(ctx, now.Add(-damagedKeep)),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) {
			return tx.TrimIdempotencyKeys(now.Add(-idempotencyKeep), upkeepStep)
		}),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) {
			return tx.TrimOperations(now.Add(-max(a.cfg.OperationKeep, idempotencyKeep)), upkeepStep)
		}),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return a.giveUpDeliveries(tx, now) }),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return tx.TrimDeliveries(now.Add(-a.cfg.WebhookKeep), upkeepStep) }),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return trimEvents(tx, now.Add(-a.cfg.EventKeep)) }),
		a.repeat(ctx, func(tx *storage.Tx) (int64, error) { return tx.TrimDrafts(now.Add(-draftKeep), upkeepStep) }),
		a.store.Note(ctx, (*storage.Tx).DeleteExpiredSessions),
	)
}

// repeat runs fn in transactions until it has changed less than a step.
func (a *App) repeat(ctx context.Context, fn func(*storage.Tx) (int64, error)) error {
	for {
		var n int64
		err := a.store.Update(ctx, func(tx *storage.Tx) (err error) {
			n, err = fn(tx)
			return err
		})
		if err != nil || n < upkeepStep {
			return err
		}
	}
}

// closeIdle closes batches that got no file since a time. One that never got
// any is cancelled.
func closeIdle(tx *storage.Tx, since time.Time) (int64, error) {
	idle, err := tx.IdleBatches(since, upkeepStep)
	if err != nil {
		return 0, err
	}
	for _, id := range idle {
		b, err := tx.Batch(id)
		if err != nil {
			return 0, err
		}
		if b.Counts.Total == 0 {
			err = end(tx, id, dam.BatchCancelled)
		} else if err = tx.CloseBatch(id); err == nil {
			err = settle(tx, id)
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(len(idle)), nil
}

// forgetFailed gives up the bytes of files that failed before a time and were
// not tried again.
func (a *App) forgetFailed(tx *storage.Tx, before time.Time) (int64, error) {
	files, err := tx.StaleFailures(before, upkeepStep)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		if err := tx.ForgetFileBytes(f.ID); err != nil {
			return 0, err
		}
		if err := tx.DropJobs(dam.JobIngest, f.ID); err != nil {
			return 0, err
		}
		if err := a.release(tx, f.SHA256); err != nil {
			return 0, err
		}
	}
	return int64(len(files)), nil
}

// quarantine moves the bytes of infected files out of the library. Bytes that
// an asset has, too, stay: they were clean by the signatures of their day, and
// may be all there is of it; the log names the asset.
func (a *App) quarantine(ctx context.Context) error {
	var files []*dam.BatchFile
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		files, err = tx.InfectedFiles(upkeepStep)
		return err
	})
	for _, f := range files {
		err = errors.Join(err, a.quarantineFile(ctx, f))
	}
	return err
}

func (a *App) quarantineFile(ctx context.Context, f *dam.BatchFile) error {
	var uses storage.BlobUses
	_, err := a.blobs.Quarantine(ctx, f.SHA256, func(sha string) (bool, error) {
		err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
			uses, err = tx.BlobUses(sha, f.ID)
			return err
		})
		return uses == storage.BlobUses{}, err
	})
	if err != nil {
		return err
	}
	if uses.Asset != "" {
		a.log.WarnContext(ctx, "an asset has the bytes of an infected file", "gaid", uses.Asset, "sha256", f.SHA256, "found", f.Error.Message)
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.ForgetFileBytes(f.ID); err != nil {
			return err
		}
		return a.release(tx, f.SHA256)
	})
}
