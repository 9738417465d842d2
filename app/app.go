// Package app is what dal does: the use cases behind the interface and the
// command line, one file a noun.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/app/trail"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Config is what an App can be told. Zero values mean the defaults.
type Config struct {
	DataDir   string // holds everything
	Access    Access // what is wanted of the library; the zero value makes one when there is none
	AllowRoot bool   // root may write to another user's folder

	MaxFileSize     int64         // bytes of one uploaded file; 10 GiB
	MaxBatchFiles   int           // files of one upload batch; 10,000
	MaxRequestFiles int           // files of one upload request; 1,000
	BatchIdle       time.Duration // an open batch without a new file closes after this; 24 h
	FailedKeep      time.Duration // the bytes of a failed file are kept for a retry this long; 30 days
	AuditKeep       time.Duration // 90 days
	EventKeep       time.Duration // 30 days
	ExportKeep      time.Duration // the file of an export is kept this long; 24 h
	ExportQuota     int64         // bytes that the files of a user's exports may have at once; 50 GiB
	LostKeep        time.Duration // a file that nothing refers to is kept aside this long; 30 days
	OperationKeep   time.Duration // an operation that has ended is kept this long; 90 days
	DiskReserve     int64         // bytes of each disk that are kept free for the records; 512 MiB, or 5 % of a smaller disk
	JobAttempts     int           // how often a job is tried before it is given up; 5
	Workers         int           // files ingested at once; one a processor
	Clamd           string        // "unix:/path" or "tcp://host:port"; "" for none
	Embeddings      string        // "off", "builtin", or the URL of an OpenAI-compatible endpoint; builtin
	EmbeddingsModel string        // of an endpoint
	EmbeddingsKey   string        // of an endpoint; secret
	Media           media.Limits

	BackupDir   string        // Run makes backups to this folder; "" for none
	BackupEvery time.Duration // 24 h
	BackupKeep  int           // how many of them are kept; 7

	WebhookAllow    []netip.Prefix // addresses that webhooks may be sent to although they are not public
	WebhookProxy    *url.URL       // an HTTP proxy that webhooks are sent through; none
	WebhookCAFile   string         // PEM certificates that endpoints may have beside the system's
	WebhookKeep     time.Duration  // the history of deliveries; 30 days
	WebhookTimeout  time.Duration  // of one attempt; 10 s
	WebhookResolver *net.Resolver  // of endpoints' names; the system's
	Version         string         // of dal, told to endpoints

	Now func() time.Time // the clock; time.Now
	Log *slog.Logger     // slog.Default
}

// KeepAll is for who runs a library without the server's settings: what is kept
// for a time is left to the server.
func (c *Config) KeepAll() {
	const ever = 100 * 365 * 24 * time.Hour
	c.FailedKeep, c.AuditKeep, c.EventKeep, c.LostKeep, c.OperationKeep, c.WebhookKeep = ever, ever, ever, ever, ever, ever
}

func (c *Config) setDefaults() {
	def(&c.MaxFileSize, 10<<30)
	def(&c.MaxBatchFiles, 10_000)
	def(&c.MaxRequestFiles, 1000)
	def(&c.BatchIdle, 24*time.Hour)
	def(&c.FailedKeep, 30*24*time.Hour)
	def(&c.AuditKeep, 90*24*time.Hour)
	def(&c.EventKeep, 30*24*time.Hour)
	def(&c.ExportKeep, 24*time.Hour)
	def(&c.ExportQuota, 50<<30)
	def(&c.LostKeep, 30*24*time.Hour)
	def(&c.OperationKeep, 90*24*time.Hour)
	def(&c.BackupEvery, 24*time.Hour)
	def(&c.BackupKeep, 7)
	def(&c.WebhookKeep, 30*24*time.Hour)
	def(&c.WebhookTimeout, 10*time.Second)
	def(&c.Version, "dev")
	def(&c.JobAttempts, 5)
	def(&c.Embeddings, EmbeddingsBuiltin)
	def(&c.Workers, defaultWorkers())
	if c.Media == (media.Limits{}) {
		c.Media = media.DefaultLimits()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
}

func def[T comparable](v *T, to T) {
	if *v == *new(T) {
		*v = to
	}
}

// App is an open library. Its methods are safe for concurrent use.
type App struct {
	Finder   *Finder      // searches and lists of assets
	Accounts *Accounts    // users, log-ins and tokens
	Trail    *trail.Trail // the audit trail
	Exports  *Exports     // the files of exports

	cfg        Config
	log        *slog.Logger
	store      *storage.Store
	blobs      *blob.Store
	cache      *blob.Cache
	media      *media.Processor
	scan       *scan.Scanner
	search     *search.Engine
	jobs       *job.Runner
	upkeepWake chan struct{}
	hands      *hands
	previews   chan struct{} // has one for each preview of an operation that is being worked out
	keys       *keys
	embedder   search.Embedder // nil when off
	schemas    *schemas
	hookGuard  *webhook.Guard
	hookSender *webhook.Sender
	hookTests  testers
	payloads   payloads
	reading    sync.Mutex // held while a file that was damaged is read again
	unmarked   seldom     // tells of files that could not be marked
	uncached   seldom     // tells of renditions that could not be kept
	disks      *disks
	dispatch   *dispatcher
	queued     time.Time // when an event was last queued for webhooks; for the holder of a write transaction
	made       bool

	scannerAbsence absence
}

// Open opens the library in cfg.DataDir. Several processes may have a library
// open; only one may Run it. A folder without a library is ErrNoLibrary, unless
// cfg.Access allows to make one and it is empty or missing; one whose records
// and files do not belong together *Unfit.
func Open(ctx context.Context, cfg Config) (_ *App, err error) {
	cfg.setDefaults()
	if err := backup.Unfinished(cfg.DataDir); err != nil {
		return nil, err
	}
	if cfg.BackupDir != "" {
		if err := backup.Apart(cfg.BackupDir, cfg.DataDir); err != nil {
			return nil, err
		}
	}
	made, readOnly, err := prepare(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	a := &App{made: made, cfg: cfg, log: cfg.Log, media: media.New(cfg.Media), upkeepWake: make(chan struct{}, 1),
		schemas: &schemas{}, hands: &hands{of: map[int64]context.CancelCauseFunc{}}, keys: &keys{taken: map[string]bool{}}, previews: make(chan struct{}, previewWorkers)}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := a.openFolder(ctx, readOnly); err != nil {
		return nil, err
	}
	a.Finder = &Finder{store: a.store, schemas: a.schemas, log: a.log}
	a.disks = newDisks(cfg.DataDir, cfg.DiskReserve, cfg.Log)
	if !readOnly {
		a.blobs.SetRoom(a.disks.room(dirBlobs))
		a.cache.SetRoom(a.disks.room(dirCache))
	}
	if a.scan, err = openScanner(cfg); err != nil {
		return nil, err
	}
	if a.embedder, err = NewEmbedder(cfg); err != nil {
		return nil, err
	}
	a.hookGuard = &webhook.Guard{Allow: cfg.WebhookAllow, Resolver: cfg.WebhookResolver}
	if a.hookSender, err = webhook.NewSender(webhook.Options{Guard: a.hookGuard, Proxy: cfg.WebhookProxy, CAFile: cfg.WebhookCAFile,
		Timeout: cfg.WebhookTimeout, Agent: "dal/" + cfg.Version}); err != nil {
		return nil, err
	}
	a.dispatch = newDispatcher(a)
	a.Trail = trail.New(a.store, a.log, cfg.Now)
	a.Accounts = newAccounts(a.store, a.Trail, a.log, cfg.Now, a.dispatch.soon)
	if !readOnly {
		source := exportSource{original: a.original, rendition: a.rendition, setCollections: a.Finder.fillCollections}
		if a.Exports, err = openExports(cfg, a.store, a.Accounts, a.disks.room(dirExports), source); err != nil {
			return nil, err
		}
	}
	a.jobs = job.New(a.store, a.log, map[dam.JobKind]job.Handler{
		dam.JobIngest:  {Workers: cfg.Workers, Work: a.ingest, Dead: a.ingestDied, Deaths: ingestDeaths, Hold: a.holds(dirCache)},
		dam.JobReindex: {Workers: 1, Work: a.reindex, Hold: a.holds(dirIndex)},
		dam.JobFollow:  {Workers: 1, Work: a.followTurn},

		dam.JobBulk:     {Workers: bulkWorkers, Work: a.bulkTurn, Dead: a.turnDied},
		dam.JobAnalysis: {Workers: 1, Work: a.analysisTurn, Dead: a.turnDied},
		dam.JobExport:   {Workers: exportWorkers, Work: a.exportTurn, Dead: a.turnDied, Hold: a.holds(dirExports)},
	})
	return a, nil
}

// openFolder opens what is in the data folder.
func (a *App) openFolder(ctx context.Context, readOnly bool) (err error) {
	dir := a.cfg.DataDir
	if readOnly {
		a.blobs = blob.OpenReadOnly(filepath.Join(dir, blobsDir))
		a.store, err = storage.OpenReadOnly(ctx, filepath.Join(dir, recordsFile))
		return err
	}
	if a.store, err = storage.Open(ctx, filepath.Join(dir, recordsFile), a.cfg.Now); err != nil {
		return err
	}
	if a.blobs, err = blob.Open(filepath.Join(dir, blobsDir)); err != nil {
		return err
	}
	a.cache, err = blob.OpenCache(filepath.Join(dir, cacheDir))
	return err
}

// Made reports whether Open has made the library.
func (a *App) Made() bool { return a.made }

// Close closes the library, after what the request path noted is written.
func (a *App) Close() error {
	var errs []error
	if a.Trail != nil {
		a.Trail.Close()
	}
	if a.search != nil {
		errs = append(errs, a.search.Close())
	}
	if a.hookSender != nil {
		a.hookSender.Close()
	}
	if a.blobs != nil {
		errs = append(errs, a.blobs.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	return errors.Join(errs...)
}

// ErrInUse is returned by Lock for a library that another process runs.
var ErrInUse = errors.New("the library is in use: another dal serves this data folder")

// Lock claims the library for this process, so that it may Run it. The
// returned function gives it back.
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

// OpenSearch opens the search index, which only the process that holds the
// Lock may do. Search works after it.
func (a *App) OpenSearch(ctx context.Context) (err error) {
	a.search, err = search.Open(ctx, filepath.Join(a.cfg.DataDir, indexDir), source{a.store, a.schemas}, a.embedder, a.log)
	if err != nil {
		return err
	}
	a.Finder.engine = a.search
	a.search.SetHold(a.holds(dirIndex))
	return nil
}

// Run does the background work until ctx is done: jobs, index, upkeep, webhooks. Jobs in
// hand are finished or handed back before it returns. Webhooks are told of
// events as view shows them; without a view, nil, the events wait for a Run that
// has one. The caller holds the Lock and has called OpenSearch.
func (a *App) Run(ctx context.Context, view EventView) error {
	a.tryMark(ctx)
	defer a.tryMark(context.WithoutCancel(ctx))
	if err := a.Exports.sweep(ctx); err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "sweep the exports", "err", err)
	}
	if err := a.followLeft(ctx); err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "follow up on definitions", "err", err)
	}
	if err := a.Accounts.warnAmbiguous(ctx); err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "look for ambiguous accounts", "err", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { a.search.Run(ctx) })
	wg.Go(func() { a.meaning(ctx) })
	wg.Go(func() { a.upkeep(ctx) })
	a.disks.warn()
	wg.Go(func() { a.disks.watch(ctx) })
	wg.Go(func() { a.sweep(ctx) })
	wg.Go(func() { a.keepMark(ctx) })
	wg.Go(func() { a.backups(ctx) })
	if view != nil {
		wg.Go(func() { a.dispatch.run(ctx, view) })
	}
	err := a.jobs.Run(ctx)
	wg.Wait()
	return err
}

// changed tells those who follow the records that there is something new.
func (a *App) changed() {
	if a.search != nil {
		a.search.Wake()
	}
}

const (
	quietAfter = time.Second // without a search for so long, nobody is searching
	maxPause   = time.Second // of background work while somebody is
)

// searching reports whether somebody is searching.
func (a *App) searching() bool {
	return time.Since(time.UnixMilli(a.Finder.last.Load())) <= quietAfter
}

// giveWay has background work wait for a while if somebody is searching, who
// wants the processors.
func (a *App) giveWay(ctx context.Context, pause time.Duration) {
	if !a.searching() {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// changedLater tells them of changes, from one sequence number to another, that
// are part of an operation that goes on.
func (a *App) changedLater(from, to int64) {
	if a.search != nil {
		a.search.Later(from, to)
	}
}

// changedNow ends what changedLater began.
func (a *App) changedNow() {
	if a.search != nil {
		a.search.Now()
	}
}

// source is the library as the search engine reads it.
type source struct {
	store   *storage.Store
	schemas *schemas
}

func (s source) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		seq, err = tx.LastChange()
		return err
	})
	return seq, err
}

func (s source) Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.changes(ctx, after, limit, false)
}

func (s source) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.changes(ctx, after, limit, true)
}

func (s source) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	return s.store.View(ctx, func(tx *storage.Tx) error { return tx.AssetValues(field, assets, yield) })
}

func (s source) changes(ctx context.Context, after int64, limit int, detailed bool) (list []dam.Change, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		if list, err = tx.Changes(after, limit, detailed); err != nil || !detailed {
			return err
		}
		return s.schemas.found(tx, list)
	})
	return list, err
}
