package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// book keeps the notes of the request path that need not be in the request's
// transaction: audit entries and the last use of tokens. They are written
// together every 200 ms and at close. A full book slows the caller rather
// than dropping, unless they cannot be written: then the newest are kept, and
// the log says how many are lost.
type book struct {
	store   *storage.Store
	log     *slog.Logger
	now     func() time.Time
	entries chan note
	done    sync.WaitGroup

	pending []note // the rest is for run alone
	lost    int    // audit entries, since the log was told
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

// Audit records an authenticated request.
func (a *App) Audit(e *dam.AuditEntry) { a.book.entries <- note{audit: e} }

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
					b.log.Error("the last entries of the audit trail could not be written", "lost", b.lost+audits(b.pending))
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
			b.lost += audits(b.pending[:bookSize])
			b.pending = slices.Delete(b.pending, 0, bookSize)
		}
	}
}

func audits(notes []note) (n int) {
	for _, note := range notes {
		if note.audit != nil {
			n++
		}
	}
	return n
}

// flush writes what is pending, or tells the log, now and then, that it cannot.
func (b *book) flush() {
	err := b.write(b.pending)
	switch {
	case err != nil:
		b.failing, b.again = true, time.Now().Add(bookRetry)
		if b.told.now() {
			b.log.Error("write the audit trail; the newest entries are kept until it can be written", "waiting", len(b.pending), "lost", b.lost, "err", err)
		}
		return
	case b.lost > 0:
		b.log.Error("entries of the audit trail are lost: they could not be written for too long", "lost", b.lost)
	}
	b.pending, b.lost, b.failing = nil, 0, false
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

// AuditLog returns entries of the audit trail, newest first, and how many
// there are.
func (a *App) AuditLog(ctx context.Context, f storage.AuditFilter, p storage.Page) (entries []*dam.AuditEntry, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		entries, total, err = tx.Audit(f, p)
		return err
	})
	return entries, total, err
}
