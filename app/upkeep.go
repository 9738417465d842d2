package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/storage"
)

const (
	upkeepEvery = time.Minute
)

// Retention is how long a library keeps what nobody needs any longer.
type Retention struct {
	BatchIdle     time.Duration // idle time after which an open batch is closed
	UploadKeep    time.Duration // retention of an unfinished upload after its last byte
	FailedKeep    time.Duration // retention of a failed file for a retry
	AuditKeep     time.Duration // retention of the audit log
	AnalyticsKeep time.Duration // retention of usage analytics; 0 disables them
	QueryKeep     time.Duration // retention of search texts in analytics; 0 does not record them
	EventKeep     time.Duration // retention of events
	OperationKeep time.Duration // retention of finished operations
	VersionKeep   time.Duration // retention of a file after a new version has replaced it
	WebhookKeep   time.Duration // retention of the delivery history
}

// upkeep runs periodic maintenance: it deletes data beyond its retention, closes idle
// batches, emits events when usage periods begin and end, moves infected files to the
// quarantine, removes abandoned uploads, manages orphaned files, keeps the identity up to
// date, and makes backups.
type upkeep struct {
	cfg       Retention
	now       func() time.Time
	store     *storage.Store
	log       *slog.Logger
	originals *originals
	uploads   *resumables
	followups *followups
	lost      *lostFiles
	marker    *marker
	backups   *backups
	webhooks  *webhook.Runner
	analytics *Analytics
	first     []func(ctx context.Context, now time.Time) error // steps of exports and the audit log that run before records are deleted
	wake      chan struct{}
}

// newUpkeep returns u, ready to run.
func newUpkeep(u *upkeep) *upkeep {
	u.wake = make(chan struct{}, 1)
	return u
}

// soon makes maintenance run now.
func (u *upkeep) soon() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// run runs all maintenance until ctx is done.
func (u *upkeep) run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, work := range []func(context.Context){u.keepTidy, u.lost.run, u.marker.run, u.backups.run} {
		wg.Go(func() { work(ctx) })
	}
	wg.Wait()
}

// keepTidy cleans up periodically until ctx is done.
func (u *upkeep) keepTidy(ctx context.Context) {
	t := time.NewTicker(upkeepEvery)
	defer t.Stop()
	for {
		if err := u.tidy(ctx); err != nil && ctx.Err() == nil {
			u.log.ErrorContext(ctx, "upkeep", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-u.wake:
		}
	}
}

// Tidy runs the periodic cleanup once.
func (m *Maintenance) Tidy(ctx context.Context) error { return m.upkeep.tidy(ctx) }

func (u *upkeep) tidy(ctx context.Context) error {
	now := u.now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	err := u.quarantine(ctx)
	for _, step := range u.first {
		err = errors.Join(err, step(ctx, now))
	}
	for _, step := range []func(*storage.Tx) (int64, error){
		func(tx *storage.Tx) (int64, error) { return closeHandIns(tx, ago(handInIdle)) },
		func(tx *storage.Tx) (int64, error) {
			return u.uploads.forget(tx, ago(u.cfg.UploadKeep), ago(visitLife), ago(emptyUploadKeep))
		},
		func(tx *storage.Tx) (int64, error) { return closeIdle(tx, ago(u.cfg.BatchIdle)) },
		func(tx *storage.Tx) (int64, error) { return u.followups.tellUsage(tx, storage.Step) },
		func(tx *storage.Tx) (int64, error) { return u.forgetFailed(tx, ago(u.cfg.FailedKeep)) },
		func(tx *storage.Tx) (int64, error) { return forgetVersions(tx, u.originals, ago(u.cfg.VersionKeep)) },
		func(tx *storage.Tx) (int64, error) { return tx.TrimAudit(ago(u.cfg.AuditKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) { return tx.TrimShareEntries(ago(u.cfg.AuditKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) { return tx.TrimIdempotencyKeys(ago(idempotencyKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) {
			return tx.TrimOperations(ago(max(u.cfg.OperationKeep, idempotencyKeep)), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return u.webhooks.GiveUp(tx, ago(u.cfg.WebhookKeep), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) { return tx.TrimDeliveries(ago(u.cfg.WebhookKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) { return webhook.TrimEvents(tx, ago(u.cfg.EventKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) { return trimAnalytics(tx, u.cfg.AnalyticsKeep, u.cfg.QueryKeep) },
		func(tx *storage.Tx) (int64, error) { return tx.TrimHistory(ago(u.cfg.AuditKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) { return tx.TrimDrafts(ago(draftKeep), storage.Step) },
	} {
		err = errors.Join(err, u.store.Repeat(ctx, step))
	}
	err = errors.Join(err, u.uploads.sweep(ctx), u.analytics.sumDays(ctx))
	return errors.Join(err, u.originals.forgetDamaged(ctx, ago(damagedKeep)), u.store.Note(ctx, (*storage.Tx).DeleteExpiredSessions))
}

// forgetFailed drops the content of files that failed before a given time and were not
// retried.
func (u *upkeep) forgetFailed(tx *storage.Tx, before time.Time) (int64, error) {
	files, err := tx.StaleFailures(before, storage.Step)
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
		if err := u.originals.release(tx, f.SHA256); err != nil {
			return 0, err
		}
	}
	return int64(len(files)), nil
}

// quarantine moves the content of infected files out of the library. Content that an asset
// also uses stays: it was clean according to the signatures of its day, and may be the only
// copy; the log names the asset.
func (u *upkeep) quarantine(ctx context.Context) error {
	var files []*dam.BatchFile
	err := u.store.View(ctx, func(tx *storage.Tx) (err error) {
		files, err = tx.InfectedFiles(storage.Step)
		return err
	})
	for _, f := range files {
		err = errors.Join(err, u.quarantineFile(ctx, f))
	}
	return err
}

func (u *upkeep) quarantineFile(ctx context.Context, f *dam.BatchFile) error {
	var uses storage.BlobUses
	_, err := u.originals.blobs.Quarantine(ctx, f.SHA256, func(sha string) (bool, error) {
		err := u.store.View(ctx, func(tx *storage.Tx) (err error) {
			uses, err = tx.BlobUses(sha, f.ID)
			return err
		})
		return uses == storage.BlobUses{}, err
	})
	if err != nil {
		return err
	}
	if uses.Asset != "" {
		u.log.WarnContext(ctx, "an asset has the bytes of an infected file",
			"gaid", uses.Asset, "sha256", f.SHA256, "found", f.Error.Message)
	}
	return u.store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.ForgetFileBytes(f.ID); err != nil {
			return err
		}
		return u.originals.release(tx, f.SHA256)
	})
}
