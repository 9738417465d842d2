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

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/idempotency"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/app/maintain"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/app/report"
	"github.com/digital-asset-library/dal/app/schema"
	"github.com/digital-asset-library/dal/app/share"
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
	Accounts    *account.Accounts       // users, logins and tokens
	Trail       *trail.Trail            // the audit log
	Keys        *idempotency.Keys       // idempotency keys
	Definitions *schema.Definitions     // fields, vocabularies, classes and presets
	Finder      *find.Finder            // searches and asset lists
	Assets      *asset.Assets           // assets and their files
	Images      *render.Images          // images of any size
	Collections *collection.Collections // collections
	Uploads     *ingest.Uploads         // upload batches and the ingestion of their files
	External    *external.Libraries     // external libraries
	Operations  *bulk.Operations        // bulk changes, exports, analyses
	Imports     *bulk.Imports           // tables that update assets
	Importer    *bulk.Importer          // imports of folders
	Exports     *bulk.Exports           // export files
	Analyses    *analyze.Analyses       // analysis of asset content
	Shares      *share.Shares           // shares and embeds
	Guests      *share.Guests           // shares as guests see them
	IIIF        *share.IIIF             // IIIF images and manifests
	Analytics   *analytics.Analytics    // usage counts
	Reports     *report.Reports         // reports on the use
	Webhooks    *webhook.Webhooks       // webhooks and their deliveries
	Maintenance *maintain.Maintenance   // checks, repairs, backups, status

	cfg       Config
	created   bool               // whether Open created the library
	store     *storage.Store     // the database
	schemas   *index.Schemas     // metadata definitions
	index     *index.Index       // the search engine
	jobs      *job.Queue         // the queue of background work
	followups *index.FollowUps   // follow-up work after changes to many assets
	disks     *library.Disks     // reserves disk space for the database
	originals *original.Files    // original files
	resumable *ingest.Resumables // resumable uploads
	previews  *render.Renditions // previews of originals
	proxies   *render.Proxies    // browser-playable copies of videos and audio
	ingest    *ingest.Ingester   // turns uploaded files into assets
	meaning   *find.Meaning      // vectors for semantic search
	captions  *analyze.Captions  // descriptions of pictures by a model
	webhooks  *webhook.Runner    // delivers events
	mailer    *share.Mailer      // emails codes to guests
	upkeep    *maintain.Upkeep   // periodic maintenance
	live      *live.Hub          // streams changes to subscribers
	engines   *engine.Pool       // read formats that Go has no library for
	health    *maintain.Health   // monitors the state of the library
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
		schemas: &index.Schemas{Now: cfg.Now}, index: &index.Index{}, jobs: &job.Queue{Attempts: cfg.JobAttempts},
		disks: library.NewDisks(cfg.DataDir, cfg.DiskReserve, cfg.Log),
	}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := a.openFolder(ctx, readOnly); err != nil {
		return nil, err
	}
	if err := a.assemble(ctx, readOnly); err != nil {
		return nil, err
	}
	return a, nil
}

// openFolder opens the database and the files in the data folder.
func (a *App) openFolder(ctx context.Context, readOnly bool) (err error) {
	path := func(name string) string { return filepath.Join(a.cfg.DataDir, name) }
	a.originals = &original.Files{Log: a.cfg.Log, LookAgain: func(root int64) { a.External.Suspect(root) },
		Unreadable: func(ctx context.Context, f *dam.RootFile, err error) { a.External.Unreadable(ctx, f, err) }}
	if readOnly {
		a.originals.Blobs = blob.OpenReadOnly(path(library.BlobsDir))
		a.store, err = storage.OpenReadOnly(ctx, path(library.RecordsFile))
		a.originals.Store = a.store
		return err
	}
	if a.store, err = storage.Open(ctx, path(library.RecordsFile), a.cfg.Now); err != nil {
		return err
	}
	a.originals.Store = a.store
	if a.originals.Blobs, err = blob.Open(path(library.BlobsDir)); err != nil {
		return err
	}
	if a.originals.Cache, err = blob.OpenCache(path(library.CacheDir)); err != nil {
		return err
	}
	a.originals.Blobs.SetRoom(a.disks.Room(library.BlobsDir))
	a.originals.Cache.SetRoom(a.disks.Room(library.CacheDir))
	a.originals.Cache.SetBudget(blob.Budget{Bytes: a.cfg.RenditionCache, Worth: render.Worth})
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
		a.Analytics.Flush(context.Background())
	}
	if a.index.IsOpen() {
		errs = append(errs, a.index.Close())
	}
	if a.webhooks != nil {
		a.webhooks.Close()
	}
	if a.originals != nil && a.originals.Blobs != nil {
		errs = append(errs, a.originals.Blobs.Close())
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
	l := flock.New(filepath.Join(dir, library.ServerLock))
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
	path := filepath.Join(a.cfg.DataDir, library.ServerURL)
	return func() error { return os.Remove(path) }, os.WriteFile(path, []byte(url+"\n"), 0o600)
}

// ServerURL returns the URL announced by the latest server of a data folder, or "" if it
// has stopped. A server that was killed leaves its URL behind.
func ServerURL(dataDir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dataDir, library.ServerURL))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// OpenSearch opens the search index, which only the process that holds the Lock may do.
// Search is available afterwards.
func (a *App) OpenSearch(ctx context.Context) error {
	dir := filepath.Join(a.cfg.DataDir, library.IndexDir)
	engine, err := search.OpenIn(ctx, dir, a.cfg.Language, index.NewSource(a.store, a.schemas, a.cfg.Version), a.meaning.Embedder, a.cfg.Log)
	if err != nil {
		return err
	}
	engine.SetHold(a.disks.Full(library.IndexDir))
	a.index.Engine = engine
	return nil
}

// Run does the background work until ctx is done: jobs, indexing, maintenance, webhooks.
// Before it returns, running jobs are completed or requeued. The caller holds the Lock
// and has called OpenSearch.
func (a *App) Run(ctx context.Context) error {
	a.upkeep.Marker.Try(ctx)
	defer a.upkeep.Marker.Try(context.WithoutCancel(ctx))
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"sweep the exports", a.Exports.Sweep},
		{"follow up on changes", a.followups.Resume},
		{"look for videos that browsers do not play", a.proxies.Resume},
		{"look for assets that are to be analysed", a.Analyses.Resume},
		{"look for ambiguous accounts", a.Accounts.WarnAmbiguous},
	} {
		if err := step.do(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.ErrorContext(ctx, step.what, "err", err)
		}
	}
	a.disks.Warn()
	var wg sync.WaitGroup
	for _, work := range []func(context.Context){
		a.index.Run, a.meaning.Run, a.disks.Watch, a.webhooks.Run, a.upkeep.Run, a.live.Run, a.health.Run, a.previews.Run,
		a.External.Run, a.Analytics.Run,
	} {
		wg.Go(func() { work(ctx) })
	}
	err := a.jobs.Run(ctx)
	wg.Wait()
	return err
}
