package live

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// tellEvery is the least time between two turns, so that an object is told
	// at most four times a second, however often it changes.
	tellEvery = 250 * time.Millisecond
	// lookEvery is how often there is a turn without a change that this process
	// made: other processes write events too, and sessions expire.
	lookEvery = 500 * time.Millisecond
	// resetEvery is the least time between two resets.
	resetEvery = 2 * time.Second
	// backlog is how many turns a follower may be behind before it is dropped.
	backlog = 16
)

// Config is what a Hub works with.
type Config struct {
	Store *storage.Store
	Log   *slog.Logger
	// Known returns an error if an actor would no longer be identified as it was.
	Known func(*storage.Tx, dam.Actor) error
	// May reports whether an actor may know of an update.
	May func(*storage.Tx, dam.Actor, *Update) (bool, error)

	Max, MaxPerUser int // followers at once
}

// Hub tells followers what changes. Its methods are safe for concurrent use.
type Hub struct {
	cfg    Config
	watch  *storage.Watch
	joined chan struct{} // has one when there is a first follower

	mu        sync.Mutex
	stopped   bool
	followers map[*Follower]bool
	last      int64         // the event up to which the followers were told
	owed      map[Kind]bool // what is still to be reset
	reset     time.Time     // when that was done last
}

// New returns a Hub, which tells nothing before Run.
func New(cfg Config) *Hub {
	return &Hub{
		cfg: cfg, watch: cfg.Store.Watch(), joined: make(chan struct{}, 1),
		followers: map[*Follower]bool{}, owed: map[Kind]bool{},
	}
}

// Follower is who is told. Its updates are closed when it has ended: Close was
// called, the actor is no longer known, it was too slow, or the Hub has stopped.
type Follower struct {
	First   []*Update        // what happened since it was here last
	At      int64            // the event up to which that is
	Updates <-chan []*Update // what happens from then on

	hub   *Hub
	actor dam.Actor
	out   chan []*Update
}

// ErrTooMany says that a user has as many followers as may be, ErrFull that all
// together have.
var (
	ErrTooMany = &dam.Error{Kind: dam.TooMany, Msg: "You have too many streams open; close one first."}
	ErrFull    = &dam.Error{Kind: dam.Unavailable, Msg: "The server has too many streams open; try again."}
	errStopped = &dam.Error{Kind: dam.Unavailable, Msg: "The server is stopping."}
)

// Follow begins to tell an actor what changes. after is the last event that it
// was told before, negative for none. The caller must Close the Follower.
func (h *Hub) Follow(ctx context.Context, actor dam.Actor, after int64) (*Follower, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.room(actor); err != nil {
		return nil, err
	}
	f := &Follower{hub: h, actor: actor, out: make(chan []*Update, backlog)}
	f.Updates = f.out
	err := h.cfg.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if len(h.followers) == 0 {
			if h.last, err = tx.LastEvent(); err != nil {
				return err
			}
		}
		f.At = h.last
		if after < 0 {
			return nil
		}
		f.First, err = h.since(tx, actor, after)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(h.followers) == 0 {
		h.watch.Turn(true)
		clear(h.owed)
		h.joined <- struct{}{}
	}
	h.followers[f] = true
	return f, nil
}

// room reports why an actor may not follow.
func (h *Hub) room(actor dam.Actor) error {
	if h.stopped {
		return errStopped
	}
	mine := 0
	for f := range h.followers {
		if f.actor.User.ID == actor.User.ID {
			mine++
		}
	}
	switch {
	case mine >= h.cfg.MaxPerUser:
		return ErrTooMany
	case len(h.followers) >= h.cfg.Max:
		return ErrFull
	}
	return nil
}

// since returns what an actor has missed after an event. Progress is not kept, so
// that always has to be read anew.
func (h *Hub) since(tx *storage.Tx, actor dam.Actor, after int64) ([]*Update, error) {
	c := newChanges(tx)
	of := map[Kind]bool{Batch: true, File: true, Operation: true}
	n, err := tx.CountEvents(after, h.last)
	if err != nil {
		return nil, err
	}
	if after > h.last || h.last-after > maxEvents || n != h.last-after { // of another library, too many, or no longer kept
		for _, k := range Followed() {
			of[k] = true
		}
		return []*Update{reset(of, h.last)}, nil
	}
	if _, err := c.events(after); err != nil {
		return nil, err
	}
	missed := c.without(nil)
	for i, u := range missed {
		if u.ID > h.last { // told with the next turn
			missed = missed[:i]
			break
		}
	}
	missed, err = h.allowed(tx, actor, missed)
	return append(missed, reset(of, h.last)), err
}

// Close ends f.
func (f *Follower) Close() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.hub.end(f)
}

// end ends a follower, if it has not ended.
func (h *Hub) end(f *Follower) {
	if !h.followers[f] {
		return
	}
	delete(h.followers, f)
	close(f.out)
	if len(h.followers) == 0 {
		h.watch.Turn(false)
		select {
		case <-h.joined: // nobody has noticed it
		default:
		}
	}
}

// Run tells followers until ctx is done, and then ends them.
func (h *Hub) Run(ctx context.Context) {
	defer h.stop()
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.joined:
		case <-h.watch.Changed():
		case <-t.C:
		}
		if err := h.turn(ctx); err != nil && ctx.Err() == nil {
			h.cfg.Log.ErrorContext(ctx, "tell what has changed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellEvery):
		}
	}
}

func (h *Hub) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for f := range h.followers {
		h.end(f)
	}
}

// turn tells all followers what has changed since the last turn.
func (h *Hub) turn(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.followers) == 0 {
		return nil
	}
	touched, missed := h.watch.Take()
	err := h.cfg.Store.View(ctx, func(tx *storage.Tx) error {
		c := newChanges(tx)
		last, err := c.events(h.last)
		if err != nil {
			return err
		}
		if err := c.progress(touched, missed); err != nil {
			return err
		}
		h.last = last
		return h.tell(tx, h.bounded(c))
	})
	if err != nil {
		for _, k := range Followed() { // so that nothing is lost
			h.owed[k] = true
		}
	}
	return err
}

// bounded returns what is told now: one by one, or as a reset for kinds of which
// there is too much. While a reset has to wait, those kinds wait with it, and
// whoever comes back continues from before it.
func (h *Hub) bounded(c *changes) []*Update {
	c.flood()
	maps.Copy(h.owed, c.flooded)
	updates := c.without(h.owed)
	switch {
	case len(h.owed) == 0:
	case time.Since(h.reset) >= resetEvery:
		updates = append(updates, reset(h.owed, h.last))
		h.reset = time.Now()
		clear(h.owed)
	default:
		for _, u := range updates {
			u.ID = 0
		}
	}
	return updates
}

// key is the same for followers who may know the same.
func key(a dam.Actor) string {
	switch {
	case a.Token != nil:
		return fmt.Sprint("token ", a.Token.ID)
	case a.Session != nil:
		return "session " + string(a.Session.Hash)
	}
	return fmt.Sprint("user ", a.User.ID)
}

// tell tells each follower what it may know, and ends those who are no longer
// known or too slow.
func (h *Hub) tell(tx *storage.Tx, updates []*Update) error {
	known, lists := map[string]error{}, map[string][]*Update{}
	for f := range h.followers {
		k := key(f.actor)
		if _, done := known[k]; !done {
			known[k] = h.cfg.Known(tx, f.actor)
			var err error
			if known[k] == nil && len(updates) > 0 {
				if lists[k], err = h.allowed(tx, f.actor, updates); err != nil {
					return err
				}
			}
		}
		if known[k] != nil {
			h.end(f)
			continue
		}
		if len(lists[k]) == 0 {
			continue
		}
		select {
		case f.out <- lists[k]:
		default:
			h.end(f) // it comes back, and continues where it was
		}
	}
	return nil
}

// allowed returns the updates that an actor may know of.
func (h *Hub) allowed(tx *storage.Tx, actor dam.Actor, updates []*Update) (list []*Update, err error) {
	for _, u := range updates {
		may, err := h.cfg.May(tx, actor, u)
		if err != nil {
			return nil, err
		}
		if may {
			list = append(list, u)
		}
	}
	return list, nil
}
