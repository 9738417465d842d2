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
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// RecoveryPlan describes the effects of a recovery.
type RecoveryPlan struct {
	Unfit *library.Unfit // why the database and files do not belong together; nil if they do
	New   bool           // a new database is created
	Aside string         // name under which the unusable database, or its remains, are kept; "" for none
	Files int            // orphaned files
	Bytes int64          // of the orphaned files
	Types []RecoveryType // of the orphaned files, most frequent first
	// Waiting counts files that have a record but are not assets yet. An
	// interrupted recovery, import or server has left them behind.
	Waiting int64
}

// Nothing reports whether no work is required.
func (p *RecoveryPlan) Nothing() bool { return p.Unfit == nil && p.Files == 0 && p.Waiting == 0 }

// RecoveryType counts the files of a type.
type RecoveryType struct {
	Name  string // such as "JPEG"; "" for an unsupported type
	Files int
	Bytes int64
}

// RecoveryOptions set the owner of recovered files and the callbacks during a
// recovery.
type RecoveryOptions struct {
	Email    string // of the future owner of the assets; "" for the first administrator
	Problem  func(file, why string)
	Progress func(done, total int64)
}

// Recovered is the result of a recovery.
type Recovered struct {
	Files, Ready, Failed int
	Password             string // of the administrator that was created, "" for none
}

// Recovery creates assets from orphaned files. It holds the lock of the library
// until it is closed.
type Recovery struct {
	Plan RecoveryPlan

	cfg    Config
	dir    string
	unlock func() error
}

// recoveredName is the prefix of the names of everything recovered.
const recoveredName = "Recovered "

// PlanRecovery determines the files that need recovery, without changing anything.
// The caller must Close the Recovery.
func PlanRecovery(ctx context.Context, cfg Config) (_ *Recovery, err error) {
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	cfg.KeepAll()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Access = library.AccessRecover
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", library.ErrNoLibrary, dir)
	}
	if err := library.MayWrite(dir, cfg.AllowRoot); err != nil {
		return nil, err
	}
	switch f, err := library.Examine(ctx, dir); {
	case err != nil:
		return nil, err
	case f.New: // before taking the lock, whose file would remain in the folder
		return nil, fmt.Errorf("%w in %s", library.ErrNoLibrary, dir)
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
	f, err := library.Examine(ctx, dir) // again, since nobody else can change it now
	if err != nil {
		return nil, err
	}
	r.Plan.Unfit = f.Unfit
	if r.Plan.New = f.Unfit != nil && !f.Unfit.Records; r.Plan.New {
		for _, path := range r.recordFiles() {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				r.Plan.Aside = library.RecordsFile + ".before-recover-" + cfg.Now().UTC().Format("20060102T150405Z")
			}
		}
	}
	return r, r.look(ctx)
}

// Close releases the library.
func (r *Recovery) Close() error { return r.unlock() }

// recordFiles returns the paths of the database and the files that SQLite keeps
// beside it.
func (r *Recovery) recordFiles() []string {
	path := filepath.Join(r.dir, library.RecordsFile)
	return []string{path, path + "-wal", path + "-shm"}
}

// look counts the orphaned files by type, and the files waiting to become assets.
func (r *Recovery) look(ctx context.Context) error {
	known := func(string) (bool, error) { return false, nil }
	if !r.Plan.New {
		store, err := storage.OpenReadOnly(ctx, filepath.Join(r.dir, library.RecordsFile))
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
	blobs := blob.OpenReadOnly(filepath.Join(r.dir, library.BlobsDir))
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

// Run carries out the plan. It can be interrupted at any time, and resumes when it
// is run again.
func (r *Recovery) Run(ctx context.Context, opt RecoveryOptions) (done Recovered, err error) {
	if r.Plan.New && opt.Email == "" {
		return done, errors.New("new records have no users yet: give the email of the administrator to create with --user")
	}
	if r.Plan.Aside != "" {
		if err := r.keepAside(); err != nil {
			return done, err
		}
	}
	r.cfg.AcceptAny, r.cfg.AllowPrograms, r.cfg.Reject = true, true, nil // files in the library were accepted once
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
		a.store.Settle,         // the log begins with the update of the identity
		a.upkeep.Marker.Update, // from now on the database matches the files
		a.store.Settle,         // the number has jumped: the log must begin after it
	} {
		if err := step(ctx); err != nil {
			return done, err
		}
	}
	if err := a.upkeep.Lost.PutBack(ctx); err != nil {
		return done, err
	}
	known := func(sha string) (bool, error) { return a.originals.Recorded(ctx, sha) }
	if _, err := a.originals.Blobs.Sweep(ctx, known); err != nil { // collects everything to recover in one place
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
	return done, errors.Join(err, a.upkeep.Lost.Tidy(context.WithoutCancel(ctx)))
}

// keepAside moves an unusable database out of the way.
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
