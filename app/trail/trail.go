// Package trail keeps the audit trail: requests, attempts to log in, and what
// was done to accounts.
package trail

import (
	"context"
	"log/slog"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Trail is the audit trail. Its methods are safe for concurrent use. What they
// record is written a moment later; when too much waits to be written, they
// block.
type Trail struct {
	store    *storage.Store
	now      func() time.Time
	buffer   *buffer
	failures *failures
}

// New returns the audit trail of a library. The caller must Close it.
func New(store *storage.Store, log *slog.Logger, now func() time.Time) *Trail {
	return &Trail{store: store, now: now, buffer: newBuffer(store, log), failures: newFailures()}
}

// Close writes what has been recorded. Nothing may be recorded after it.
func (t *Trail) Close() {
	t.WriteSums()
	t.buffer.close()
}

// Record adds an entry.
func (t *Trail) Record(e *dam.AuditEntry) { t.buffer.notes <- note{audit: e} }

// TokenUsed notes the last use of a token.
func (t *Trail) TokenUsed(token int64, ip string) {
	t.buffer.notes <- note{token: token, at: t.now(), ip: ip}
}

// SessionUsed notes the last use of a browser's session.
func (t *Trail) SessionUsed(session int64, ip string) {
	t.buffer.notes <- note{session: session, at: t.now(), ip: ip}
}

// RecordFailure adds an entry about somebody who was not let in. Failures that
// come too fast are summed up instead, to one entry for each event, account and
// address, which WriteSums adds.
func (t *Trail) RecordFailure(e *dam.AuditEntry) {
	e.At, e.Count = t.now(), 1
	if !t.failures.sum(e) {
		t.Record(e)
	}
}

// WriteSums adds the entries that sum up failures.
func (t *Trail) WriteSums() {
	for _, e := range t.failures.take() {
		t.Record(e)
	}
}

// Entries returns entries, newest first, and how many there are in all.
func (t *Trail) Entries(ctx context.Context, f dam.AuditFilter, p dam.Page) (entries []*dam.AuditEntry, total int, err error) {
	err = t.store.View(ctx, func(tx *storage.Tx) error {
		entries, total, err = tx.Audit(f, p)
		return err
	})
	return entries, total, err
}
