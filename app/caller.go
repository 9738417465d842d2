package app

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Caller is on whose behalf a request or a command does what it does, and how
// the audit trail is to tell it.
type Caller struct {
	Actor     dam.Actor // User is nil for a command, and while nobody is known
	RequestID string    // "" for a command
	Method    string
	Path      string
	IP        string
}

// CommandMethod is the method of what a command does, in the audit trail.
const CommandMethod = "CLI"

type callerKey struct{}

// CalledBy returns a context in which all is done on behalf of c. Nothing is
// written in it any more from the moment that c's token is revoked or expires,
// its session ends, or its user is disabled or loses abilities: that is
// Unauthenticated or Denied.
func CalledBy(ctx context.Context, c Caller) context.Context {
	if c.Actor.User != nil {
		ctx = storage.WithGuard(ctx, func(tx *storage.Tx) error { return stillKnown(tx, c.Actor) })
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// stillKnown returns nil if an actor who was known when a request began is so
// now, with all abilities that its user had.
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
	if err := authenticated(dam.Actor{User: u}, err); err != nil {
		return err
	}
	for _, a := range actor.User.Role.Abilities() {
		if !slices.Contains(u.Role.Abilities(), a) {
			return &dam.Error{Kind: dam.Denied, Msg: "Your role was changed meanwhile.", Abilities: []dam.Ability{}}
		}
	}
	return nil
}

// lookEvery is how often it is looked whether the reader of a file is still
// known.
const lookEvery = time.Second

// live returns content that ends with an error once the caller is known no
// more.
func (a *App) live(ctx context.Context, content io.ReadSeekCloser) io.ReadSeekCloser {
	c, _ := ctx.Value(callerKey{}).(Caller)
	if c.Actor.User == nil {
		return content
	}
	return &liveContent{ReadSeekCloser: content, ctx: ctx, app: a, actor: c.Actor, looked: a.cfg.Now()}
}

type liveContent struct {
	io.ReadSeekCloser
	ctx    context.Context
	app    *App
	actor  dam.Actor
	looked time.Time
}

func (l *liveContent) Read(p []byte) (int, error) {
	if now := l.app.cfg.Now(); now.Sub(l.looked) >= lookEvery {
		if err := l.app.store.View(l.ctx, func(tx *storage.Tx) error { return stillKnown(tx, l.actor) }); err != nil {
			return 0, err
		}
		l.looked = now
	}
	return l.ReadSeekCloser.Read(p)
}
