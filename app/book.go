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
// than dropping; entries that cannot be written for long go to the log.
type book struct {
	store   *storage.Store
	log     *slog.Logger
	now     func() time.Time
	entries chan note
	done    sync.WaitGroup

	pending []note // the rest is for run alone
	failing bool
	again   time.Time // not to be tried before
	told    seldom
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

	bookKeep  = 4 * bookSize    // notes that are kept while they cannot be written
	bookRetry = 2 * time.Second // after notes could not be written
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
	for {
		select {
		case n, ok := <-b.entries:
			if !ok {
				if b.flush(); b.failing {
					b.spill(b.pending)
				}
				return
			}
			if b.pending = append(b.pending, n); len(b.pending) < bookSize {
				continue
			}
		case <-t.C:
		}
		if !time.Now().Before(b.again) {
			b.flush()
		} else if len(b.pending) >= bookKeep {
			b.spill(b.pending)
			b.pending = nil
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

// flush writes what is pending, or tells the log, now and then, that it cannot.
func (b *book) flush() {
	err := b.write(b.pending)
	if err != nil {
		b.failing, b.again = true, time.Now().Add(bookRetry)
		if b.told.now() {
			b.log.Error("write the audit trail; its entries are kept until it can be written", "waiting", len(b.pending), "err", err)
		}
		return
	}
	b.pending, b.failing = nil, false
}

// write commits notes.
func (b *book) write(notes []note) error {
	if len(notes) == 0 {
		return nil
	}
	last := map[int64]note{}
	return b.store.Note(context.Background(), func(tx *storage.Tx) error {
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
}
