// Package trail maintains the audit log of requests, sign-in attempts and actions on
// accounts.
package trail

import (
	"context"
	"log/slog"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Trail is the audit log. Its methods are safe for concurrent use. They write entries with
// a short delay, and block if too many are pending.
type Trail struct {
	store    *storage.Store
	now      func() time.Time
	buffer   *buffer
	failures *failures
}

// New returns the audit log of a library. The caller must Close it.
func New(store *storage.Store, log *slog.Logger, now func() time.Time) *Trail {
	return &Trail{store: store, now: now, buffer: newBuffer(store, log), failures: newFailures()}
}

// Close writes the pending entries. The Trail must not be used afterwards.
func (t *Trail) Close() {
	t.WriteSums()
	t.buffer.close()
}

// Record adds an entry.
func (t *Trail) Record(e *dam.AuditEntry) { t.buffer.notes <- note{audit: e} }

// TokenUsed records the last use of a token.
func (t *Trail) TokenUsed(token int64, ip string) {
	t.buffer.notes <- note{token: token, at: t.now(), ip: ip}
}

// SessionUsed records the last use of a browser session.
func (t *Trail) SessionUsed(session int64, ip string) {
	t.buffer.notes <- note{session: session, at: t.now(), ip: ip}
}

// RecordFailure adds an entry for a failed sign-in attempt. Above a rate limit, failures
// are aggregated by event, account and address instead, and added by WriteSums.
func (t *Trail) RecordFailure(e *dam.AuditEntry) {
	e.At, e.Count = t.now(), 1
	if !t.failures.sum(e) {
		t.Record(e)
	}
}

// WriteSums adds the aggregated failures.
func (t *Trail) WriteSums() {
	for _, e := range t.failures.take() {
		t.Record(e)
	}
}

// Entries returns entries, newest first, and their total number.
func (t *Trail) Entries(ctx context.Context, f dam.AuditFilter, p dam.Page) (entries []*dam.AuditEntry, total int, err error) {
	err = t.store.View(ctx, func(tx *storage.Tx) error {
		entries, total, err = tx.Audit(f, p)
		return err
	})
	return entries, total, err
}
