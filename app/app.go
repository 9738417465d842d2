package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/app/trail"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// App is an open library. Its methods are safe for concurrent use.
//
// Each type that it holds owns its state and its goroutine, and gets only the
// dependencies that it requires; none of them knows App.
type App struct {
	Accounts    *Accounts      // users, logins and tokens
	Trail       *trail.Trail   // the audit log
	Keys        *Keys          // idempotency keys
	Definitions *Definitions   // fields, vocabularies, classes and presets
	Finder      *Finder        // searches and asset lists
	Assets      *Assets        // assets and their files
	Images      *images        // images of any size
	Collections *Collections   // collections
	Uploads     *Uploads       // upload batches and the ingestion of their files
	External    *places        // external libraries
	Operations  *operations    // bulk changes, exports, analyses
	Imports     *Imports       // tables that update assets
	Importer    *Importer      // imports of folders
	Exports     *Exports       // export files
	Analyses    *understanding // analysis of asset content
	Shares      *Shares        // shares and embeds
	Guests      *Guests        // shares as guests see them
	IIIF        *IIIF          // IIIF images and manifests
	Analytics   *Analytics     // usage counts
	Reports     *Reports       // reports on the use
	Webhooks    *Webhooks      // webhooks and their deliveries
	Maintenance *Maintenance   // checks, repairs, backups, status

	cfg       Config
	created   bool            // whether Open created the library
	store     *storage.Store  // the database
	schemas   *schemas        // metadata definitions
	index     *index          // the search engine
	jobs      *jobs           // the queue of background work
	followups *followups      // follow-up work after changes to many assets
	disks     *disks          // reserves disk space for the database
	originals *originals      // original files
	resumable *resumables     // resumable uploads
	previews  *renditions     // previews of originals
	proxies   *proxies        // browser-playable copies of videos and audio
	ingest    *ingest         // turns uploaded files into assets
	meaning   *meaning        // vectors for semantic search
	captions  *captions       // descriptions of pictures by a model
	webhooks  *webhook.Runner // delivers events
	mailer    *mailer         // emails codes to guests
	upkeep    *upkeep         // periodic maintenance
	live      *live.Hub       // streams changes to subscribers
	engines   *engine.Pool    // read formats that Go has no library for
	health    *health         // monitors the state of the library
}

// Open opens the library in cfg.DataDir, where cfg is DefaultConfig with changes. Several
// processes may have a library open; only one may Run it. The error is ErrNoLibrary for a
// folder without a library, unless cfg.Access allows creating one and the folder is empty
// or missing, and *Unfit if the database and the files do not belong together.
func Open(ctx context.Context, cfg Config) (_ *App, err error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	if cfg.BackupDir != "" {
		if err := backup.Apart(cfg.BackupDir, cfg.DataDir); err != nil {
			return nil, err
		}
	}
	created, readOnly, err := prepare(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	a := &App{
		cfg: cfg, created: created,
		schemas: &schemas{now: cfg.Now}, index: &index{}, jobs: &jobs{attempts: cfg.JobAttempts},
		disks: newDisks(cfg.DataDir, cfg.DiskReserve, cfg.Log),
	}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := a.openFolder(ctx, readOnly); err != nil {
		return nil, err
	}
	return a, a.assemble(ctx, readOnly)
}

// openFolder opens the database and the files in the data folder.
func (a *App) openFolder(ctx context.Context, readOnly bool) (err error) {
	path := func(name string) string { return filepath.Join(a.cfg.DataDir, name) }
	a.originals = &originals{log: a.cfg.Log, lookAgain: func(root int64) { a.External.suspect(root) },
		unreadable: func(ctx context.Context, f *dam.RootFile, err error) { a.External.unreadable(ctx, f, err) }}
	if readOnly {
		a.originals.blobs = blob.OpenReadOnly(path(blobsDir))
		a.store, err = storage.OpenReadOnly(ctx, path(recordsFile))
		a.originals.store = a.store
		return err
	}
	if a.store, err = storage.Open(ctx, path(recordsFile), a.cfg.Now); err != nil {
		return err
	}
	a.originals.store = a.store
	if a.originals.blobs, err = blob.Open(path(blobsDir)); err != nil {
		return err
	}
	if a.originals.cache, err = blob.OpenCache(path(cacheDir)); err != nil {
		return err
	}
	a.originals.blobs.SetRoom(a.disks.room(blobsDir))
	a.originals.cache.SetRoom(a.disks.room(cacheDir))
	a.originals.cache.SetBudget(blob.Budget{Bytes: a.cfg.RenditionCache, Worth: renditionWorth})
	return nil
}

// Created reports whether Open created the library.
func (a *App) Created() bool { return a.created }

// Close writes the remaining audit log entries and analytics, and closes the library.
func (a *App) Close() error {
	var errs []error
	a.engines.Close()
	if a.Trail != nil {
		a.Trail.Close()
	}
	if a.Analytics != nil {
		a.Analytics.flush(context.Background())
	}
	if a.index.isOpen() {
		errs = append(errs, a.index.Close())
	}
	if a.webhooks != nil {
		a.webhooks.Close()
	}
	if a.originals != nil && a.originals.blobs != nil {
		errs = append(errs, a.originals.blobs.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	return errors.Join(errs...)
}

// ErrInUse is returned by Lock for a library that another process runs.
var ErrInUse = errors.New("the library is in use: another dal serves this data folder")

// Lock claims the library for this process, so that it may Run it. The returned function
// releases it.
func (a *App) Lock() (unlock func() error, err error) {
	return lockFolder(a.cfg.DataDir)
}

func lockFolder(dir string) (unlock func() error, err error) {
	l := flock.New(filepath.Join(dir, serverLock))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return l.Unlock, nil
}

// Announce records the URL that the library's server listens on, such as
// "http://127.0.0.1:8080", for ServerURL in other processes. The returned function
// removes the record. The caller holds the Lock.
func (a *App) Announce(url string) (remove func() error, err error) {
	path := filepath.Join(a.cfg.DataDir, serverURL)
	return func() error { return os.Remove(path) }, os.WriteFile(path, []byte(url+"\n"), 0o600)
}

// ServerURL returns the URL announced by the latest server of a data folder, or "" if it
// has stopped. A server that was killed leaves its URL behind.
func ServerURL(dataDir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dataDir, serverURL))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// OpenSearch opens the search index, which only the process that holds the Lock may do.
// Search is available afterwards.
func (a *App) OpenSearch(ctx context.Context) error {
	dir := filepath.Join(a.cfg.DataDir, indexDir)
	engine, err := search.OpenIn(ctx, dir, a.cfg.Language, source{a.store, a.schemas, a.cfg.Version}, a.meaning.embedder, a.cfg.Log)
	if err != nil {
		return err
	}
	engine.SetHold(a.disks.full(indexDir))
	a.index.Engine = engine
	return nil
}

// Run does the background work until ctx is done: jobs, indexing, maintenance, webhooks.
// Before it returns, running jobs are completed or requeued. The caller holds the Lock
// and has called OpenSearch.
func (a *App) Run(ctx context.Context) error {
	a.upkeep.marker.try(ctx)
	defer a.upkeep.marker.try(context.WithoutCancel(ctx))
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"sweep the exports", a.Exports.sweep},
		{"follow up on changes", a.followups.resume},
		{"look for videos that browsers do not play", a.proxies.resume},
		{"look for assets that are to be analysed", a.Analyses.resume},
		{"look for ambiguous accounts", a.Accounts.warnAmbiguous},
	} {
		if err := step.do(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.ErrorContext(ctx, step.what, "err", err)
		}
	}
	a.disks.warn()
	var wg sync.WaitGroup
	for _, work := range []func(context.Context){
		a.index.Run, a.meaning.run, a.disks.watch, a.webhooks.Run, a.upkeep.run, a.live.Run, a.health.run, a.previews.run,
		a.External.run, a.Analytics.run,
	} {
		wg.Go(func() { work(ctx) })
	}
	err := a.jobs.Run(ctx)
	wg.Wait()
	return err
}
