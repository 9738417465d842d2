package app

import (
	"context"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Caller is who makes a request or runs a command, as the audit trail shows it.
type Caller struct {
	Actor     dam.Actor // User is nil for a command, and until the caller is identified
	RequestID string    // "" for a command
	Method    string
	Path      string
	IP        string
	UserAgent string // of a browser; "" for a command
}

// CommandMethod is the method that the audit trail shows for commands.
const CommandMethod = "CLI"

type callerKey struct{}

// CalledBy returns a context for what is done on behalf of c. Writing with it fails
// once c's token is revoked or expires, its session ends, its user is disabled
// (Unauthenticated), or its user loses abilities (Denied).
func CalledBy(ctx context.Context, c Caller) context.Context {
	if c.Actor.User != nil {
		ctx = storage.WithGuard(ctx, func(tx *storage.Tx) error { return stillKnown(tx, c.Actor) })
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// Provided returns a context whose first change is made only if check returns nil when
// it is the changer's turn to write: what check reads is what the change begins with.
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

// callerOf returns the caller that CalledBy put into ctx.
func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// byNobody returns ctx for what its caller does without being known, whoever else
// is logged in at the same browser.
func byNobody(ctx context.Context) context.Context {
	c := callerOf(ctx)
	c.Actor = dam.Actor{}
	return context.WithValue(storage.WithGuard(ctx, nil), callerKey{}, c)
}

// stillKnown returns nil if an actor who was identified when a request began would
// be identified now, with all abilities that the user had.
func stillKnown(tx *storage.Tx, actor dam.Actor) error {
	u, err := tx.User(actor.User.ID)
	if t := actor.Token; err == nil && t != nil {
		if t, err = tx.Token(t.ID); err == nil && t.Expired(tx.Now()) {
			return errUnauthenticated
		}
	}
	if s := actor.Session; err == nil && s != nil {
		if s, err = tx.Session(s.Hash); err == nil && !s.ExpiresAt.After(tx.Now()) {
			return errUnauthenticated
		}
	}
	if err := identified(dam.Actor{User: u}, err); err != nil {
		return err
	}
	for _, a := range actor.User.Role.Abilities() {
		if !slices.Contains(u.Role.Abilities(), a) {
			return &dam.Error{Kind: dam.Denied, Msg: "Your role was changed in the meantime.", Abilities: []dam.Ability{}}
		}
	}
	return nil
}

// recheckEvery is how often the rights of whoever reads a file are checked
// again.
const recheckEvery = time.Second

// whileKnown returns content that ends with an error once the caller is no
// longer known.
func (a *Accounts) whileKnown(ctx context.Context, content io.ReadSeekCloser) io.ReadSeekCloser {
	actor := callerOf(ctx).Actor
	if actor.User == nil {
		return content
	}
	return &guardedContent{ReadSeekCloser: content, ctx: ctx, accounts: a, actor: actor, checkedAt: a.now()}
}

// guardedContent is content for an actor whose rights may end in the middle.
type guardedContent struct {
	io.ReadSeekCloser
	ctx       context.Context
	accounts  *Accounts
	actor     dam.Actor
	checkedAt time.Time
}

func (g *guardedContent) Read(p []byte) (int, error) {
	if now := g.accounts.now(); now.Sub(g.checkedAt) >= recheckEvery {
		if err := g.accounts.store.View(g.ctx, func(tx *storage.Tx) error { return stillKnown(tx, g.actor) }); err != nil {
			return 0, err
		}
		g.checkedAt = now
	}
	return g.ReadSeekCloser.Read(p)
}
