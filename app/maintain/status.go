package maintain

import (
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/share"
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
	Scanner   ingest.ScannerStatus
	AI        *analyze.AIStatus // nil without an AI endpoint
	Mail      *share.MailStatus // nil without a mail server
	AcceptAny bool              // whether files of every type are accepted
	Tasks     map[string]bool   // by dam.Tasks: whether the server can run them
	Models    []storage.VectorModel
	Index     IndexStatus
	Analytics analytics.Status
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

// Health determines the state of the library. Requests are cheap: slow results are
// cached for a while, or computed in the background.
type Health struct {
	Store       *storage.Store
	Index       *index.Index
	Media       *media.Processor
	Scanner     *ingest.Scanner
	Analyses    *analyze.Analyses
	Captions    *analyze.Captions
	Analytics   *analytics.Analytics
	Mailer      *share.Mailer
	External    *external.Libraries
	Disks       *library.Disks
	DataDir     string
	Version     string        // dal's
	RescanEvery time.Duration // interval of scans of external libraries
	Now         func() time.Time
	started     time.Time
	wanted      chan struct{} // holds one element if the folders must be measured

	mu   sync.Mutex // also serializes computing the status
	at   time.Time
	last *Status

	sizes    sync.Mutex
	folders  map[string]int64
	measured time.Time
}

// NewHealth returns h, ready to run.
func NewHealth(h *Health) *Health {
	h.started, h.wanted = h.Now(), make(chan struct{}, 1)
	return h
}

// Status returns the state of the library and its server.
func (m *Maintenance) Status(ctx context.Context, actor dam.Actor) (*Status, error) {
	if err := access.MayReadTrail(actor); err != nil {
		return nil, err
	}
	return m.Health.status(ctx)
}

func (h *Health) status(ctx context.Context) (*Status, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last != nil && time.Since(h.at) < statusFresh {
		return h.last, nil
	}
	s := &Status{Version: h.Version, AcceptAny: h.Media.AcceptsUnread(), StartedAt: h.started, Memory: memoryStatus()}
	s.Tasks = map[string]bool{}
	for _, task := range dam.Tasks() {
		s.Tasks[task] = h.Analyses.Analyzer(task).On()
	}
	s.Disk = h.disk()
	s.Analytics = h.Analytics.Status()
	s.Scanner = h.Scanner.Status(ctx)
	s.Mail = h.Mailer.Status()
	if err := h.records(ctx, s); err != nil {
		return nil, err
	}
	s.Warnings = h.warnings(s)
	h.last, h.at = s, time.Now()
	return s, nil
}

// records fills in the state stored in the database.
func (h *Health) records(ctx context.Context, s *Status) error {
	var seq int64
	var err error
	if h.Index.IsOpen() {
		if s.Index.Behind, seq, err = h.Index.Behind(ctx); err != nil {
			return err
		}
	}
	if s.Backup, s.Failed, err = backupStatus(ctx, h.Store); err != nil {
		return err
	}
	return h.Store.View(ctx, func(tx *storage.Tx) error {
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
		if s.AI, err = h.Captions.Status(tx); err != nil {
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

func (h *Health) disk() DiskStatus {
	d := DiskStatus{Full: h.Disks.Check() != nil}
	if free, total, err := blob.Space(h.DataDir); err == nil {
		d.Free, d.Total, d.Reserve = free, total, h.Disks.Kept(total)
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

// Run measures the folders on request until ctx is done.
func (h *Health) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wanted:
		}
		sizes := map[string]int64{}
		for name, dir := range map[string]string{"renditions": library.CacheDir, "index": library.IndexDir, "exports": library.ExportsDir} {
			sizes[name] = folderSize(ctx, filepath.Join(h.DataDir, dir))
		}
		for _, end := range []string{"", "-wal", "-shm"} {
			sizes["records"] += folderSize(ctx, filepath.Join(h.DataDir, library.RecordsFile+end))
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
