package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/trail"
	"github.com/digital-asset-library/dal/app/transcode"
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
	Finder   *Finder      // searches and asset lists
	Accounts *Accounts    // users, logins and tokens
	Trail    *trail.Trail // the audit log
	Exports  *Exports     // export files
	Imports  *Imports     // tables that update assets
	Guests   *Guests      // shares as guests see them
	IIIF     *IIIF        // IIIF images and manifests
	Keys     *Keys        // idempotency keys

	Analytics *Analytics // usage counts

	cfg           Config
	store         *storage.Store  // the database
	schemas       *schemas        // metadata definitions
	index         *index          // the search engine
	jobs          *jobs           // the queue of background work
	followups     *followups      // follow-up work after changes to many assets
	disks         *disks          // reserves disk space for the database
	originals     *originals      // original files
	uploads       *resumables     // resumable uploads
	forms         handInForms     // concurrent upload forms of guests
	renditions    *renditions     // previews of originals
	images        *images         // images of any size
	proxies       *proxies        // browser-playable copies of videos and audio
	ingest        *ingest         // turns uploaded files into assets
	places        *places         // external libraries
	operations    *operations     // bulk changes, exports, analyses
	meaning       *meaning        // vectors for semantic search
	understanding *understanding  // analysis of asset content
	captions      *captions       // descriptions of pictures by a model
	webhooks      *webhook.Runner // delivers events
	mailer        *mailer         // emails codes to guests
	upkeep        *upkeep         // periodic maintenance
	live          *live.Hub       // streams changes to subscribers
	engines       *engine.Pool    // read formats that Go has no library for
	health        *health         // monitors the state of the library
	created       bool            // whether Open created the library
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
	scanner, err := openScanner(cfg, a.store)
	if err != nil {
		return nil, err
	}
	ffmpeg, err := findFFmpeg(ctx, cfg.FFmpeg)
	if err != nil {
		return nil, err
	}
	embedder, err := NewEmbedder(cfg)
	if err != nil {
		return nil, err
	}
	if a.captions, err = newCaptions(cfg, a.store); err != nil {
		return nil, err
	}
	if a.mailer, err = newMailer(cfg, a.store, a.jobs); err != nil {
		return nil, err
	}
	if a.webhooks, err = a.newWebhooks(); err != nil {
		return nil, err
	}
	a.Analytics = newAnalytics(cfg, a.store)
	a.Keys = &Keys{store: a.store}
	a.Finder = &Finder{store: a.store, schemas: a.schemas, index: a.index, log: cfg.Log}
	a.assemble(scanner, embedder, ffmpeg)
	a.Trail = trail.New(a.store, cfg.Log, cfg.Now)
	a.Accounts = newAccounts(a.store, a.Trail, cfg.Log, cfg.Now, a.webhooks.Wake)
	a.Guests = &Guests{
		store: a.store, finder: a.Finder, originals: a.originals, renditions: a.renditions, proxies: a.proxies,
		passwords: a.Accounts.passwords, attempts: NewBuckets(cfg.Now, 2*loginBuckets), log: cfg.Log, now: cfg.Now,
		mailer:    a.mailer,
		analytics: a.Analytics,
		bare:      newBareCopies(a.originals),
	}
	a.IIIF = &IIIF{a.store, a.images, a.Guests}
	if !readOnly {
		source := exportSource{original: a.originals.openAsset, rendition: a.renditions.openKind, setCollections: a.Finder.fillCollections}
		if a.Exports, err = openExports(cfg, a.store, a.Accounts, a.disks.room(exportsDir), source, a.Analytics); err != nil {
			return nil, err
		}
	}
	a.jobs.Runner = a.newRunner()
	a.health = newHealth(a)
	a.live = live.New(live.Config{
		Store: a.store, Log: cfg.Log, Known: stillSame, May: mayFollow, Max: cfg.MaxStreams, MaxPerUser: cfg.MaxStreamsPerUser,
	})
	return a, nil
}

// openFolder opens the database and the files in the data folder.
func (a *App) openFolder(ctx context.Context, readOnly bool) (err error) {
	path := func(name string) string { return filepath.Join(a.cfg.DataDir, name) }
	a.originals = &originals{log: a.cfg.Log, lookAgain: func(root int64) { a.places.suspect(root) },
		unreadable: func(ctx context.Context, f *dam.RootFile, err error) { a.places.unreadable(ctx, f, err) }}
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

func (a *App) newWebhooks() (*webhook.Runner, error) {
	cfg := a.cfg
	return webhook.New(webhook.Config{
		Store: a.store, Log: a.cfg.Log, Now: cfg.Now, View: cfg.EventView.of(a), May: mayReceive,
		Sender: webhook.Options{
			Guard: &webhook.Guard{Allow: cfg.WebhookAllow, Resolver: cfg.WebhookResolver},
			Proxy: cfg.WebhookProxy, CAFile: cfg.WebhookCAFile, Timeout: cfg.WebhookTimeout, Agent: "dal/" + cfg.Version,
		},
	})
}

// assemble creates the types that App holds from what Open has opened.
func (a *App) assemble(scanner *scanner, embedder search.Embedder, ffmpeg *transcode.FFmpeg) {
	cfg, log, blobs := a.cfg, a.cfg.Log, a.originals.blobs
	a.engines = newEngines(cfg)
	media := media.New(cfg.Media).With(a.engines).Accepting(cfg.accepts())
	a.followups = &followups{store: a.store, index: a.index, jobs: a.jobs}
	a.originals.followups = a.followups
	a.uploads = &resumables{store: a.store, blobs: blobs, log: log, busy: map[string]*working{}}
	a.renditions = &renditions{
		originals: a.originals, cache: a.originals.cache, media: media, log: log, flights: newFlights(renders()),
	}
	a.images = &images{renditions: a.renditions, store: a.store, pyramids: newFlights(renders())}
	a.proxies = &proxies{
		ffmpeg: ffmpeg, store: a.store, originals: a.originals, cache: a.originals.cache, jobs: a.jobs, index: a.index, log: log,
	}
	a.upkeep = &upkeep{
		cfg: cfg, store: a.store, log: log, originals: a.originals, uploads: a.uploads, followups: a.followups,
		webhooks: a.webhooks, analytics: a.Analytics, wake: make(chan struct{}, 1),
		lost: &lostFiles{originals: a.originals, keep: cfg.LostKeep, now: cfg.Now, log: log},
		marker: &marker{
			dir: filepath.Join(cfg.DataDir, blobsDir), store: a.store, blobs: blobs, log: log, force: cfg.Access == accessRecover,
		},
		backups: &backups{
			store: a.store, blobs: blobs, log: log, now: cfg.Now, dataDir: cfg.DataDir, version: cfg.Version,
			target: cfg.BackupDir, every: cfg.BackupEvery, keep: cfg.BackupKeep, giveWay: a.index.giveWay,
		},
		first: []func(context.Context, time.Time) error{
			func(ctx context.Context, now time.Time) error { return a.Exports.expire(ctx, now) },
			func(context.Context, time.Time) error { a.Trail.WriteSums(); return nil },
			func(ctx context.Context, _ time.Time) error { return a.Imports.trim(ctx) },
		},
	}
	a.places = &places{
		store: a.store, originals: a.originals, media: media, index: a.index, jobs: a.jobs, followups: a.followups, log: log,
		dataDir: cfg.DataDir, maxFile: cfg.MaxFileSize, maxFiles: cfg.MaxBatchFiles, now: cfg.Now,
		every: cfg.RescanEvery, follow: cfg.FollowPlaces,
		createBatch: a.CreateBatch, endBatch: a.CompleteBatch, wake: make(chan struct{}, 1),
		watched: map[int64]string{}, doubted: map[int64]bool{}, settling: settling{files: map[settlingFile]*settlingState{}},
	}
	tagging := &tagger{a.engines, a.renditions, cfg.TagThreshold}
	a.captions.renditions = a.renditions
	a.understanding = &understanding{
		store: a.store, jobs: a.jobs, index: a.index, log: log,
		analyzers: []*analyzer{newRecognition(cfg, a, media).analyzer(), tagging.analyzer(), a.captions.analyzer()},
	}
	a.ingest = &ingest{
		store: a.store, originals: a.originals, renditions: a.renditions, media: media, scanner: scanner, schemas: a.schemas,
		index: a.index, proxies: a.proxies, understanding: a.understanding, stacks: cfg.Stack != StackOff,
		places: a.places, quarantine: a.upkeep.soon, log: log,
	}
	a.followups.ingest = a.ingest
	a.operations = &operations{
		store: a.store, originals: a.originals, schemas: a.schemas, index: a.index, disks: a.disks, jobs: a.jobs,
		keep: cfg.ExportKeep, previews: make(chan struct{}, previewWorkers),
	}
	a.Imports = &Imports{store: a.store, room: a.disks.room(recordsDir), most: cfg.MaxTableSize, now: cfg.Now}
	a.meaning = &meaning{
		store: a.store, index: a.index, schemas: a.schemas, embedder: embedder, log: log, full: a.disks.full(recordsDir),
	}
}

// newRunner returns the job runner with a handler for each kind of job.
func (a *App) newRunner() *job.Runner {
	cfg, log := a.cfg, a.cfg.Log
	analysis, exporting := &analysis{a.operations, a.meaning, a.understanding, log}, &exporting{a.operations, a.Exports, log}
	handlers := a.understanding.handlers(a.disks.full(recordsDir))
	maps.Copy(handlers, map[dam.JobKind]job.Handler{
		dam.JobIngest: {
			Workers: cfg.workers(), Waiting: 2 * cfg.workers(), Share: cfg.fairShare(),
			Work: a.ingest.work, Dead: a.ingest.died, Deaths: ingestDeaths, Hold: a.disks.full(cacheDir),
		},
		dam.JobReindex: {Workers: 1, Work: a.index.rebuild(log), Hold: a.disks.full(indexDir)},
		dam.JobFollow:  {Workers: 1, Work: a.followups.turn},
		dam.JobProxy:   {Workers: 1, Work: a.proxies.work, Deaths: proxyDeaths, Hold: a.proxies.hold(a.disks.full(cacheDir))},

		dam.JobMail: {Workers: mailWorkers, Work: a.mailer.work},

		dam.JobSidecar: {
			Workers: sidecarWorkers, Work: a.ingest.beside, Dead: a.ingest.besideDied, Deaths: ingestDeaths, Hold: a.disks.full(blobsDir),
		},

		dam.JobBulk:     {Workers: bulkWorkers, Work: a.operations.bulkTurn, Dead: a.operations.turnDied},
		dam.JobAnalysis: {Workers: 1, Work: analysis.turn, Dead: a.operations.turnDied},
		dam.JobExport:   {Workers: exportWorkers, Work: exporting.turn, Dead: exporting.died, Hold: a.disks.full(exportsDir)},
	})
	return job.New(a.store, log, handlers)
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
		{"look for assets that are to be analysed", a.understanding.resume},
		{"look for ambiguous accounts", a.Accounts.warnAmbiguous},
	} {
		if err := step.do(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.ErrorContext(ctx, step.what, "err", err)
		}
	}
	a.disks.warn()
	var wg sync.WaitGroup
	for _, work := range []func(context.Context){
		a.index.Run, a.meaning.run, a.disks.watch, a.webhooks.Run, a.upkeep.run, a.live.Run, a.health.run, a.renditions.run,
		a.places.run, a.Analytics.run,
	} {
		wg.Go(func() { work(ctx) })
	}
	err := a.jobs.Run(ctx)
	wg.Wait()
	return err
}
