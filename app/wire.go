package app

import (
	"context"
	"maps"
	"path/filepath"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/trail"
	"github.com/digital-asset-library/dal/app/webhook"
)

// assemble creates the types that App holds, in the order of their layers.
func (a *App) assemble(ctx context.Context, readOnly bool) error {
	cfg := a.cfg
	ffmpeg, err := findFFmpeg(ctx, cfg.FFmpeg)
	if err != nil {
		return err
	}
	if a.webhooks, err = a.newWebhooks(); err != nil {
		return err
	}
	a.engines = newEngines(cfg)
	media := media.New(cfg.Media).With(a.engines).Accepting(cfg.accepts())
	a.followups = &followups{store: a.store, index: a.index, jobs: a.jobs}
	a.originals.followups = a.followups
	a.Trail = trail.New(a.store, cfg.Log, cfg.Now)
	a.Keys = &Keys{store: a.store}
	a.Accounts = newAccounts(a.store, a.Trail, cfg.Log, cfg.Now, a.webhooks.Wake)
	a.Analytics = newAnalytics(a.store, cfg.AnalyticsKeep, cfg.QueryKeep, cfg.Log, cfg.Now)
	a.Finder = &Finder{store: a.store, schemas: a.schemas, index: a.index, log: cfg.Log}
	a.previews = &renditions{
		originals: a.originals, cache: a.originals.cache, media: media, log: cfg.Log, flights: newFlights(renders()),
	}
	a.proxies = &proxies{
		ffmpeg: ffmpeg, store: a.store, originals: a.originals, cache: a.originals.cache, jobs: a.jobs, index: a.index, log: cfg.Log,
	}
	a.Images = &images{renditions: a.previews, store: a.store, proxies: a.proxies, now: cfg.Now, pyramids: newFlights(renders())}
	a.Definitions = &Definitions{store: a.store, schemas: a.schemas, index: a.index, finder: a.Finder, followups: a.followups}
	a.Assets = &Assets{
		store: a.store, originals: a.originals, renditions: a.previews, images: a.Images, proxies: a.proxies, media: media,
		schemas: a.schemas, index: a.index, finder: a.Finder, versionKeep: cfg.VersionKeep, now: cfg.Now,
	}
	a.Collections = &Collections{store: a.store, schemas: a.schemas, index: a.index, finder: a.Finder}
	a.Webhooks = &Webhooks{store: a.store, webhooks: a.webhooks, timeout: cfg.WebhookTimeout}
	if err := a.assembleSearch(media); err != nil {
		return err
	}
	if err := a.assembleUploads(media); err != nil {
		return err
	}
	if err := a.assembleShares(media); err != nil {
		return err
	}
	if err := a.assembleOperations(media, readOnly); err != nil {
		return err
	}
	a.assembleMaintenance(media)
	a.jobs.Runner = a.newRunner()
	a.live = live.New(live.Config{
		Store: a.store, Log: cfg.Log, Known: stillSame, May: mayFollow, Max: cfg.MaxStreams, MaxPerUser: cfg.MaxStreamsPerUser,
	})
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

// assembleSearch creates what understands the content of assets.
func (a *App) assembleSearch(media *media.Processor) error {
	cfg := a.cfg
	embedder, err := NewEmbedder(cfg.embedder())
	if err != nil {
		return err
	}
	a.meaning = &meaning{
		store: a.store, index: a.index, schemas: a.schemas, embedder: embedder, log: cfg.Log, full: a.disks.full(recordsDir),
	}
	a.captions, err = newCaptions(AIConfig{cfg.AIEndpoint, cfg.AIModel, cfg.AIKey, cfg.AIBudget, cfg.Language}, a.store, cfg.Now)
	if err != nil {
		return err
	}
	a.captions.renditions = a.previews
	text := newRecognition(OCRConfig{cfg.OCR, cfg.OCRLanguages, cfg.OCRPages}, a.store, a.originals, media, a.engines, cfg.Log)
	tags := &tagger{a.engines, a.previews, cfg.TagThreshold}
	a.Analyses = &understanding{
		store: a.store, jobs: a.jobs, index: a.index, log: cfg.Log, captions: a.captions, ocrData: cfg.OCRData,
		analyzers: []*analyzer{text.analyzer(), tags.analyzer(), a.captions.analyzer()},
	}
	return nil
}

// assembleUploads creates what receives files and turns them into assets.
func (a *App) assembleUploads(media *media.Processor) error {
	cfg := a.cfg
	scanner, err := openScanner(a.store, filepath.Join(cfg.DataDir, SignaturesDir), cfg.Clamd, cfg.Log)
	if err != nil {
		return err
	}
	a.ingest = &ingest{
		store: a.store, originals: a.originals, renditions: a.previews, media: media, scanner: scanner, schemas: a.schemas,
		index: a.index, proxies: a.proxies, understanding: a.Analyses, stacks: cfg.Stack != StackOff, followups: a.followups,
		jobs: a.jobs, suspect: func(root int64) { a.External.suspect(root) }, quarantine: func() { a.upkeep.soon() }, log: cfg.Log,
	}
	a.followups.fill = a.ingest.fillPeople
	a.resumable = newResumables(a.store, a.originals.blobs, cfg.Log)
	a.Uploads = &Uploads{
		store: a.store, originals: a.originals, renditions: a.previews, ingest: a.ingest, schemas: a.schemas, index: a.index,
		jobs: a.jobs, disks: a.disks, finder: a.Finder, assets: a.Assets, resumables: a.resumable,
		cfg: UploadConfig{cfg.MaxFileSize, cfg.MaxBatchFiles, cfg.MaxRequestFiles, cfg.UploadKeep},
		log: cfg.Log, now: cfg.Now,
	}
	a.External = newPlaces(&places{
		store: a.store, originals: a.originals, ingest: a.ingest, media: media, index: a.index, jobs: a.jobs,
		followups: a.followups, log: cfg.Log,
		dataDir: cfg.DataDir, maxFile: cfg.MaxFileSize, maxFiles: cfg.MaxBatchFiles, now: cfg.Now,
		every: cfg.RescanEvery, follow: cfg.FollowPlaces,
		createBatch: a.Uploads.CreateBatch, endBatch: a.Uploads.CompleteBatch,
	})
	return nil
}

// assembleShares creates what serves guests.
func (a *App) assembleShares(media *media.Processor) (err error) {
	cfg := a.cfg
	if a.mailer, err = newMailer(cfg.SMTP, cfg.SiteName, a.store, a.jobs, cfg.Log, cfg.Now); err != nil {
		return err
	}
	a.Guests = &Guests{
		store: a.store, finder: a.Finder, originals: a.originals, renditions: a.previews, proxies: a.proxies,
		passwords: a.Accounts.passwords, attempts: NewBuckets(cfg.Now, 2*loginBuckets), log: cfg.Log, now: cfg.Now,
		mailer: a.mailer, analytics: a.Analytics, bare: newBareCopies(a.originals),
	}
	a.IIIF = &IIIF{a.store, a.Images, a.Guests}
	a.Shares = &Shares{
		store: a.store, originals: a.originals, media: media, ingest: a.ingest, uploads: a.Uploads, accounts: a.Accounts,
		analytics: a.Analytics, images: a.Images, guests: a.Guests, mailer: a.mailer, disks: a.disks,
		tidySoon: func() { a.upkeep.soon() }, maxFileSize: cfg.MaxFileSize, now: cfg.Now,
	}
	a.Reports = &Reports{store: a.store, analytics: a.Analytics, index: a.index, finder: a.Finder, shares: a.Shares}
	return nil
}

// assembleOperations creates what changes and exports many assets at a time.
func (a *App) assembleOperations(media *media.Processor, readOnly bool) (err error) {
	cfg := a.cfg
	if !readOnly {
		source := exportSource{original: a.originals.openAsset, rendition: a.previews.openKind, setCollections: a.Finder.fillCollections}
		files := exportConfig{filepath.Join(cfg.DataDir, exportsDir), cfg.ExportKeep, cfg.ExportQuota}
		if a.Exports, err = openExports(files, a.store, a.disks.room(exportsDir), source, a.Analytics, cfg.Log, cfg.Now); err != nil {
			return err
		}
	}
	a.Imports = &Imports{store: a.store, room: a.disks.room(recordsDir), most: cfg.MaxTableSize, now: cfg.Now}
	a.Importer = &Importer{
		store: a.store, originals: a.originals, media: media, uploads: a.Uploads, collections: a.Collections, maxFiles: cfg.MaxBatchFiles,
	}
	a.Operations = newOperations(&operations{
		store: a.store, originals: a.originals, schemas: a.schemas, index: a.index, disks: a.disks, jobs: a.jobs,
		finder: a.Finder, meaning: a.meaning, analyses: a.Analyses, exports: a.Exports, imports: a.Imports,
		keep: cfg.ExportKeep,
	})
	return nil
}

// assembleMaintenance creates what keeps the library tidy and watches its state.
func (a *App) assembleMaintenance(media *media.Processor) {
	cfg, blobs := a.cfg, a.originals.blobs
	a.upkeep = newUpkeep(&upkeep{
		cfg: cfg.retention(), store: a.store, log: cfg.Log, now: cfg.Now, originals: a.originals, uploads: a.resumable,
		followups: a.followups, webhooks: a.webhooks, analytics: a.Analytics,
		lost: &lostFiles{originals: a.originals, keep: cfg.LostKeep, now: cfg.Now, log: cfg.Log},
		marker: &marker{
			dir: filepath.Join(cfg.DataDir, blobsDir), store: a.store, blobs: blobs, log: cfg.Log, force: cfg.Access == accessRecover,
		},
		backups: &backups{
			store: a.store, blobs: blobs, log: cfg.Log, now: cfg.Now, dataDir: cfg.DataDir, version: cfg.Version,
			target: cfg.BackupDir, every: cfg.BackupEvery, keep: cfg.BackupKeep, giveWay: a.index.giveWay,
		},
		first: []func(context.Context, time.Time) error{
			func(ctx context.Context, now time.Time) error { return a.Exports.expire(ctx, now) },
			func(context.Context, time.Time) error { a.Trail.WriteSums(); return nil },
			func(ctx context.Context, _ time.Time) error { return a.Imports.trim(ctx) },
		},
	})
	a.health = newHealth(&health{
		store: a.store, index: a.index, media: media, scanner: a.ingest.scanner, analyses: a.Analyses, captions: a.captions,
		analytics: a.Analytics, mailer: a.mailer, places: a.External, disks: a.disks, dataDir: cfg.DataDir, version: cfg.Version,
		rescanEvery: cfg.RescanEvery, now: cfg.Now,
	})
	a.Maintenance = &Maintenance{
		store: a.store, originals: a.originals, accounts: a.Accounts, index: a.index, jobs: a.jobs, disks: a.disks,
		upkeep: a.upkeep, health: a.health, log: cfg.Log, now: cfg.Now,
	}
}

// newRunner returns the job runner with a handler for each kind of job.
func (a *App) newRunner() *job.Runner {
	cfg, log := a.cfg, a.cfg.Log
	analysis, exporting := &analysis{a.Operations, a.meaning, a.Analyses, log}, &exporting{a.Operations, a.Exports, log}
	handlers := a.Analyses.handlers(a.disks.full(recordsDir))
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

		dam.JobBulk:     {Workers: bulkWorkers, Work: a.Operations.bulkTurn, Dead: a.Operations.turnDied},
		dam.JobAnalysis: {Workers: 1, Work: analysis.turn, Dead: a.Operations.turnDied},
		dam.JobExport:   {Workers: exportWorkers, Work: exporting.turn, Dead: exporting.died, Hold: a.disks.full(exportsDir)},
	})
	return job.New(a.store, log, handlers)
}
