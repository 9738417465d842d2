package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	backupWorkers     = 8 // files copied at once: most of the time goes into waiting for the target's disk
	backgroundCopiers = 2 // the same in the server
	backupRetry       = 15 * time.Minute
	recordsPause      = 50 * time.Millisecond // for searches, between pieces of the records
)

// BackupOptions say how a backup is made.
type BackupOptions struct {
	Verify   bool // read again what the target has
	New      bool // begin anew where there were backups before and are none now
	Keep     int  // how many snapshots stay; 0 for all
	Problem  func(string)
	Progress func(done, total int64)

	scheduled bool // remember it also when the target is refused
}

// Backup makes a snapshot of the library in the folder target. Files that are
// damaged or missing are reported and counted, and do not keep it from being
// made. What became of it is remembered.
func (a *App) Backup(ctx context.Context, target string, opt BackupOptions) (backup.Result, backup.Pruned, error) {
	return a.backup(ctx, target, opt, backup.Options{Workers: backupWorkers})
}

func (a *App) backup(ctx context.Context, target string, opt BackupOptions, how backup.Options) (r backup.Result, p backup.Pruned, err error) {
	if target, err = filepath.Abs(target); err != nil {
		return r, p, err
	}
	started := a.cfg.Now()
	how.Verify, how.Problem, how.Progress, how.Now = opt.Verify, opt.Problem, opt.Progress, started
	t, err := a.backupTarget(ctx, target, opt.New)
	if err == nil {
		defer func() { err = errors.Join(err, t.Close()) }()
		r, err = t.Write(ctx, backup.Source{Library: backup.Library{ID: t.Library(), Dir: a.cfg.DataDir}, Records: a.store, Blobs: a.blobs, Version: a.cfg.Version}, how)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%s: no backup was made, those before it are as they were: %w", target, err)
		}
	}
	if ctx.Err() != nil {
		return r, p, ctx.Err()
	}
	if t == nil && !opt.scheduled {
		return r, p, err // a mistake in the command is nothing to remember
	}
	if err = errors.Join(err, a.noteBackup(ctx, target, started, r, err)); err != nil || opt.Keep == 0 {
		return r, p, err
	}
	if p, err = t.Prune(ctx, opt.Keep); err != nil {
		err = fmt.Errorf("%s: the backup was made, but old ones were not removed: %w", target, err)
	}
	return r, p, err
}

// backupTarget opens the target for this library.
func (a *App) backupTarget(ctx context.Context, target string, anew bool) (*backup.Target, error) {
	lib := backup.Library{Dir: a.cfg.DataDir}
	var before bool
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
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
	return backup.Create(target, lib, before && !anew, a.cfg.Now())
}

// noteBackup remembers what became of a backup.
func (a *App) noteBackup(ctx context.Context, target string, started time.Time, r backup.Result, failure error) error {
	b := &dam.Backup{Target: target, Started: started, Ended: a.cfg.Now(), Files: r.Files, Bytes: r.Bytes, NewFiles: r.NewFiles, NewBytes: r.NewBytes, Problems: r.Problems}
	if failure != nil {
		b.Error = failure.Error()
	} else {
		b.Snapshot = r.Snapshot
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error { return tx.InsertBackup(b) })
}

// LastBackup returns what became of the latest backup, and the latest that made
// a snapshot; each is nil if there is none.
func (a *App) LastBackup(ctx context.Context) (last, made *dam.Backup, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
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

// backups makes backups as the settings say, until ctx is done.
func (a *App) backups(ctx context.Context) {
	if err := a.blobs.SweepPins(ctx); err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "remove what a backup that was killed kept", "err", err)
	}
	if a.cfg.BackupDir == "" {
		return
	}
	for {
		wait, err := a.backupDue(ctx)
		if err == nil && wait <= 0 {
			wait = a.cfg.BackupEvery
			err = a.backupNow(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(backupRetry, a.cfg.BackupEvery)
			a.log.ErrorContext(ctx, "no backup was made", "target", a.cfg.BackupDir, "err", err, "next_try_in", wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// backupDue returns how long it is until the next backup. Whoever made the last
// one, and whatever was restored since: what counts is what is in the target.
func (a *App) backupDue(ctx context.Context) (time.Duration, error) {
	t, err := backup.Open(a.cfg.BackupDir)
	if err != nil {
		return 0, nil // whatever is wrong there, the backup tells
	}
	list, err := t.Snapshots()
	if err = errors.Join(err, t.Close()); err != nil {
		return 0, err
	}
	for _, s := range list {
		if since := a.cfg.Now().Sub(s.Time); s.Err == nil && since >= 0 {
			return a.cfg.BackupEvery - since, nil
		}
	}
	return 0, nil
}

// backupNow makes a backup while others work.
func (a *App) backupNow(ctx context.Context) error {
	opt := BackupOptions{scheduled: true, Keep: a.cfg.BackupKeep, Problem: func(p string) { a.log.ErrorContext(ctx, "a file is damaged or missing", "found", p) }}
	r, p, err := a.backup(ctx, a.cfg.BackupDir, opt, backup.Options{Workers: backgroundCopiers, Pause: func(ctx context.Context) { a.giveWay(ctx, recordsPause) }})
	if err == nil {
		a.log.InfoContext(ctx, "a backup was made", "target", a.cfg.BackupDir, "snapshot", r.Snapshot, "files", r.Files, "new_files", r.NewFiles,
			"new_bytes", r.NewBytes, "complete", r.Complete, "old_snapshots_removed", p.Snapshots)
	}
	return err
}
