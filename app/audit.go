package app

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Audit records a request.
func (a *App) Audit(e *dam.AuditEntry) { a.book.entries <- note{audit: e} }

// AuditLog returns entries of the audit trail, newest first, and how many
// there are.
func (a *App) AuditLog(ctx context.Context, f dam.AuditFilter, p dam.Page) (entries []*dam.AuditEntry, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		entries, total, err = tx.Audit(f, p)
		return err
	})
	return entries, total, err
}

// auditEntry tells what the caller of ctx did to an account. Its time is set
// when it is written.
func auditEntry(ctx context.Context, event dam.AuditEvent, account, target string) *dam.AuditEntry {
	c, _ := ctx.Value(callerKey{}).(Caller)
	e := &dam.AuditEntry{Event: event, Account: account, Target: target, RequestID: c.RequestID, Method: c.Method, Path: c.Path, IP: c.IP}
	if c.Actor.User != nil {
		e.UserID = c.Actor.User.ID
	}
	if c.Actor.Token != nil {
		e.TokenID = c.Actor.Token.ID
	}
	return e
}

// The bounds of what attempts to log in that failed leave in the audit trail:
// entries of their own, a burst and how often one more; and how many sums of
// others a minute.
const (
	failuresKept  = 1000 // and
	failuresEvery = time.Second
	failureSums   = 1000
)

// attempts notes those who did not get in. Beyond a rate, and when they were
// turned away unheard, attempts at one account from one address are summed to
// one entry, written by flush.
type attempts struct {
	book  *book
	now   func() time.Time
	alone *rate.Limiter

	mu   sync.Mutex
	sums map[attemptKey]*dam.AuditEntry
}

type attemptKey struct {
	event       dam.AuditEvent
	account, ip string
}

func newAttempts(b *book, now func() time.Time) *attempts {
	return &attempts{book: b, now: now, alone: rate.NewLimiter(rate.Every(failuresEvery), failuresKept), sums: map[attemptKey]*dam.AuditEntry{}}
}

func (t *attempts) note(e *dam.AuditEntry) {
	e.At, e.Count = t.now(), 1
	if e.Event == dam.AuditLoginFailed && t.alone.AllowN(e.At, 1) {
		t.book.entries <- note{audit: e}
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := attemptKey{e.Event, storage.EmailKey(e.Account), e.IP}
	if t.sums[key] == nil && len(t.sums) >= failureSums { // the others
		key = attemptKey{event: e.Event}
		e.Account, e.IP = "", ""
	}
	if sum := t.sums[key]; sum != nil {
		sum.Count++
		return
	}
	e.RequestID = "" // it is about many
	t.sums[key] = e
}

// flush writes the sums.
func (t *attempts) flush() {
	t.mu.Lock()
	sums := t.sums
	t.sums = map[attemptKey]*dam.AuditEntry{}
	t.mu.Unlock()
	for _, e := range sums {
		t.book.entries <- note{audit: e}
	}
}
