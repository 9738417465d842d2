package maintain

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/idempotency"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/share"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/storage"
)

const (
	upkeepEvery = time.Minute
)

// Retention holds the retention periods of a library.
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

// Upkeep runs periodic maintenance: it deletes data beyond its retention, closes idle
// batches, emits events when usage periods begin and end, moves infected files to the
// quarantine, removes abandoned uploads, manages orphaned files, keeps the identity up to
// date, and makes backups.
type Upkeep struct {
	Retention Retention
	Now       func() time.Time
	Store     *storage.Store
	Log       *slog.Logger
	Originals *original.Files
	Uploads   *ingest.Resumables
	Followups *index.FollowUps
	Lost      *LostFiles
	Marker    *original.Marker
	Backups   *Backups
	Webhooks  *webhook.Runner
	Analytics *analytics.Analytics
	First     []func(ctx context.Context, now time.Time) error // steps of exports and the audit log that run before records are deleted
	wake      chan struct{}
}

// NewUpkeep returns u, ready to run.
func NewUpkeep(u *Upkeep) *Upkeep {
	u.wake = make(chan struct{}, 1)
	return u
}

// Soon makes maintenance run now.
func (u *Upkeep) Soon() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// Run runs all maintenance until ctx is done.
func (u *Upkeep) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, work := range []func(context.Context){u.keepTidy, u.Lost.run, u.Marker.Run, u.Backups.run} {
		wg.Go(func() { work(ctx) })
	}
	wg.Wait()
}

// keepTidy cleans up periodically until ctx is done.
func (u *Upkeep) keepTidy(ctx context.Context) {
	t := time.NewTicker(upkeepEvery)
	defer t.Stop()
	for {
		if err := u.tidy(ctx); err != nil && ctx.Err() == nil {
			u.Log.ErrorContext(ctx, "upkeep", "err", err)
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
func (m *Maintenance) Tidy(ctx context.Context) error { return m.Upkeep.tidy(ctx) }

func (u *Upkeep) tidy(ctx context.Context) error {
	now := u.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	err := u.quarantine(ctx)
	for _, step := range u.First {
		err = errors.Join(err, step(ctx, now))
	}
	for _, step := range []func(*storage.Tx) (int64, error){
		func(tx *storage.Tx) (int64, error) { return share.CloseHandIns(tx, ago(share.HandInIdle)) },
		func(tx *storage.Tx) (int64, error) {
			return u.Uploads.Forget(tx, ago(u.Retention.UploadKeep), ago(share.VisitLife), ago(share.EmptyUploadKeep))
		},
		func(tx *storage.Tx) (int64, error) { return ingest.CloseIdle(tx, ago(u.Retention.BatchIdle)) },
		func(tx *storage.Tx) (int64, error) { return u.Followups.TellUsage(tx, storage.Step) },
		func(tx *storage.Tx) (int64, error) { return u.forgetFailed(tx, ago(u.Retention.FailedKeep)) },
		func(tx *storage.Tx) (int64, error) {
			return asset.ForgetVersions(tx, u.Originals, ago(u.Retention.VersionKeep))
		},
		func(tx *storage.Tx) (int64, error) { return tx.TrimAudit(ago(u.Retention.AuditKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) {
			return tx.TrimShareEntries(ago(u.Retention.AuditKeep), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return tx.TrimIdempotencyKeys(ago(idempotency.IdempotencyKeep), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return tx.TrimOperations(ago(max(u.Retention.OperationKeep, idempotency.IdempotencyKeep)), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return u.Webhooks.GiveUp(tx, ago(u.Retention.WebhookKeep), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return tx.TrimDeliveries(ago(u.Retention.WebhookKeep), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return webhook.TrimEvents(tx, ago(u.Retention.EventKeep), storage.Step)
		},
		func(tx *storage.Tx) (int64, error) {
			return analytics.TrimAnalytics(tx, u.Retention.AnalyticsKeep, u.Retention.QueryKeep)
		},
		func(tx *storage.Tx) (int64, error) { return tx.TrimHistory(ago(u.Retention.AuditKeep), storage.Step) },
		func(tx *storage.Tx) (int64, error) { return tx.TrimDrafts(ago(bulk.DraftKeep), storage.Step) },
	} {
		err = errors.Join(err, u.Store.Repeat(ctx, step))
	}
	err = errors.Join(err, u.Uploads.Sweep(ctx), u.Analytics.SumDays(ctx))
	return errors.Join(err, u.Originals.ForgetDamaged(ctx, ago(original.DamagedKeep)), u.Store.Note(ctx, (*storage.Tx).DeleteExpiredSessions))
}

// forgetFailed drops the content of files that failed before a given time and were not
// retried.
func (u *Upkeep) forgetFailed(tx *storage.Tx, before time.Time) (int64, error) {
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
		if err := u.Originals.Release(tx, f.SHA256); err != nil {
			return 0, err
		}
	}
	return int64(len(files)), nil
}

// quarantine moves the content of infected files out of the library. Content that an asset
// also uses stays: it was clean according to the signatures of its day, and may be the only
// copy; the log names the asset.
func (u *Upkeep) quarantine(ctx context.Context) error {
	var files []*dam.BatchFile
	err := u.Store.View(ctx, func(tx *storage.Tx) (err error) {
		files, err = tx.InfectedFiles(storage.Step)
		return err
	})
	for _, f := range files {
		err = errors.Join(err, u.quarantineFile(ctx, f))
	}
	return err
}

func (u *Upkeep) quarantineFile(ctx context.Context, f *dam.BatchFile) error {
	var uses storage.BlobUses
	_, err := u.Originals.Blobs.Quarantine(ctx, f.SHA256, func(sha string) (bool, error) {
		err := u.Store.View(ctx, func(tx *storage.Tx) (err error) {
			uses, err = tx.BlobUses(sha, f.ID)
			return err
		})
		return uses == storage.BlobUses{}, err
	})
	if err != nil {
		return err
	}
	if uses.Asset != "" {
		u.Log.WarnContext(ctx, "an asset has the bytes of an infected file",
			"gaid", uses.Asset, "sha256", f.SHA256, "found", f.Error.Message)
	}
	return u.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.ForgetFileBytes(f.ID); err != nil {
			return err
		}
		return u.Originals.Release(tx, f.SHA256)
	})
}
