package app

import (
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Status is how the library and its server are.
type Status struct {
	Version   string
	StartedAt time.Time
	Disk      DiskStatus
	Memory    MemoryStatus
	Queues    []storage.Queue // all there are, in the order of QueueNames
	Scanner   ScannerStatus
	AI        *AIStatus       // nil without an AI endpoint
	Mail      *MailStatus     // nil without a mail server
	AcceptAny bool            // files of every type are taken
	Tasks     map[string]bool // of dam.Tasks: whether the server has what does them
	Models    []storage.VectorModel
	Index     IndexStatus
	Analytics AnalyticsStatus
	Backup    *dam.Backup // the latest that made a snapshot; nil for none
	Failed    *dam.Backup // the latest, if it failed; nil if not
	Check     *dam.Check  // the latest; nil for none
	Warnings  []Warning
}

// DiskStatus is how full the disk of the records is, and what the library takes.
type DiskStatus struct {
	Free, Total, Reserve int64 // 0 where the system does not say
	Full                 bool  // one of the library's disks has less than the reserve
	Originals            int64
	Folders              map[string]int64 // records, renditions, index, exports; nil until measured
}

// MemoryStatus is how much memory the process has of the system.
type MemoryStatus struct {
	Used, Limit int64 // Limit is soft; 0 for none
}

// ScannerStatus is how files are scanned.
type ScannerStatus struct {
	Clamd        bool   // besides the built-in signatures
	Version      string // of ClamAV
	Down         string // why it cannot be reached; "" when it can
	SignaturesAt *time.Time
}

// IndexStatus is how far the search index is.
type IndexStatus struct {
	Documents, Behind int64
	Lag               time.Duration // since the oldest change that it does not have
}

// QueueNames lists the names of the queues.
func QueueNames() (names []string) {
	for _, k := range dam.Values[dam.JobKind]() {
		names = append(names, string(k))
	}
	return append(names, "webhooks")
}

const (
	statusFresh   = 2 * time.Second  // a status is shown to all who ask meanwhile
	measureEvery  = 10 * time.Minute // the folders
	scannerAnswer = 2 * time.Second  // how long the scanner may take to say how it is
)

// health finds out how the library is. Asking is cheap: what takes long is
// remembered for a while, or done in the background.
type health struct {
	app     *App
	started time.Time
	wanted  chan struct{} // has one when the folders are to be measured

	mu   sync.Mutex // also has one find out at a time
	at   time.Time
	last *Status

	sizes    sync.Mutex
	folders  map[string]int64
	measured time.Time
}

func newHealth(a *App) *health {
	return &health{app: a, started: a.cfg.Now(), wanted: make(chan struct{}, 1)}
}

// Status says how the library and its server are.
func (a *App) Status(ctx context.Context, actor dam.Actor) (*Status, error) {
	if err := mayReadTrail(actor); err != nil {
		return nil, err
	}
	return a.health.status(ctx)
}

func (h *health) status(ctx context.Context) (*Status, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last != nil && time.Since(h.at) < statusFresh {
		return h.last, nil
	}
	s := &Status{Version: h.app.cfg.Version, AcceptAny: h.app.ingest.media.AcceptsUnread(), StartedAt: h.started, Memory: memoryStatus()}
	s.Tasks = map[string]bool{}
	for _, task := range dam.Tasks() {
		s.Tasks[task] = h.app.understanding.analyzer(task).on()
	}
	s.Disk = h.disk()
	s.Analytics = h.app.Analytics.status()
	s.Scanner = h.app.ingest.scanner.status(ctx)
	s.Mail = h.app.mailer.status()
	if err := h.records(ctx, s); err != nil {
		return nil, err
	}
	s.Warnings = h.warnings(s)
	h.last, h.at = s, time.Now()
	return s, nil
}

// records fills in what the records say.
func (h *health) records(ctx context.Context, s *Status) error {
	var seq int64
	var err error
	if h.app.index.isOpen() {
		if s.Index.Behind, seq, err = h.app.index.Behind(ctx); err != nil {
			return err
		}
	}
	if s.Backup, s.Failed, err = h.app.backupStatus(ctx); err != nil {
		return err
	}
	return h.app.store.View(ctx, func(tx *storage.Tx) error {
		if s.Index.Documents, err = tx.CountAssets(); err != nil {
			return err
		}
		if s.Index.Behind > 0 {
			since, err := tx.ChangedSince(seq)
			if err != nil {
				return err
			}
			if since != nil {
				s.Index.Lag = max(0, tx.Now().Sub(*since))
			}
		}
		if s.Disk.Originals, err = tx.BlobBytes(); err != nil {
			return err
		}
		if s.Check, err = tx.LastCheck(); dam.KindOf(err) == dam.NotFound {
			s.Check, err = nil, nil
		}
		if err != nil {
			return err
		}
		if s.Models, err = tx.VectorModels(); err != nil {
			return err
		}
		if s.Queues, err = queues(tx); err != nil {
			return err
		}
		if s.AI, err = h.app.captions.status(tx); err != nil {
			return err
		}
		return h.troubles(tx, s)
	})
}

// backupStatus returns the latest backup that made a snapshot, and the latest of
// all if it failed.
func (a *App) backupStatus(ctx context.Context) (made, failed *dam.Backup, err error) {
	last, made, err := a.LastBackup(ctx)
	if last != nil && last.Error != "" {
		failed = last
	}
	return made, failed, err
}

// queues returns all queues, the empty ones too.
func queues(tx *storage.Tx) (all []storage.Queue, err error) {
	list, err := tx.Queues()
	known := map[string]storage.Queue{}
	for _, q := range list {
		known[q.Name] = q
	}
	for _, name := range QueueNames() {
		q := known[name]
		q.Name = name
		all = append(all, q)
	}
	return all, err
}

func (h *health) disk() DiskStatus {
	d := DiskStatus{Full: h.app.disks.check() != nil}
	if free, total, err := blob.Space(h.app.cfg.DataDir); err == nil {
		d.Free, d.Total, d.Reserve = free, total, h.app.disks.kept(total)
	}
	h.sizes.Lock()
	defer h.sizes.Unlock()
	d.Folders = h.folders
	if time.Since(h.measured) >= measureEvery {
		select {
		case h.wanted <- struct{}{}:
		default:
		}
	}
	return d
}

// run measures the folders when somebody wants to know, until ctx is done.
func (h *health) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wanted:
		}
		sizes := map[string]int64{}
		for name, dir := range map[string]string{"renditions": cacheDir, "index": indexDir, "exports": exportsDir} {
			sizes[name] = folderSize(ctx, filepath.Join(h.app.cfg.DataDir, dir))
		}
		for _, end := range []string{"", "-wal", "-shm"} {
			sizes["records"] += folderSize(ctx, filepath.Join(h.app.cfg.DataDir, recordsFile+end))
		}
		h.sizes.Lock()
		h.folders, h.measured = sizes, time.Now()
		h.sizes.Unlock()
	}
}

// folderSize adds up the files in a folder, as far as they can be seen; of a file,
// it is its size.
func folderSize(ctx context.Context, path string) (size int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ctx.Err()
		}
		if info, err := d.Info(); err == nil { // it may be gone meanwhile
			size += info.Size()
		}
		return ctx.Err()
	})
	return size
}

func memoryStatus() MemoryStatus {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	s := MemoryStatus{Used: int64(m[0].Value.Uint64() - m[1].Value.Uint64())}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		s.Limit = limit
	}
	return s
}
