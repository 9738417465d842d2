package app

import (
	"context"
	"maps"
	"path/filepath"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/idempotency"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/app/maintain"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/app/report"
	"github.com/digital-asset-library/dal/app/schema"
	"github.com/digital-asset-library/dal/app/share"
	"github.com/digital-asset-library/dal/app/trail"
	"github.com/digital-asset-library/dal/app/webhook"
)

// assemble creates the types that App holds, in the order of their layers.
func (a *App) assemble(ctx context.Context, readOnly bool) error {
	cfg := a.cfg
	ffmpeg, err := render.FindFFmpeg(ctx, cfg.FFmpeg)
	if err != nil {
		return err
	}
	if a.webhooks, err = a.newWebhooks(); err != nil {
		return err
	}
	a.engines = newEngines(cfg)
	media := media.New(cfg.Media).With(a.engines).Accepting(cfg.accepts())
	a.followups = &index.FollowUps{Store: a.store, Index: a.index, Jobs: a.jobs}
	a.originals.Followups = a.followups
	a.Trail = trail.New(a.store, cfg.Log, cfg.Now)
	a.Keys = &idempotency.Keys{Store: a.store}
	a.Accounts = account.New(a.store, a.Trail, cfg.Log, cfg.Now, a.webhooks.Wake)
	a.Analytics = analytics.New(a.store, cfg.AnalyticsKeep, cfg.QueryKeep, cfg.Log, cfg.Now)
	a.Finder = &find.Finder{Store: a.store, Schemas: a.schemas, Index: a.index, Log: cfg.Log}
	a.previews = render.NewRenditions(&render.Renditions{
		Originals: a.originals, Cache: a.originals.Cache, Media: media, Log: cfg.Log,
	})
	a.proxies = &render.Proxies{
		FFmpeg: ffmpeg, Store: a.store, Originals: a.originals, Cache: a.originals.Cache, Jobs: a.jobs, Index: a.index, Log: cfg.Log,
	}
	a.Images = render.NewImages(&render.Images{
		Renditions: a.previews, Store: a.store, Proxies: a.proxies, Now: cfg.Now,
	})
	a.Definitions = &schema.Definitions{Store: a.store, Schemas: a.schemas, Index: a.index, Finder: a.Finder, Followups: a.followups}
	a.Assets = &asset.Assets{
		Store: a.store, Originals: a.originals, Renditions: a.previews, Images: a.Images, Proxies: a.proxies, Media: media,
		Schemas: a.schemas, Index: a.index, Finder: a.Finder, VersionKeep: cfg.VersionKeep, Now: cfg.Now,
	}
	a.Collections = &collection.Collections{Store: a.store, Schemas: a.schemas, Index: a.index, Finder: a.Finder}
	a.Webhooks = &webhook.Webhooks{Store: a.store, Runner: a.webhooks, Timeout: cfg.WebhookTimeout}
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
		Store: a.store, Log: cfg.Log, Known: stillSame, May: access.MayFollow, Max: cfg.MaxStreams, MaxPerUser: cfg.MaxStreamsPerUser,
	})
	return nil
}

func (a *App) newWebhooks() (*webhook.Runner, error) {
	cfg := a.cfg
	return webhook.New(webhook.Config{
		Store: a.store, Log: a.cfg.Log, Now: cfg.Now, View: cfg.EventView.of(a), May: access.MayReceive,
		Sender: webhook.Options{
			Guard: &webhook.Guard{Allow: cfg.WebhookAllow, Resolver: cfg.WebhookResolver},
			Proxy: cfg.WebhookProxy, CAFile: cfg.WebhookCAFile, Timeout: cfg.WebhookTimeout, Agent: "dal/" + cfg.Version,
		},
	})
}

// assembleSearch creates the vectors of semantic search and the analyses.
func (a *App) assembleSearch(media *media.Processor) error {
	cfg := a.cfg
	embedder, err := find.NewEmbedder(cfg.embedder())
	if err != nil {
		return err
	}
	a.meaning = &find.Meaning{
		Store: a.store, Index: a.index, Schemas: a.schemas, Embedder: embedder, Log: cfg.Log, Full: a.disks.Full(library.RecordsDir),
	}
	ai := analyze.AIConfig{
		Endpoint: cfg.AIEndpoint, Model: cfg.AIModel, Key: cfg.AIKey, Budget: cfg.AIBudget, Language: cfg.Language,
	}
	a.captions, err = analyze.NewCaptions(ai, a.store, cfg.Now)
	if err != nil {
		return err
	}
	a.captions.Renditions = a.previews
	ocr := analyze.OCRConfig{Mode: cfg.OCR, Languages: cfg.OCRLanguages, Pages: cfg.OCRPages}
	text := analyze.NewRecognition(ocr, a.store, a.originals, media, a.engines, cfg.Log)
	tags := analyze.NewTagger(a.engines, a.previews, cfg.TagThreshold)
	a.Analyses = &analyze.Analyses{
		Store: a.store, Jobs: a.jobs, Index: a.index, Log: cfg.Log, Captions: a.captions, OCRData: cfg.OCRData,
		Analyzers: []*analyze.Analyzer{text.Analyzer(), tags.Analyzer(), a.captions.Analyzer()},
	}
	return nil
}

// assembleUploads creates the services for uploads, ingestion and external libraries.
func (a *App) assembleUploads(media *media.Processor) error {
	cfg := a.cfg
	scanner, err := ingest.OpenScanner(a.store, filepath.Join(cfg.DataDir, library.SignaturesDir), cfg.Clamd, cfg.Log)
	if err != nil {
		return err
	}
	a.ingest = &ingest.Ingester{
		Store: a.store, Originals: a.originals, Renditions: a.previews, Media: media, Scanner: scanner, Schemas: a.schemas,
		Index: a.index, Proxies: a.proxies, Analyses: a.Analyses, Stacks: cfg.Stack != ingest.StackOff, Followups: a.followups,
		Jobs: a.jobs, Suspect: func(root int64) { a.External.Suspect(root) }, Quarantine: func() { a.upkeep.Soon() }, Log: cfg.Log,
	}
	a.followups.Fill = a.ingest.FillPeople
	a.resumable = ingest.NewResumables(a.store, a.originals.Blobs, cfg.Log)
	a.Uploads = &ingest.Uploads{
		Store: a.store, Originals: a.originals, Renditions: a.previews, Ingest: a.ingest, Schemas: a.schemas, Index: a.index,
		Jobs: a.jobs, Disks: a.disks, Finder: a.Finder, Assets: a.Assets, Resumables: a.resumable,
		Config: ingest.Config{
			MaxFileSize: cfg.MaxFileSize, MaxBatchFiles: cfg.MaxBatchFiles, MaxRequestFiles: cfg.MaxRequestFiles, UploadKeep: cfg.UploadKeep,
		},
		Log: cfg.Log, Now: cfg.Now,
	}
	a.External = external.New(&external.Libraries{
		Store: a.store, Originals: a.originals, Ingest: a.ingest, Media: media, Index: a.index, Jobs: a.jobs,
		Followups: a.followups, Log: cfg.Log,
		DataDir: cfg.DataDir, MaxFile: cfg.MaxFileSize, MaxFiles: cfg.MaxBatchFiles, Now: cfg.Now,
		Every: cfg.RescanEvery, Follow: cfg.FollowPlaces,
		CreateBatch: a.Uploads.CreateBatch, EndBatch: a.Uploads.CompleteBatch,
	})
	return nil
}

// assembleShares creates the services for shares and guests, and the reports.
func (a *App) assembleShares(media *media.Processor) (err error) {
	cfg := a.cfg
	if a.mailer, err = share.NewMailer(cfg.SMTP, cfg.SiteName, a.store, a.jobs, cfg.Log, cfg.Now); err != nil {
		return err
	}
	a.Guests = &share.Guests{
		Store: a.store, Finder: a.Finder, Originals: a.originals, Renditions: a.previews, Proxies: a.proxies,
		Passwords: a.Accounts.Passwords, Attempts: account.NewBuckets(cfg.Now, 2*account.LoginBuckets), Log: cfg.Log, Now: cfg.Now,
		Mailer: a.mailer, Analytics: a.Analytics, Stripped: render.NewStrippedCopies(a.originals),
	}
	a.IIIF = share.NewIIIF(a.store, a.Images, a.Guests)
	a.Shares = &share.Shares{
		Store: a.store, Originals: a.originals, Media: media, Ingest: a.ingest, Uploads: a.Uploads, Accounts: a.Accounts,
		Analytics: a.Analytics, Images: a.Images, Guests: a.Guests, Mailer: a.mailer, Disks: a.disks,
		TidySoon: func() { a.upkeep.Soon() }, MaxFileSize: cfg.MaxFileSize, Now: cfg.Now,
	}
	a.Reports = &report.Reports{Store: a.store, Analytics: a.Analytics, Index: a.index, Finder: a.Finder, Shares: a.Shares}
	return nil
}

// assembleOperations creates the services for operations, imports and exports.
func (a *App) assembleOperations(media *media.Processor, readOnly bool) (err error) {
	cfg := a.cfg
	if !readOnly {
		source := bulk.ExportSource{Original: a.originals.OpenAsset, Rendition: a.previews.OpenKind, SetCollections: a.Finder.FillCollections}
		files := bulk.ExportConfig{Dir: filepath.Join(cfg.DataDir, library.ExportsDir), Keep: cfg.ExportKeep, Quota: cfg.ExportQuota}
		room := a.disks.Room(library.ExportsDir)
		if a.Exports, err = bulk.OpenExports(files, a.store, room, source, a.Analytics, cfg.Log, cfg.Now); err != nil {
			return err
		}
	}
	a.Imports = &bulk.Imports{Store: a.store, Room: a.disks.Room(library.RecordsDir), Most: cfg.MaxTableSize, Now: cfg.Now}
	a.Importer = &bulk.Importer{
		Store: a.store, Originals: a.originals, Media: media, Uploads: a.Uploads, Collections: a.Collections, MaxFiles: cfg.MaxBatchFiles,
	}
	a.Operations = bulk.NewOperations(&bulk.Operations{
		Store: a.store, Originals: a.originals, Schemas: a.schemas, Index: a.index, Disks: a.disks, Jobs: a.jobs,
		Finder: a.Finder, Meaning: a.meaning, Analyses: a.Analyses, Exports: a.Exports, Imports: a.Imports,
		Keep: cfg.ExportKeep,
	})
	return nil
}

// assembleMaintenance creates maintenance and the status.
func (a *App) assembleMaintenance(media *media.Processor) {
	cfg, blobs := a.cfg, a.originals.Blobs
	a.upkeep = maintain.NewUpkeep(&maintain.Upkeep{
		Retention: cfg.Retention, Store: a.store, Log: cfg.Log, Now: cfg.Now, Originals: a.originals, Uploads: a.resumable,
		Followups: a.followups, Webhooks: a.webhooks, Analytics: a.Analytics,
		Lost: &maintain.LostFiles{Originals: a.originals, Keep: cfg.LostKeep, Now: cfg.Now, Log: cfg.Log},
		Marker: &original.Marker{
			Dir: filepath.Join(cfg.DataDir, library.BlobsDir), Store: a.store, Blobs: blobs, Log: cfg.Log,
			Force: cfg.Access == library.AccessRecover,
		},
		Backups: &maintain.Backups{
			Store: a.store, Blobs: blobs, Log: cfg.Log, Now: cfg.Now, DataDir: cfg.DataDir, Version: cfg.Version,
			Target: cfg.BackupDir, Every: cfg.BackupEvery, Keep: cfg.BackupKeep, GiveWay: a.index.GiveWay,
		},
		First: []func(context.Context, time.Time) error{
			func(ctx context.Context, now time.Time) error { return a.Exports.Expire(ctx, now) },
			func(context.Context, time.Time) error { a.Trail.WriteSums(); return nil },
			func(ctx context.Context, _ time.Time) error { return a.Imports.Trim(ctx) },
		},
	})
	a.health = maintain.NewHealth(&maintain.Health{
		Store: a.store, Index: a.index, Media: media, Scanner: a.ingest.Scanner, Analyses: a.Analyses, Captions: a.captions,
		Analytics: a.Analytics, Mailer: a.mailer, External: a.External, Disks: a.disks, DataDir: cfg.DataDir, Version: cfg.Version,
		RescanEvery: cfg.RescanEvery, Now: cfg.Now,
	})
	a.Maintenance = &maintain.Maintenance{
		Store: a.store, Originals: a.originals, Accounts: a.Accounts, Index: a.index, Jobs: a.jobs, Disks: a.disks,
		Upkeep: a.upkeep, Health: a.health, Log: cfg.Log, Now: cfg.Now,
	}
}

// newRunner returns the job runner with a handler for each kind of job.
func (a *App) newRunner() *job.Runner {
	cfg, log := a.cfg, a.cfg.Log
	analysis, exporting := bulk.NewAnalysis(a.Operations, a.meaning, a.Analyses, log), bulk.NewExporting(a.Operations, a.Exports, log)
	handlers := a.Analyses.Handlers(a.disks.Full(library.RecordsDir))
	maps.Copy(handlers, map[dam.JobKind]job.Handler{
		dam.JobIngest: {
			Workers: cfg.workers(), Waiting: 2 * cfg.workers(), Share: cfg.fairShare(),
			Work: a.ingest.Work, Dead: a.ingest.Died, Deaths: ingest.Deaths, Hold: a.disks.Full(library.CacheDir),
		},
		dam.JobReindex: {Workers: 1, Work: a.index.Rebuilding(log), Hold: a.disks.Full(library.IndexDir)},
		dam.JobFollow:  {Workers: 1, Work: a.followups.Turn},
		dam.JobProxy:   {Workers: 1, Work: a.proxies.Work, Deaths: render.ProxyDeaths, Hold: a.proxies.Hold(a.disks.Full(library.CacheDir))},

		dam.JobMail: {Workers: share.MailWorkers, Work: a.mailer.Work},

		dam.JobSidecar: {
			Workers: ingest.SidecarWorkers, Work: a.ingest.Beside, Dead: a.ingest.BesideDied, Deaths: ingest.Deaths,
			Hold: a.disks.Full(library.BlobsDir),
		},

		dam.JobBulk:     {Workers: bulk.ChangeWorkers, Work: a.Operations.BulkTurn, Dead: a.Operations.TurnDied},
		dam.JobAnalysis: {Workers: 1, Work: analysis.Turn, Dead: a.Operations.TurnDied},
		dam.JobExport:   {Workers: bulk.ExportWorkers, Work: exporting.Turn, Dead: exporting.Died, Hold: a.disks.Full(library.ExportsDir)},
	})
	return job.New(a.store, log, handlers)
}
