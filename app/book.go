package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// book keeps the notes of the request path that need not be in the request's
// transaction: audit entries and the last use of tokens. They are written
// together every 200 ms and at close. A full book slows the caller rather
// than dropping.
type book struct {
	store   *storage.Store
	log     *slog.Logger
	now     func() time.Time
	entries chan note
	done    sync.WaitGroup
}

// note is an audit entry, or the use of a token.
type note struct {
	audit *dam.AuditEntry
	token int64
	at    time.Time
	ip    string
}

const (
	bookSize  = 4096
	bookFlush = 200 * time.Millisecond
)

func newBook(store *storage.Store, log *slog.Logger, now func() time.Time) *book {
	b := &book{store: store, log: log, now: now, entries: make(chan note, bookSize)}
	b.done.Go(b.run)
	return b
}

func (b *book) touch(token int64, ip string) {
	b.entries <- note{token: token, at: b.now(), ip: ip}
}

// close writes what is left. Nothing may be noted after it.
func (b *book) close() {
	close(b.entries)
	b.done.Wait()
}

func (b *book) run() {
	t := time.NewTicker(bookFlush)
	defer t.Stop()
	var pending []note
	for {
		select {
		case n, ok := <-b.entries:
			if !ok {
				if !b.write(pending) {
					b.spill(pending)
				}
				return
			}
			if pending = append(pending, n); len(pending) < bookSize {
				continue
			}
		case <-t.C:
		}
		if b.write(pending) {
			pending = nil
		} else if len(pending) >= 4*bookSize {
			b.spill(pending)
			pending = nil
		}
	}
}

// spill writes to the log what could not be written to the audit trail.
func (b *book) spill(notes []note) {
	for _, n := range notes {
		if e := n.audit; e != nil {
			b.log.Error("an entry that the audit trail lacks", "at", e.At, "event", e.Event, "request_id", e.RequestID, "user", e.UserID, "token", e.TokenID,
				"account", dam.Printable(e.Account), "count", max(1, e.Count), "method", e.Method, "path", e.Path, "status", e.Status, "ip", e.IP)
		}
	}
}

// write commits notes and reports whether it could.
func (b *book) write(notes []note) bool {
	if len(notes) == 0 {
		return true
	}
	last := map[int64]note{}
	err := b.store.Note(context.Background(), func(tx *storage.Tx) error {
		for _, n := range notes {
			if n.audit == nil {
				last[n.token] = n
			} else if err := tx.InsertAudit(n.audit); err != nil {
				return err
			}
		}
		for id, n := range last {
			if err := tx.TouchToken(id, n.at, n.ip); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.log.Error("write the audit trail", "entries", len(notes), "err", err)
	}
	return err == nil
}
