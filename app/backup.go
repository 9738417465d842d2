package app

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

// backups makes snapshots of the library in folders outside it, on request and on
// the configured schedule.
type backups struct {
	store   *storage.Store
	blobs   *blob.Store
	log     *slog.Logger
	now     func() time.Time
	dataDir string
	version string // of dal

	// The schedule of run.
	target  string // folder; "" disables scheduled backups
	every   time.Duration
	keep    int
	giveWay func(ctx context.Context, pause time.Duration) // yields to searches
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
	return m.upkeep.backups.write(ctx, target, opt, backup.Options{Workers: backupWorkers})
}

func (b *backups) write(
	ctx context.Context, target string, opt BackupOptions, how backup.Options,
) (r backup.Result, p backup.Pruned, err error) {
	if target, err = filepath.Abs(target); err != nil {
		return r, p, err
	}
	started := b.now()
	how.Verify, how.Problem, how.Progress, how.Now = opt.Verify, opt.Problem, opt.Progress, started
	t, err := b.open(ctx, target, opt.New)
	if err == nil {
		defer func() { err = errors.Join(err, t.Close()) }()
		from := backup.Source{
			Library: backup.Library{ID: t.Library(), Dir: b.dataDir}, Records: b.store, Blobs: b.blobs, Version: b.version,
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
func (b *backups) open(ctx context.Context, target string, anew bool) (*backup.Target, error) {
	lib := backup.Library{Dir: b.dataDir}
	var before bool
	err := b.store.View(ctx, func(tx *storage.Tx) (err error) {
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
	return backup.Create(target, lib, before && !anew, b.now())
}

// note records the result of a backup.
func (b *backups) note(
	ctx context.Context, target string, started time.Time, verified bool, r backup.Result, failure error,
) error {
	made := &dam.Backup{
		Target: target, Started: started, Ended: b.now(), Files: r.Files, Bytes: r.Bytes,
		NewFiles: r.NewFiles, NewBytes: r.NewBytes, Problems: r.Problems, Verified: verified,
	}
	if failure != nil {
		made.Error = failure.Error()
	} else {
		made.Snapshot = r.Snapshot
	}
	return b.store.Update(ctx, func(tx *storage.Tx) error { return tx.InsertBackup(made) })
}

// LastBackup returns the latest backup and the latest that made a snapshot; each is
// nil if none exists.
func (m *Maintenance) LastBackup(ctx context.Context) (last, made *dam.Backup, err error) {
	return lastBackup(ctx, m.store)
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
func (b *backups) run(ctx context.Context) {
	if err := b.blobs.SweepPins(ctx); err != nil && ctx.Err() == nil {
		b.log.ErrorContext(ctx, "remove what a backup that was killed kept", "err", err)
	}
	if b.target == "" {
		return
	}
	for {
		wait, err := b.due(ctx)
		if err == nil && wait <= 0 {
			wait = b.every
			err = b.writeDue(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(backupRetry, b.every)
			b.log.ErrorContext(ctx, "no backup was made", "target", b.target, "err", err, "next_try_in", wait)
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
func (b *backups) due(ctx context.Context) (time.Duration, error) {
	t, err := backup.Open(b.target)
	if err != nil {
		return 0, nil // the backup itself will report the error
	}
	list, err := t.Snapshots()
	if err = errors.Join(err, t.Close()); err != nil {
		return 0, err
	}
	for _, s := range list {
		if since := b.now().Sub(s.Time); s.Err == nil && since >= 0 {
			return b.every - since, nil
		}
	}
	return 0, nil
}

// writeDue makes a scheduled backup, yielding to other work.
func (b *backups) writeDue(ctx context.Context) error {
	problem := func(p string) { b.log.ErrorContext(ctx, "a file is damaged or missing", "found", p) }
	pause := func(ctx context.Context) { b.giveWay(ctx, recordsPause) }
	r, p, err := b.write(ctx, b.target, BackupOptions{scheduled: true, Keep: b.keep, Problem: problem},
		backup.Options{Workers: backgroundCopiers, Pause: pause})
	if err == nil {
		b.log.InfoContext(ctx, "a backup was made", "target", b.target, "snapshot", r.Snapshot, "files", r.Files, "new_files", r.NewFiles,
			"new_bytes", r.NewBytes, "complete", r.Complete, "old_snapshots_removed", p.Snapshots)
	}
	return err
}
