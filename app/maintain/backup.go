package maintain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	backupWorkers     = 8 // files copied concurrently; most of the time is spent waiting for the target's disk
	backgroundCopiers = 2 // the same, for backups by the server
	backupRetry       = 15 * time.Minute
	recordsPause      = 50 * time.Millisecond // pause for searches between pieces of the database
)

// Backups makes snapshots of the library in folders outside it, on request and on
// the configured schedule.
type Backups struct {
	Store   *storage.Store
	Blobs   *blob.Store
	Log     *slog.Logger
	Now     func() time.Time
	DataDir string
	Version string // of dal

	// The schedule of run.
	Target  string // folder; "" disables scheduled backups
	Every   time.Duration
	Keep    int
	GiveWay func(ctx context.Context, pause time.Duration) // yields to searches
}

// BackupOptions are the options of a backup.
type BackupOptions struct {
	Verify   bool // read existing files in the target again
	New      bool // start over if the target had backups before and has none now
	Keep     int  // number of snapshots to keep; 0 keeps all
	Problem  func(string)
	Progress func(done, total int64)

	scheduled bool // record it even if the target is refused
}

// Backup makes a snapshot of the library in the folder target. Damaged or missing
// files are reported and counted, but do not prevent the backup. The result is
// recorded.
func (m *Maintenance) Backup(ctx context.Context, target string, opt BackupOptions) (backup.Result, backup.Pruned, error) {
	return m.Upkeep.Backups.write(ctx, target, opt, backup.Options{Workers: backupWorkers})
}

func (b *Backups) write(
	ctx context.Context, target string, opt BackupOptions, how backup.Options,
) (r backup.Result, p backup.Pruned, err error) {
	if target, err = filepath.Abs(target); err != nil {
		return r, p, err
	}
	started := b.Now()
	how.Verify, how.Problem, how.Progress, how.Now = opt.Verify, opt.Problem, opt.Progress, started
	t, err := b.open(ctx, target, opt.New)
	if err == nil {
		defer func() { err = errors.Join(err, t.Close()) }()
		from := backup.Source{
			Library: backup.Library{ID: t.Library(), Dir: b.DataDir}, Records: b.Store, Blobs: b.Blobs, Version: b.Version,
		}
		r, err = t.Write(ctx, from, how)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%s: no backup was made, those before it are as they were: %w", target, err)
		}
	}
	if ctx.Err() != nil {
		return r, p, ctx.Err()
	}
	if t == nil && !opt.scheduled {
		return r, p, err // a mistake in the command is not worth recording
	}
	if err = errors.Join(err, b.note(ctx, target, started, opt.Verify, r, err)); err != nil || opt.Keep == 0 {
		return r, p, err
	}
	if p, err = t.Prune(ctx, opt.Keep); err != nil {
		err = fmt.Errorf("%s: the backup was made, but old ones were not removed: %w", target, err)
	}
	return r, p, err
}

// open opens the target for this library.
func (b *Backups) open(ctx context.Context, target string, anew bool) (*backup.Target, error) {
	lib := backup.Library{Dir: b.DataDir}
	var before bool
	err := b.Store.View(ctx, func(tx *storage.Tx) (err error) {
		of, err := tx.Library()
		if err != nil {
			return err
		}
		lib.ID = of.ID
		before, err = tx.BackedUpTo(target)
		return err
	})
	if err != nil {
		return nil, err
	}
	return backup.Create(target, lib, before && !anew, b.Now())
}

// note records the result of a backup.
func (b *Backups) note(
	ctx context.Context, target string, started time.Time, verified bool, r backup.Result, failure error,
) error {
	made := &dam.Backup{
		Target: target, Started: started, Ended: b.Now(), Files: r.Files, Bytes: r.Bytes,
		NewFiles: r.NewFiles, NewBytes: r.NewBytes, Problems: r.Problems, Verified: verified,
	}
	if failure != nil {
		made.Error = failure.Error()
	} else {
		made.Snapshot = r.Snapshot
	}
	return b.Store.Update(ctx, func(tx *storage.Tx) error { return tx.InsertBackup(made) })
}

// LastBackup returns the latest backup and the latest that made a snapshot; each is
// nil if none exists.
func (m *Maintenance) LastBackup(ctx context.Context) (last, made *dam.Backup, err error) {
	return lastBackup(ctx, m.Store)
}

func lastBackup(ctx context.Context, store *storage.Store) (last, made *dam.Backup, err error) {
	err = store.View(ctx, func(tx *storage.Tx) error {
		for _, b := range []struct {
			to   **dam.Backup
			made bool
		}{{&last, false}, {&made, true}} {
			if *b.to, err = tx.LastBackup(b.made); err != nil && dam.KindOf(err) != dam.NotFound {
				return err
			}
		}
		return nil
	})
	return last, made, err
}

// run makes backups on the configured schedule until ctx is done.
func (b *Backups) run(ctx context.Context) {
	if err := b.Blobs.SweepPins(ctx); err != nil && ctx.Err() == nil {
		b.Log.ErrorContext(ctx, "remove what a backup that was killed kept", "err", err)
	}
	if b.Target == "" {
		return
	}
	for {
		wait, err := b.due(ctx)
		if err == nil && wait <= 0 {
			wait = b.Every
			err = b.writeDue(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(backupRetry, b.Every)
			b.Log.ErrorContext(ctx, "no backup was made", "target", b.Target, "err", err, "next_try_in", wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// due returns the time until the next backup. It depends only on the snapshots in
// the target, including those made by other processes, and is unaffected by
// restores.
func (b *Backups) due(ctx context.Context) (time.Duration, error) {
	t, err := backup.Open(b.Target)
	if err != nil {
		return 0, nil // the backup itself will report the error
	}
	list, err := t.Snapshots()
	if err = errors.Join(err, t.Close()); err != nil {
		return 0, err
	}
	for _, s := range list {
		if since := b.Now().Sub(s.Time); s.Err == nil && since >= 0 {
			return b.Every - since, nil
		}
	}
	return 0, nil
}

// writeDue makes a scheduled backup, yielding to other work.
func (b *Backups) writeDue(ctx context.Context) error {
	problem := func(p string) { b.Log.ErrorContext(ctx, "a file is damaged or missing", "found", p) }
	pause := func(ctx context.Context) { b.GiveWay(ctx, recordsPause) }
	r, p, err := b.write(ctx, b.Target, BackupOptions{scheduled: true, Keep: b.Keep, Problem: problem},
		backup.Options{Workers: backgroundCopiers, Pause: pause})
	if err == nil {
		b.Log.InfoContext(ctx, "a backup was made", "target", b.Target, "snapshot", r.Snapshot, "files", r.Files, "new_files", r.NewFiles,
			"new_bytes", r.NewBytes, "complete", r.Complete, "old_snapshots_removed", p.Snapshots)
	}
	return err
}
