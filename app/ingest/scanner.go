package ingest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/storage"
)

// scannerDown is the reason given for waiting batches while the scanner is
// unreachable.
const scannerDown = "The virus scanner cannot be reached; the file waits for it."

// Scanner is the virus scanner. While it is unreachable, files wait for it, which
// is logged at the beginning, once a minute, and at the end.
type Scanner struct {
	*scan.Scanner
	store *storage.Store
	log   *slog.Logger

	mu        sync.Mutex
	downSince time.Time // zero while it is reachable
	logged    time.Time // time of the last warning
}

// OpenScanner returns a scanner with the hash lists in the folder signatures and, unless
// clamd is empty, the clamd at that address.
func OpenScanner(store *storage.Store, signatures, clamd string, log *slog.Logger) (*Scanner, error) {
	sigs, err := scan.LoadSignatures(signatures)
	if err != nil {
		return nil, err
	}
	s := &scan.Scanner{Signatures: sigs}
	if clamd != "" {
		if s.Clamd, err = scan.ParseClamd(clamd); err != nil {
			return nil, err
		}
	}
	return &Scanner{Scanner: s, store: store, log: log}, nil
}

// ScannerStatus describes what files are scanned with, or returns the error if the
// scanner is unreachable.
func (ups *Uploads) ScannerStatus(ctx context.Context) (string, error) {
	clamd := ups.Ingest.Scanner.Clamd
	if clamd == nil {
		return "built-in signatures only; --clamd adds a virus scanner", nil
	}
	v, err := clamd.Version(ctx)
	return "clamd " + v, err
}

// note records whether the scanner answered; err is the reason if not.
func (s *Scanner) note(ctx context.Context, err error) {
	now := time.Now()
	s.mu.Lock()
	since, logged := s.downSince, s.logged
	switch {
	case err == nil:
		s.downSince, s.logged = time.Time{}, time.Time{}
	case since.IsZero():
		s.downSince, s.logged = now, now
	case now.Sub(logged) >= time.Minute:
		s.logged = now
	}
	s.mu.Unlock()
	switch {
	case err == nil && !since.IsZero():
		s.log.InfoContext(ctx, "the virus scanner can be reached again", "down_for", now.Sub(since).Round(time.Second).String())
	case err != nil && (since.IsZero() || now.Sub(logged) >= time.Minute):
		s.log.WarnContext(ctx, "the virus scanner cannot be reached; files wait for it", "files", s.waiting(ctx), "err", err)
	}
}

// waiting returns the number of files to be scanned.
func (s *Scanner) waiting(ctx context.Context) (n int) {
	err := s.store.View(ctx, func(tx *storage.Tx) error {
		jobs, err := tx.CountJobs()
		n = jobs[dam.JobIngest][dam.JobReady] + jobs[dam.JobIngest][dam.JobRunning]
		return err
	})
	if err != nil {
		s.log.WarnContext(ctx, "count the files that wait", "err", err)
	}
	return n
}

// explain sets what batches with open files wait for while the scanner is
// unreachable.
func (s *Scanner) explain(batches ...*dam.Batch) {
	s.mu.Lock()
	down := !s.downSince.IsZero()
	s.mu.Unlock()
	for _, b := range batches {
		if down && b.Waiting == "" && b.Counts.Open() > 0 {
			b.Waiting = scannerDown
		}
	}
}

// Status queries the state of the scanner.
func (s *Scanner) Status(ctx context.Context) (st ScannerStatus) {
	if s.Clamd == nil {
		return st
	}
	st.Clamd = true
	ctx, cancel := context.WithTimeout(ctx, scannerAnswer)
	defer cancel()
	version, err := s.Clamd.Version(ctx)
	if err != nil {
		st.Down = strings.TrimSuffix(err.Error(), ".")
		return st
	}
	// "ClamAV 1.4.1/27400/Tue Sep 17 08:32:12 2024": the engine, the signatures and their
	// creation time.
	engine, rest, _ := strings.Cut(version, "/")
	st.Version = engine
	if _, made, ok := strings.Cut(rest, "/"); ok {
		if at, err := time.Parse(time.ANSIC, strings.TrimSpace(made)); err == nil {
			st.SignaturesAt = &at
		}
	}
	return st
}

// ScannerStatus is the state of the virus scanner.
type ScannerStatus struct {
	Clamd        bool   // in addition to the built-in signatures
	Version      string // of ClamAV
	Down         string // why it is unreachable; "" if it is not
	SignaturesAt *time.Time
}

const scannerAnswer = 2 * time.Second // timeout of the scanner's status
