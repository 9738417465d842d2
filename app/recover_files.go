package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/storage"
)

// recoverer is a running recovery.
type recoverer struct {
	app         *App
	opt         RecoveryOptions
	actor       dam.Actor
	name        string // of the collection and the batches
	collections []int64

	left                 []int64 // batches of an interrupted recovery
	batches              []int64 // batches of this recovery
	inBatch              int     // files in the last batch
	chunk                []*dam.BatchFile
	total, ready, failed int
}

// user finds the future owner of the assets. A new database has no users, so user
// creates an administrator and returns the password.
func (rec *recoverer) user(ctx context.Context) (password string, err error) {
	users, err := rec.app.Accounts.Users(ctx)
	if err != nil {
		return "", err
	}
	switch email := rec.opt.Email; {
	case email == "":
		i := slices.IndexFunc(users, func(u *dam.User) bool { return u.Role == dam.RoleAdmin && u.DisabledAt == nil })
		if i < 0 {
			return "", errors.New("there is no administrator: choose the assets' owner with --user")
		}
		rec.actor.User = users[i]
	case len(users) == 0:
		name, _, _ := strings.Cut(email, "@")
		rec.actor.User = &dam.User{Email: email, Name: name, Role: dam.RoleAdmin}
		password = account.NewPassword()
		if err := rec.app.Accounts.CreateUser(ctx, rec.actor.User, password); err != nil {
			return "", err
		}
	default:
		if rec.actor.User, err = rec.app.Accounts.UserByEmail(ctx, email); err != nil {
			return "", fmt.Errorf("--user %s: %w", email, err)
		}
	}
	if err := rec.actor.Require(dam.UploadsManage); err != nil {
		return "", fmt.Errorf("%s is %s, who may not upload", rec.actor.User.Email, rec.actor.User.Role)
	}
	if rec.actor.User.DisabledAt != nil {
		return "", fmt.Errorf("%s is disabled", rec.actor.User.Email)
	}
	return password, nil
}

// all recovers all orphaned files, and waits until they and those of an interrupted
// recovery are finished.
func (rec *recoverer) all(ctx context.Context, known func(string) (bool, error)) error {
	var files []*dam.BatchFile
	err := rec.app.originals.Blobs.Unrecorded(ctx, known, func(sha string, size int64) error {
		kind, ok, err := unrecordedType(rec.app.originals.Blobs, sha, size)
		name := recoveredName + sha[:12]
		if ok {
			name += "." + kind.Extensions[0]
		}
		files = append(files, &dam.BatchFile{Filename: name, Size: size, SHA256: sha, Status: dam.FileQueued})
		return err
	})
	if err != nil {
		return err
	}
	if err := rec.resume(ctx); err != nil {
		return err
	}
	rec.total += len(files)
	for _, f := range files {
		if err := rec.file(ctx, f); err != nil {
			return err
		}
	}
	if err := errors.Join(rec.commit(ctx), rec.closeBatches(ctx)); err != nil {
		return err
	}
	return rec.wait(ctx)
}

// resume counts the files of the batches left by an interrupted recovery.
func (rec *recoverer) resume(ctx context.Context) error {
	batches, _, err := rec.app.Uploads.Batches(ctx, rec.actor, dam.Page{Limit: 100})
	if err != nil {
		return err
	}
	for _, b := range batches {
		ended := b.Status != dam.BatchOpen && b.Status != dam.BatchProcessing
		if ended || !strings.HasPrefix(b.Name, recoveredName) {
			continue
		}
		recovered := b.Counts.Ready + b.Counts.Duplicate
		rec.left = append(rec.left, b.ID)
		rec.total += b.Counts.Total - recovered
		rec.ready -= recovered // until they are counted again
	}
	return nil
}

// file verifies a file and passes it on together with others.
func (rec *recoverer) file(ctx context.Context, f *dam.BatchFile) error {
	err := rec.app.originals.Blobs.VerifyLost(ctx, f.SHA256)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rec.fail(f, err.Error())
		return nil
	}
	rec.chunk = append(rec.chunk, f)
	if len(rec.chunk) >= ingest.ImportFiles {
		return rec.commit(ctx)
	}
	return nil
}

func (rec *recoverer) fail(f *dam.BatchFile, why string) {
	rec.failed++
	rec.opt.Problem(f.Filename, why)
}

// commit passes files to ingestion, in a batch for the day's collection.
func (rec *recoverer) commit(ctx context.Context) error {
	a, files := rec.app, rec.chunk
	if rec.chunk = nil; len(files) == 0 {
		return nil
	}
	if rec.collections == nil {
		if err := a.store.Update(ctx, func(tx *storage.Tx) error {
			id, err := collection.EnsureCollection(tx, rec.actor, rec.name)
			rec.collections = []int64{id}
			return err
		}); err != nil {
			return err
		}
	}
	if len(rec.batches) == 0 || rec.inBatch+len(files) > a.cfg.MaxBatchFiles {
		b := &dam.Batch{Name: rec.name, CollectionIDs: rec.collections}
		if err := a.Uploads.CreateBatch(ctx, rec.actor, b); err != nil {
			return err
		}
		rec.batches, rec.inBatch = append(rec.batches, b.ID), 0
	}
	rec.inBatch += len(files)
	batch := rec.batches[len(rec.batches)-1]
	shas := make([]string, len(files))
	for i, f := range files {
		f.BatchID, shas[i] = batch, f.SHA256
	}
	return a.originals.Blobs.Recall(ctx, shas, func() error {
		return a.store.Update(ctx, func(tx *storage.Tx) error {
			if _, err := tx.TakeFiles(batch, len(files), a.cfg.MaxBatchFiles); err != nil {
				return err
			}
			for _, f := range files {
				err := tx.InsertBlob(f.SHA256, f.Size)
				if err == nil {
					err = tx.InsertBatchFile(f)
				}
				if err == nil {
					err = a.jobs.AddFile(tx, f.ID)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// allBatches returns the batches of this recovery and of an interrupted one.
func (rec *recoverer) allBatches() []int64 { return slices.Concat(rec.left, rec.batches) }

// closeBatches closes the batches of this recovery and of an interrupted one.
func (rec *recoverer) closeBatches(ctx context.Context) error {
	for _, id := range rec.allBatches() {
		b, err := rec.app.Uploads.Batch(ctx, rec.actor, id)
		if err == nil && b.Status == dam.BatchOpen {
			_, err = rec.app.Uploads.CompleteBatch(ctx, rec.actor, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wait waits until no file is being ingested, and reports those that failed. Their
// content stays aside.
func (rec *recoverer) wait(ctx context.Context) error {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		var open int64
		if err := rec.app.store.View(ctx, func(tx *storage.Tx) (err error) {
			open, err = tx.CountOpenFiles()
			return err
		}); err != nil {
			return err
		}
		rec.opt.Progress(max(0, int64(rec.total)-open), int64(rec.total))
		if open == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	for _, id := range rec.allBatches() {
		b, err := rec.app.Uploads.Batch(ctx, rec.actor, id)
		if err != nil {
			return err
		}
		rec.ready += b.Counts.Ready + b.Counts.Duplicate
	}
	return rec.reportFailed(ctx)
}

func (rec *recoverer) reportFailed(ctx context.Context) error {
	return bulk.EachFailed(ctx, rec.app.Uploads, rec.actor, rec.allBatches(), func(f *dam.BatchFile) { rec.fail(f, f.Error.Message) })
}
