package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// RecoveryPlan is what a recovery would do.
type RecoveryPlan struct {
	Unfit *Unfit         // why records and files do not belong together; nil when they do
	New   bool           // new records are made
	Aside string         // the name that records which cannot be used, or what is left of them, are kept under; "" for none
	Files int            // that no record refers to
	Bytes int64          // of those
	Types []RecoveryType // of those, the most frequent first
}

// Nothing reports whether there is nothing to do.
func (p *RecoveryPlan) Nothing() bool { return p.Unfit == nil && p.Files == 0 }

// RecoveryType counts the files of a type.
type RecoveryType struct {
	Name  string // "JPEG", "" for a type that the library does not take
	Files int
	Bytes int64
}

// RecoveryOptions say for whom files are recovered, and who is told.
type RecoveryOptions struct {
	Email    string // of the user who will own the assets; "" for the first administrator
	Problem  func(file, why string)
	Progress func(done, total int64)
}

// Recovered is what a recovery did.
type Recovered struct {
	Files, Ready, Failed int
	Password             string // of the administrator who was made, "" for none
}

// Recovery makes assets of files that no record refers to. It holds the lock of
// the library.
type Recovery struct {
	Plan RecoveryPlan

	cfg    Config
	dir    string
	unlock func() error
}

// recoveredName is how the names of what is recovered begin.
const recoveredName = "Recovered "

// PlanRecovery looks at what there is to recover and changes nothing. The caller
// must Close the recovery.
func PlanRecovery(ctx context.Context, cfg Config) (_ *Recovery, err error) {
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	cfg.Access, cfg.LostKeep = accessRecover, 100*365*24*time.Hour // nothing expires meanwhile
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNoLibrary, dir)
	}
	if err := mayWrite(dir, cfg.AllowRoot); err != nil {
		return nil, err
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	r := &Recovery{cfg: cfg, dir: dir, unlock: unlock}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	f, err := examine(ctx, dir)
	if err != nil {
		return nil, err
	}
	if f.new {
		return nil, fmt.Errorf("%w in %s", ErrNoLibrary, dir)
	}
	r.Plan.Unfit = f.unfit
	if r.Plan.New = f.unfit != nil && !f.unfit.records; r.Plan.New {
		for _, path := range r.recordFiles() {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				r.Plan.Aside = recordsFile + ".before-recover-" + cfg.Now().UTC().Format("20060102T150405Z")
			}
		}
	}
	return r, r.look(ctx)
}

// Close gives the library back.
func (r *Recovery) Close() error { return r.unlock() }

// recordFiles are the database and what SQLite keeps beside it.
func (r *Recovery) recordFiles() []string {
	path := filepath.Join(r.dir, recordsFile)
	return []string{path, path + "-wal", path + "-shm"}
}

// look counts the files that no record refers to, by their types.
func (r *Recovery) look(ctx context.Context) error {
	known := func(string) (bool, error) { return false, nil }
	if !r.Plan.New {
		store, err := storage.OpenReadOnly(ctx, filepath.Join(r.dir, recordsFile))
		if err != nil {
			return err
		}
		defer store.Close()
		known = func(sha string) (ok bool, err error) {
			err = store.View(ctx, func(tx *storage.Tx) error {
				ok, err = tx.BlobKnown(sha)
				return err
			})
			return ok, err
		}
	}
	blobs := blob.OpenReadOnly(filepath.Join(r.dir, blobsDir))
	types := map[string]*RecoveryType{}
	err := blobs.Unrecorded(ctx, known, func(sha string, size int64) error {
		kind, _, err := unrecordedType(blobs, sha, size)
		if err != nil {
			return err
		}
		if types[kind.Name] == nil {
			types[kind.Name] = &RecoveryType{Name: kind.Name}
		}
		types[kind.Name].Files++
		types[kind.Name].Bytes += size
		r.Plan.Files++
		r.Plan.Bytes += size
		return nil
	})
	for _, t := range types {
		r.Plan.Types = append(r.Plan.Types, *t)
	}
	slices.SortFunc(r.Plan.Types, func(a, b RecoveryType) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), strings.Compare(a.Name, b.Name))
	})
	return err
}

func unrecordedType(blobs *blob.Store, sha string, size int64) (media.Type, bool, error) {
	f, err := blobs.OpenUnrecorded(sha)
	if err != nil {
		return media.Type{}, false, err
	}
	defer f.Close()
	return media.Detect(f, size)
}

// Run does what the plan says. It may be broken off at any moment: run again, it
// goes on.
func (r *Recovery) Run(ctx context.Context, opt RecoveryOptions) (done Recovered, err error) {
	if r.Plan.New && opt.Email == "" {
		return done, errors.New("--user says for whom: new records have no user yet")
	}
	if r.Plan.Aside != "" {
		if err := r.keepAside(); err != nil {
			return done, err
		}
	}
	a, err := Open(ctx, r.cfg)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	rec := &recoverer{app: a, opt: opt, name: recoveredName + r.cfg.Now().Format(time.DateOnly)}
	if done.Password, err = rec.user(ctx); err != nil {
		return done, err
	}
	if err := a.mark(ctx); err != nil { // from here on the records fit the files
		return done, err
	}
	if err := a.store.Settle(ctx); err != nil { // the number has leapt: the log is to begin after it
		return done, err
	}
	if err := a.PutBackLost(ctx); err != nil {
		return done, err
	}
	known := func(sha string) (bool, error) { return a.blobKnown(ctx, sha) }
	if _, err := a.blobs.Sweep(ctx, known); err != nil { // all that is to be recovered is in one place then
		return done, err
	}
	if err := a.OpenSearch(ctx); err != nil {
		return done, err
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	worked := make(chan error, 1)
	go func() { worked <- a.Run(work, nil) }()
	err = rec.all(ctx, known)
	stop()
	err = errors.Join(err, <-worked)
	done.Files, done.Ready, done.Failed = rec.total, rec.ready, rec.failed
	return done, errors.Join(err, a.tidyLost(context.WithoutCancel(ctx)))
}

// keepAside moves records that cannot be used out of the way.
func (r *Recovery) keepAside() error {
	base := filepath.Join(r.dir, r.Plan.Aside)
	for i, path := range r.recordFiles() {
		err := os.Rename(path, base+[]string{"", "-wal", "-shm"}[i])
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// recoverer is a recovery under way.
type recoverer struct {
	app         *App
	opt         RecoveryOptions
	actor       dam.Actor
	name        string // of the collection and the batches
	collections []int64

	batches              []int64
	inBatch              int // files of the last batch
	chunk                []*dam.BatchFile
	total, ready, failed int
}

// user finds the user who will own the assets. New records have none: an
// administrator is made, whose password is returned.
func (rec *recoverer) user(ctx context.Context) (password string, err error) {
	users, err := rec.app.Users(ctx)
	if err != nil {
		return "", err
	}
	switch email := rec.opt.Email; {
	case email == "":
		i := slices.IndexFunc(users, func(u *dam.User) bool { return u.Role == dam.RoleAdmin && u.DisabledAt == nil })
		if i < 0 {
			return "", errors.New("--user says for whom: there is no administrator")
		}
		rec.actor.User = users[i]
	case len(users) == 0:
		name, _, _ := strings.Cut(email, "@")
		rec.actor.User = &dam.User{Email: email, Name: name, Role: dam.RoleAdmin}
		password = NewPassword()
		if err := rec.app.CreateUser(ctx, rec.actor.User, password); err != nil {
			return "", err
		}
	default:
		if rec.actor.User, err = rec.app.UserByEmail(ctx, email); err != nil {
			return "", fmt.Errorf("--user %s: %w", email, err)
		}
	}
	if err := rec.actor.Require(dam.UploadsManage); err != nil {
		return "", fmt.Errorf("%s is %s, who may not upload", rec.actor.User.Email, rec.actor.User.Role)
	}
	return password, nil
}

// all recovers all files without a record, and waits until they have ended,
// those of a recovery that was broken off among them.
func (rec *recoverer) all(ctx context.Context, known func(string) (bool, error)) error {
	var files []*dam.BatchFile
	err := rec.app.blobs.Unrecorded(ctx, known, func(sha string, size int64) error {
		kind, ok, err := unrecordedType(rec.app.blobs, sha, size)
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
	rec.total = len(files)
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

// file checks a file and hands it on with others.
func (rec *recoverer) file(ctx context.Context, f *dam.BatchFile) error {
	err := rec.app.blobs.VerifyLost(ctx, f.SHA256)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rec.fail(f, err.Error())
		return nil
	}
	rec.chunk = append(rec.chunk, f)
	if len(rec.chunk) >= importFiles {
		return rec.commit(ctx)
	}
	return nil
}

func (rec *recoverer) fail(f *dam.BatchFile, why string) {
	rec.failed++
	rec.opt.Problem(f.Filename, why)
}

// commit hands files to ingestion, in a batch of the day's collection.
func (rec *recoverer) commit(ctx context.Context) error {
	a, files := rec.app, rec.chunk
	if rec.chunk = nil; len(files) == 0 {
		return nil
	}
	if rec.collections == nil {
		if err := a.store.Update(ctx, func(tx *storage.Tx) error {
			id, err := ensureCollection(tx, rec.actor, rec.name)
			rec.collections = []int64{id}
			return err
		}); err != nil {
			return err
		}
	}
	if len(rec.batches) == 0 || rec.inBatch+len(files) > a.cfg.MaxBatchFiles {
		b := &dam.Batch{Name: rec.name, CollectionIDs: rec.collections}
		if err := a.CreateBatch(ctx, rec.actor, b); err != nil {
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
	return a.blobs.Recall(ctx, shas, func() error {
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
					err = tx.Enqueue(dam.JobIngest, f.ID, a.cfg.JobAttempts)
				}
				if err != nil {
					return err
				}
			}
			tx.OnCommit(func() { a.jobs.Wake(dam.JobIngest) })
			return nil
		})
	})
}

// closeBatches closes the batches of this recovery and those that one which was
// broken off has left.
func (rec *recoverer) closeBatches(ctx context.Context) error {
	batches, _, err := rec.app.Batches(ctx, rec.actor, storage.Page{Limit: 100})
	if err != nil {
		return err
	}
	open := slices.Clone(rec.batches)
	for _, b := range batches {
		if b.Status == dam.BatchOpen && strings.HasPrefix(b.Name, recoveredName) {
			open = append(open, b.ID)
		}
	}
	for _, id := range open {
		if _, err := rec.app.CompleteBatch(ctx, rec.actor, id); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until no file is being ingested, and tells of those that could not
// be. Their bytes stay aside.
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
	for _, id := range rec.batches {
		b, err := rec.app.Batch(ctx, rec.actor, id)
		if err != nil {
			return err
		}
		rec.ready += b.Counts.Ready + b.Counts.Duplicate
	}
	return rec.tellFailed(ctx)
}

func (rec *recoverer) tellFailed(ctx context.Context) error {
	for _, batch := range rec.batches {
		for _, status := range []dam.FileStatus{dam.FileRejected, dam.FileFailed} {
			for offset := 0; ; {
				files, total, err := rec.app.BatchFiles(ctx, rec.actor, batch, status, storage.Page{Limit: 100, Offset: offset})
				if err != nil {
					return err
				}
				for _, f := range files {
					rec.fail(f, f.Error.Message)
				}
				if offset += len(files); offset >= total || len(files) == 0 {
					break
				}
			}
		}
	}
	return nil
}
