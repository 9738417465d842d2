package access

import (
	"context"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Caller identifies the sender of a request or the user of a command in the audit log.
type Caller struct {
	Actor     dam.Actor // User is nil for a command, and until the caller is identified
	RequestID string    // "" for a command
	Method    string
	Path      string
	IP        string
	UserAgent string // of the browser; "" for a command
}

// CommandMethod is the method recorded in the audit log for commands.
const CommandMethod = "CLI"

type callerKey struct{}

// CalledBy returns a context for work on behalf of c. Writing with it fails once c's
// token is revoked or expires, its session ends, its user is disabled
// (Unauthenticated), or its user loses abilities (Denied).
func CalledBy(ctx context.Context, c Caller) context.Context {
	if c.Actor.User != nil {
		ctx = storage.WithGuard(ctx, func(tx *storage.Tx) error { return StillKnown(tx, c.Actor) })
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// Provided returns a context whose first change is made only if check returns nil.
// check is called under the write lock, so the change starts from the state that check
// has read.
func Provided(ctx context.Context, check func() error) context.Context {
	var changed atomic.Bool
	return storage.AlsoGuarded(ctx, func(tx *storage.Tx) error {
		if changed.Load() {
			return nil
		}
		tx.OnCommit(func() { changed.Store(true) })
		return check()
	})
}

// Trial returns a context for a request that is refused anyway, to find its further
// problems: changes made with it are checked but not committed, and usage is not counted.
func Trial(ctx context.Context) context.Context { return storage.WithTrial(ctx) }

// CallerOf returns the caller that CalledBy put into ctx.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// ByNobody returns ctx without an actor, for anonymous work, even if a user is signed
// in with the same browser.
func ByNobody(ctx context.Context) context.Context {
	c := CallerOf(ctx)
	c.Actor = dam.Actor{}
	return context.WithValue(storage.WithGuard(ctx, nil), callerKey{}, c)
}

// StillKnown returns nil if an actor who was identified when a request began would
// still be identified now, with every ability that the user had then.
func StillKnown(tx *storage.Tx, actor dam.Actor) error {
	u, err := tx.User(actor.User.ID)
	if t := actor.Token; err == nil && t != nil {
		if t, err = tx.Token(t.ID); err == nil && t.Expired(tx.Now()) {
			return ErrUnauthenticated
		}
	}
	if s := actor.Session; err == nil && s != nil {
		if s, err = tx.Session(s.Hash); err == nil && !s.ExpiresAt.After(tx.Now()) {
			return ErrUnauthenticated
		}
	}
	if err := Identified(dam.Actor{User: u}, err); err != nil {
		return err
	}
	for _, a := range actor.User.Role.Abilities() {
		if !slices.Contains(u.Role.Abilities(), a) {
			return &dam.Error{Kind: dam.Denied, Msg: "Your role was changed in the meantime.", Abilities: []dam.Ability{}}
		}
	}
	return nil
}

// RecheckEvery is how often a reader's rights are checked again during a download.
const RecheckEvery = time.Second

// WhileKnown returns content that fails with an error as soon as StillKnown fails for
// the caller.
func WhileKnown(ctx context.Context, store *storage.Store, now func() time.Time, content io.ReadSeekCloser) io.ReadSeekCloser {
	actor := CallerOf(ctx).Actor
	if actor.User == nil {
		return content
	}
	return &guardedContent{ReadSeekCloser: content, ctx: ctx, store: store, now: now, actor: actor, checkedAt: now()}
}

// guardedContent is content for an actor whose rights may end during the download.
type guardedContent struct {
	io.ReadSeekCloser
	ctx       context.Context
	store     *storage.Store
	now       func() time.Time
	actor     dam.Actor
	checkedAt time.Time
}

func (g *guardedContent) Read(p []byte) (int, error) {
	if now := g.now(); now.Sub(g.checkedAt) >= RecheckEvery {
		if err := g.store.View(g.ctx, func(tx *storage.Tx) error { return StillKnown(tx, g.actor) }); err != nil {
			return 0, err
		}
		g.checkedAt = now
	}
	return g.ReadSeekCloser.Read(p)
}

// ErrUnauthenticated is the error for a caller who is not known, or no longer.
var ErrUnauthenticated = &dam.Error{Kind: dam.Unauthenticated, Msg: "Unauthenticated."}

// Identified returns ErrUnauthenticated if the actor was not found or is disabled,
// and otherwise err, the error of looking up the actor.
func Identified(actor dam.Actor, err error) error {
	if dam.KindOf(err) == dam.NotFound || err == nil && actor.User.DisabledAt != nil {
		return ErrUnauthenticated
	}
	return err
}

// AuditEntry returns an entry for an action of the caller of ctx on an account. The
// time is set on writing.
func AuditEntry(ctx context.Context, event dam.AuditEvent, account, target string) *dam.AuditEntry {
	c := CallerOf(ctx)
	e := &dam.AuditEntry{Event: event, Account: account, Target: target, RequestID: c.RequestID, Method: c.Method, Path: c.Path, IP: c.IP}
	if c.Actor.User != nil {
		e.UserID = c.Actor.User.ID
	}
	if c.Actor.Token != nil {
		e.TokenID = c.Actor.Token.ID
	}
	return e
}
