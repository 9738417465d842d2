package trail

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	bufferSize = 4096
	flushEvery = 200 * time.Millisecond

	maxPending = 4 * bufferSize  // entries kept in memory while they cannot be written
	retryAfter = 2 * time.Second // delay after a failed write
	warnEvery  = time.Minute     // for failed writes
)

// buffer holds entries that need not be part of the transaction of their request. They are
// written together every 200 ms and by close. A full buffer blocks the caller instead of
// dropping entries. Audit entries that cannot be written for long are written to the log.
type buffer struct {
	store *storage.Store
	log   *slog.Logger
	notes chan note
	done  sync.WaitGroup

	// The rest belongs to run.
	pending []note
	failing bool
	retryAt time.Time
	warn    rate.Sometimes
}

// note is an audit entry or, if that is nil, the use of a session or a token.
type note struct {
	audit          *dam.AuditEntry
	session, token int64 // exactly one is set
	at             time.Time
	ip             string
}

func newBuffer(store *storage.Store, log *slog.Logger) *buffer {
	b := &buffer{store: store, log: log, notes: make(chan note, bufferSize), warn: rate.Sometimes{Interval: warnEvery}}
	b.done.Go(b.run)
	return b
}

// close writes the remaining entries. The buffer must not be used afterwards.
func (b *buffer) close() {
	close(b.notes)
	b.done.Wait()
}

func (b *buffer) run() {
	t := time.NewTicker(flushEvery)
	defer t.Stop()
	for {
		select {
		case n, ok := <-b.notes:
			if !ok {
				if b.flush(); b.failing {
					b.logEntries(b.pending)
				}
				return
			}
			if b.pending = append(b.pending, n); len(b.pending) < bufferSize {
				continue
			}
		case <-t.C:
		}
		if !time.Now().Before(b.retryAt) {
			b.flush()
		} else if len(b.pending) >= maxPending {
			b.logEntries(b.pending)
			b.pending = nil
		}
	}
}

// logEntries writes audit entries that could not be stored to the log.
func (b *buffer) logEntries(notes []note) {
	for _, n := range notes {
		if e := n.audit; e != nil {
			b.log.Error("an entry is missing from the audit trail", "at", e.At, "event", e.Event, "request_id", e.RequestID,
				"user", e.UserID, "token", e.TokenID, "account", dam.Printable(e.Account), "count", max(1, e.Count),
				"method", e.Method, "path", e.Path, "status", e.Status, "ip", e.IP)
		}
	}
}

// flush writes the pending entries. If it cannot, it occasionally logs the error.
func (b *buffer) flush() {
	err := b.write(b.pending)
	if err != nil {
		b.failing, b.retryAt = true, time.Now().Add(retryAfter)
		b.warn.Do(func() {
			b.log.Error("the audit trail cannot be written; its entries are kept in memory until it can",
				"waiting", len(b.pending), "err", err)
		})
		return
	}
	b.pending, b.failing = nil, false
}

// write commits entries.
func (b *buffer) write(notes []note) error {
	if len(notes) == 0 {
		return nil
	}
	sessions, tokens := map[int64]note{}, map[int64]note{} // last use
	return b.store.Note(context.Background(), func(tx *storage.Tx) error {
		for _, n := range notes {
			switch {
			case n.session != 0:
				sessions[n.session] = n
			case n.token != 0:
				tokens[n.token] = n
			default:
				if err := tx.InsertAudit(n.audit); err != nil {
					return err
				}
			}
		}
		for id, n := range sessions {
			if err := tx.TouchSession(id, n.at, n.ip); err != nil {
				return err
			}
		}
		for id, n := range tokens {
			if err := tx.TouchToken(id, n.at, n.ip); err != nil {
				return err
			}
		}
		return nil
	})
}
