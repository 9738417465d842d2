package app

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/storage"
)

// SignaturesDir is the folder, in the data folder, for hash lists.
const SignaturesDir = "signatures"

func openScanner(cfg Config) (*scan.Scanner, error) {
	sigs, err := scan.LoadSignatures(filepath.Join(cfg.DataDir, SignaturesDir))
	if err != nil {
		return nil, err
	}
	s := &scan.Scanner{Signatures: sigs}
	if cfg.Clamd != "" {
		if s.Clamd, err = scan.ParseClamd(cfg.Clamd); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ScannerStatus tells in words what files are scanned with, or why the scanner
// is away.
func (a *App) ScannerStatus(ctx context.Context) (string, error) {
	if a.scan.Clamd == nil {
		return "built-in signatures only; --clamd adds a virus scanner", nil
	}
	v, err := a.scan.Clamd.Version(ctx)
	return "clamd " + v, err
}

// scannerWord is how often the log says that the scanner is still away.
const scannerWord = time.Minute

// scannerAway is what a batch waits for while the scanner is away.
const scannerAway = "The virus scanner is away; the file waits for it."

// absence is whether the virus scanner is away, and has the log say so when it
// goes, when it is back, and once a minute between.
type absence struct {
	mu    sync.Mutex
	since time.Time // zero while it is there
	told  time.Time
}

// noteScanner notes that the scanner answered, or why not.
func (a *App) noteScanner(ctx context.Context, err error) {
	s, now := &a.scannerAbsence, time.Now()
	s.mu.Lock()
	since, told := s.since, s.told
	switch {
	case err == nil:
		s.since, s.told = time.Time{}, time.Time{}
	case since.IsZero():
		s.since, s.told = now, now
	case now.Sub(told) >= scannerWord:
		s.told = now
	}
	s.mu.Unlock()
	switch {
	case err == nil && !since.IsZero():
		a.log.InfoContext(ctx, "the virus scanner is back", "away", now.Sub(since).Round(time.Second).String())
	case err != nil && (since.IsZero() || now.Sub(told) >= scannerWord):
		a.log.WarnContext(ctx, "the virus scanner is away; files wait for it", "files", a.waitingFiles(ctx), "err", err)
	}
}

// waitingFiles returns how many files are to be scanned.
func (a *App) waitingFiles(ctx context.Context) (n int) {
	err := a.store.View(ctx, func(tx *storage.Tx) error {
		jobs, err := tx.CountJobs()
		n = jobs[dam.JobIngest][dam.JobReady] + jobs[dam.JobIngest][dam.JobRunning]
		return err
	})
	if err != nil {
		a.log.WarnContext(ctx, "count the files that wait", "err", err)
	}
	return n
}

// tellWaiting says of batches with files to be scanned that they wait, while
// the scanner is away.
func (a *App) tellWaiting(batches ...*dam.Batch) {
	a.scannerAbsence.mu.Lock()
	away := !a.scannerAbsence.since.IsZero()
	a.scannerAbsence.mu.Unlock()
	for _, b := range batches {
		if away && b.Waiting == "" && b.Counts.Open() > 0 {
			b.Waiting = scannerAway
		}
	}
}
