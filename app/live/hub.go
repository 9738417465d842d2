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
	// tellEvery is the minimum time between two rounds, so that an object is reported at
	// most four times a second, however often it changes.
	tellEvery = 250 * time.Millisecond
	// lookEvery is the interval of rounds without a change by this process: other processes
	// also write events, and sessions expire.
	lookEvery = 500 * time.Millisecond
	// resetEvery is the minimum time between two resets.
	resetEvery = 2 * time.Second
	// backlog is the number of rounds that a follower may lag behind before it is dropped.
	backlog = 16
)

// Config configures a Hub.
type Config struct {
	Store *storage.Store
	Log   *slog.Logger
	// Known returns an error if an actor has lost its authentication.
	Known func(*storage.Tx, dam.Actor) error
	// May reports whether an actor may receive an update.
	May func(*storage.Tx, dam.Actor, *Update) (bool, error)

	Max, MaxPerUser int // concurrent followers
}

// Hub sends changes to followers. Its methods are safe for concurrent use.
type Hub struct {
	cfg    Config
	watch  *storage.Watch
	joined chan struct{} // signals the first follower

	mu        sync.Mutex
	stopped   bool
	followers map[*Follower]bool
	last      int64         // last event sent to the followers
	owed      map[Kind]bool // kinds with a pending reset
	reset     time.Time     // time of the last reset
}

// New returns a Hub, which is idle until Run.
func New(cfg Config) *Hub {
	return &Hub{
		cfg: cfg, watch: cfg.Store.Watch(), joined: make(chan struct{}, 1),
		followers: map[*Follower]bool{}, owed: map[Kind]bool{},
	}
}

// Follower is a subscriber. Its Updates channel is closed when it ends: after Close, if the
// actor loses its authentication, if it is too slow, or if the Hub stops.
type Follower struct {
	First   []*Update        // changes since the event to resume from
	At      int64            // last event covered by First
	Updates <-chan []*Update // subsequent changes

	hub   *Hub
	actor dam.Actor
	out   chan []*Update
}

// ErrTooMany is returned at the limit of followers per user, ErrFull at the total limit.
var (
	ErrTooMany = &dam.Error{Kind: dam.TooMany, Msg: "You have too many streams open; close one first."}
	ErrFull    = &dam.Error{Kind: dam.Unavailable, Msg: "The server has too many streams open; try again."}
	errStopped = &dam.Error{Kind: dam.Unavailable, Msg: "The server is stopping."}
)

// Follow sends changes to the actor. after is the last event that it received before,
// negative for none. The caller must Close the Follower.
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

// room returns an error if an actor may not follow.
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

// since returns the changes that an actor missed after an event. Progress is not recorded,
// so the client must always reload it.
func (h *Hub) since(tx *storage.Tx, actor dam.Actor, after int64) ([]*Update, error) {
	c := newChanges(tx)
	of := map[Kind]bool{Batch: true, File: true, Operation: true}
	last, err := tx.LastEvent()
	if err != nil {
		return nil, err
	}
	if after > h.last && after <= last { // ahead of the other followers: the next turn has the rest
		return []*Update{reset(of, h.last)}, nil
	}
	n, err := tx.CountEvents(after, h.last)
	if err != nil {
		return nil, err
	}
	if after > h.last || h.last-after > maxEvents || n != h.last-after { // another library, too many, or deleted
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
		if u.ID > h.last { // sent in the next round
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

// end ends a follower unless it has already ended.
func (h *Hub) end(f *Follower) {
	if !h.followers[f] {
		return
	}
	delete(h.followers, f)
	close(f.out)
	if len(h.followers) == 0 {
		h.watch.Turn(false)
		select {
		case <-h.joined: // not received yet
		default:
		}
	}
}

// Run sends changes to followers until ctx is done, then ends the followers.
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

// turn sends all changes since the last round to the followers.
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

// bounded returns the updates to send now: individually, or as a reset for kinds with too
// many. Kinds with a pending reset are held back, and a follower that reconnects resumes
// before it.
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

// key identifies followers with the same permissions.
func key(a dam.Actor) string {
	switch {
	case a.Token != nil:
		return fmt.Sprint("token ", a.Token.ID)
	case a.Session != nil:
		return "session " + string(a.Session.Hash)
	}
	return fmt.Sprint("user ", a.User.ID)
}

// tell sends to each follower the updates that it may receive, and ends followers that are
// no longer authenticated or too slow.
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
			h.end(f) // it reconnects and resumes
		}
	}
	return nil
}

// allowed returns the updates that an actor may receive.
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
