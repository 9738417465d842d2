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
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Status is the state of the library and its server.
type Status struct {
	Version   string
	StartedAt time.Time
	Disk      DiskStatus
	Memory    MemoryStatus
	Queues    []storage.Queue // all queues, in the order of QueueNames
	Scanner   ScannerStatus
	AI        *AIStatus       // nil without an AI endpoint
	Mail      *MailStatus     // nil without a mail server
	AcceptAny bool            // whether files of every type are accepted
	Tasks     map[string]bool // by dam.Tasks: whether the server can run them
	Models    []storage.VectorModel
	Index     IndexStatus
	Analytics AnalyticsStatus
	Backup    *dam.Backup // latest one with a snapshot; nil for none
	Failed    *dam.Backup // latest one if it failed; otherwise nil
	Check     *dam.Check  // latest one; nil for none
	Warnings  []Warning
}

// DiskStatus is the state of the database's disk, and the space used by the
// library.
type DiskStatus struct {
	Free, Total, Reserve int64 // 0 if the system does not report it
	Full                 bool  // whether one of the library's disks has less free space than the reserve
	Originals            int64
	Folders              map[string]int64 // records, renditions, index, exports; nil until measured
}

// MemoryStatus is the memory that the process has obtained from the system.
type MemoryStatus struct {
	Used, Limit int64 // Limit is soft; 0 for none
}

// IndexStatus is the progress of the search index.
type IndexStatus struct {
	Documents, Behind int64
	Lag               time.Duration // time since the oldest change not yet indexed
}

// QueueNames lists the names of the queues.
func QueueNames() (names []string) {
	for _, k := range dam.Values[dam.JobKind]() {
		names = append(names, string(k))
	}
	return append(names, "webhooks")
}

const (
	statusFresh  = 2 * time.Second  // how long a status is cached for all requests
	measureEvery = 10 * time.Minute // interval of measuring the folders

)

// health determines the state of the library. Requests are cheap: slow results are
// cached for a while, or computed in the background.
type health struct {
	store       *storage.Store
	index       *index
	media       *media.Processor
	scanner     *scanner
	analyses    *understanding
	captions    *captions
	analytics   *Analytics
	mailer      *mailer
	places      *places
	disks       *disks
	dataDir     string
	version     string        // dal's
	rescanEvery time.Duration // interval of scans of external libraries
	now         func() time.Time
	started     time.Time
	wanted      chan struct{} // holds one element if the folders must be measured

	mu   sync.Mutex // also serializes computing the status
	at   time.Time
	last *Status

	sizes    sync.Mutex
	folders  map[string]int64
	measured time.Time
}

// newHealth returns h, ready to run.
func newHealth(h *health) *health {
	h.started, h.wanted = h.now(), make(chan struct{}, 1)
	return h
}

// Status returns the state of the library and its server.
func (m *Maintenance) Status(ctx context.Context, actor dam.Actor) (*Status, error) {
	if err := mayReadTrail(actor); err != nil {
		return nil, err
	}
	return m.health.status(ctx)
}

func (h *health) status(ctx context.Context) (*Status, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last != nil && time.Since(h.at) < statusFresh {
		return h.last, nil
	}
	s := &Status{Version: h.version, AcceptAny: h.media.AcceptsUnread(), StartedAt: h.started, Memory: memoryStatus()}
	s.Tasks = map[string]bool{}
	for _, task := range dam.Tasks() {
		s.Tasks[task] = h.analyses.analyzer(task).on()
	}
	s.Disk = h.disk()
	s.Analytics = h.analytics.status()
	s.Scanner = h.scanner.status(ctx)
	s.Mail = h.mailer.status()
	if err := h.records(ctx, s); err != nil {
		return nil, err
	}
	s.Warnings = h.warnings(s)
	h.last, h.at = s, time.Now()
	return s, nil
}

// records fills in the state stored in the database.
func (h *health) records(ctx context.Context, s *Status) error {
	var seq int64
	var err error
	if h.index.isOpen() {
		if s.Index.Behind, seq, err = h.index.Behind(ctx); err != nil {
			return err
		}
	}
	if s.Backup, s.Failed, err = backupStatus(ctx, h.store); err != nil {
		return err
	}
	return h.store.View(ctx, func(tx *storage.Tx) error {
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
		if s.AI, err = h.captions.status(tx); err != nil {
			return err
		}
		return h.troubles(tx, s)
	})
}

// backupStatus returns the latest backup with a snapshot, and the latest of all if
// it failed.
func backupStatus(ctx context.Context, store *storage.Store) (made, failed *dam.Backup, err error) {
	last, made, err := lastBackup(ctx, store)
	if last != nil && last.Error != "" {
		failed = last
	}
	return made, failed, err
}

// queues returns all queues, including empty ones.
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
	d := DiskStatus{Full: h.disks.check() != nil}
	if free, total, err := blob.Space(h.dataDir); err == nil {
		d.Free, d.Total, d.Reserve = free, total, h.disks.kept(total)
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

// run measures the folders on request until ctx is done.
func (h *health) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wanted:
		}
		sizes := map[string]int64{}
		for name, dir := range map[string]string{"renditions": cacheDir, "index": indexDir, "exports": exportsDir} {
			sizes[name] = folderSize(ctx, filepath.Join(h.dataDir, dir))
		}
		for _, end := range []string{"", "-wal", "-shm"} {
			sizes["records"] += folderSize(ctx, filepath.Join(h.dataDir, recordsFile+end))
		}
		h.sizes.Lock()
		h.folders, h.measured = sizes, time.Now()
		h.sizes.Unlock()
	}
}

// folderSize adds up the sizes of all readable files in a folder. For a file, it
// returns its size.
func folderSize(ctx context.Context, path string) (size int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ctx.Err()
		}
		if info, err := d.Info(); err == nil { // it may have been removed in the meantime
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
