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
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// RecoveryPlan is what a recovery would do.
type RecoveryPlan struct {
	Unfit *Unfit         // why records and files do not belong together; nil if they do
	New   bool           // new records are created
	Aside string         // the name under which unusable records, or what is left of them, are kept; "" for none
	Files int            // that no record refers to
	Bytes int64          // of those
	Types []RecoveryType // of those, the most frequent first
	// Waiting are files that have a record, but are no assets yet: an interrupted
	// recovery, import or server has left them.
	Waiting int64
}

// Nothing reports whether there is nothing to do.
func (p *RecoveryPlan) Nothing() bool { return p.Unfit == nil && p.Files == 0 && p.Waiting == 0 }

// RecoveryType counts the files of a type.
type RecoveryType struct {
	Name  string // "JPEG", "" for a type that the library does not take
	Files int
	Bytes int64
}

// RecoveryOptions say for whom files are recovered, and what to call meanwhile.
type RecoveryOptions struct {
	Email    string // of the user who will own the assets; "" for the first administrator
	Problem  func(file, why string)
	Progress func(done, total int64)
}

// Recovered is what a recovery did.
type Recovered struct {
	Files, Ready, Failed int
	Password             string // of the administrator who was created, "" for none
}

// Recovery makes assets of files that no record refers to. It holds the lock of
// the library until it is closed.
type Recovery struct {
	Plan RecoveryPlan

	cfg    Config
	dir    string
	unlock func() error
}

// recoveredName is what the names of everything that is recovered begin with.
const recoveredName = "Recovered "

// PlanRecovery looks at what there is to recover and changes nothing. The caller
// must Close the Recovery.
func PlanRecovery(ctx context.Context, cfg Config) (_ *Recovery, err error) {
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	cfg.KeepAll()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Access = accessRecover
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
	switch f, err := examine(ctx, dir); {
	case err != nil:
		return nil, err
	case f.new: // before the lock, which would be left in the folder
		return nil, fmt.Errorf("%w in %s", ErrNoLibrary, dir)
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
	f, err := examine(ctx, dir) // again, since nobody else can change it now
	if err != nil {
		return nil, err
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

// look counts the files that no record refers to, by their types, and those that
// wait to become assets.
func (r *Recovery) look(ctx context.Context) error {
	known := func(string) (bool, error) { return false, nil }
	if !r.Plan.New {
		store, err := storage.OpenReadOnly(ctx, filepath.Join(r.dir, recordsFile))
		if err != nil {
			return err
		}
		defer store.Close()
		if err := store.View(ctx, func(tx *storage.Tx) error {
			r.Plan.Waiting, err = tx.CountOpenFiles()
			return err
		}); err != nil {
			return err
		}
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

// Run does what the plan says. It can be interrupted at any moment and continues
// when it is run again.
func (r *Recovery) Run(ctx context.Context, opt RecoveryOptions) (done Recovered, err error) {
	if r.Plan.New && opt.Email == "" {
		return done, errors.New("new records have no users yet: give the email of the administrator to create with --user")
	}
	if r.Plan.Aside != "" {
		if err := r.keepAside(); err != nil {
			return done, err
		}
	}
	r.cfg.AcceptAny, r.cfg.AllowPrograms, r.cfg.Reject = true, true, nil // what is here was accepted once
	a, err := Open(ctx, r.cfg)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	rec := &recoverer{app: a, opt: opt, name: recoveredName + r.cfg.Now().Format(time.DateOnly)}
	if done.Password, err = rec.user(ctx); err != nil {
		return done, err
	}
	for _, step := range []func(context.Context) error{
		a.store.Settle,         // the log begins with what the mark writes
		a.upkeep.marker.update, // from here on the records fit the files
		a.store.Settle,         // the number has leapt: the log is to begin after it
	} {
		if err := step(ctx); err != nil {
			return done, err
		}
	}
	if err := a.upkeep.lost.putBack(ctx); err != nil {
		return done, err
	}
	known := func(sha string) (bool, error) { return a.originals.recorded(ctx, sha) }
	if _, err := a.originals.blobs.Sweep(ctx, known); err != nil { // then everything to be recovered is in one place
		return done, err
	}
	if err := a.OpenSearch(ctx); err != nil {
		return done, err
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	worked := make(chan error, 1)
	go func() { worked <- a.Run(work) }()
	err = rec.all(ctx, known)
	stop()
	err = errors.Join(err, <-worked)
	done.Files, done.Ready, done.Failed = rec.total, rec.ready, rec.failed
	return done, errors.Join(err, a.upkeep.lost.tidy(context.WithoutCancel(ctx)))
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
