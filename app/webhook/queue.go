package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// follower is the name of the queue position of events in storage.
	follower        = "webhooks"
	followerVersion = "1"
	// queueRows is the approximate maximum number of deliveries queued by one transaction.
	// A single event may exceed it.
	queueRows = 500
)

// readerKey identifies the reader of a webhook's events: a user, and the token that the
// webhook ends with, or 0.
type readerKey struct{ user, token int64 }

func keyOf(w *dam.Webhook) readerKey { return readerKey{w.UserID, w.TokenID} }

// Reader returns the actor whose permissions apply to the events of a webhook: its user,
// with the abilities of the token that it ends with.
func Reader(tx *storage.Tx, w *dam.Webhook) (reader dam.Actor, err error) {
	if reader.User, err = tx.User(w.UserID); err == nil && w.TokenID != 0 {
		reader.Token, err = tx.Token(w.TokenID)
	}
	return reader, err
}

// Change runs fn, which changes webhooks, in a transaction. All earlier events are queued
// first for the webhooks before the change.
func (r *Runner) Change(ctx context.Context, fn func(*storage.Tx) error) error {
	earlier := storage.WithGuard(storage.Preparing(ctx), nil) // not part of the caller's change
	if err := r.queueEvents(earlier); err != nil {            // most of them, in many transactions
		return err
	}
	return r.store.Update(ctx, func(tx *storage.Tx) error {
		for more := true; more; {
			var err error
			if more, err = r.queueSome(tx); err != nil {
				return err
			}
		}
		tx.OnCommit(r.Wake)
		return fn(tx)
	})
}

// queueEvents queues all pending events.
func (r *Runner) queueEvents(ctx context.Context) error {
	for {
		var behind bool
		if err := r.store.View(ctx, func(tx *storage.Tx) error {
			from, err := tx.Follower(follower, followerVersion)
			if err != nil {
				return err
			}
			last, err := tx.LastEvent()
			behind = last > from
			return err
		}); err != nil || !behind {
			return err
		}
		if err := r.store.Note(ctx, func(tx *storage.Tx) error {
			_, err := r.queueSome(tx)
			return err
		}); err != nil {
			return fmt.Errorf("queue events: %w", err)
		}
	}
}

// queueSome queues the next events once per receiving webhook. It reports whether there may
// be more.
func (r *Runner) queueSome(tx *storage.Tx) (more bool, err error) {
	from, err := tx.Follower(follower, followerVersion)
	if err != nil {
		return false, err
	}
	last, err := tx.LastEvent()
	if err != nil || last <= from {
		return false, err
	}
	hooks, err := tx.Subscribers()
	if err != nil {
		return false, err
	}
	if len(hooks) == 0 {
		return false, tx.SetFollower(follower, followerVersion, last)
	}
	events, err := tx.Events(from, max(1, queueRows/len(hooks)))
	if err != nil || len(events) == 0 {
		return false, err
	}
	readers := map[readerKey]dam.Actor{}
	for _, w := range hooks {
		if _, known := readers[keyOf(w)]; !known {
			if readers[keyOf(w)], err = Reader(tx, w); err != nil {
				return false, err
			}
		}
	}
	if now := tx.Now(); now.After(r.queued) { // deliveries are ordered by this time, so it must not go back with the clock
		r.queued = now
	}
	for _, e := range events {
		if e.Type == dam.WebhookTest { // sent by Test
			continue
		}
		if err := r.queueEvent(tx, e, hooks, readers); err != nil {
			return false, err
		}
	}
	return true, tx.SetFollower(follower, followerVersion, events[len(events)-1].ID)
}

// queueEvent queues one event for the webhooks that subscribe to it and whose reader may
// read it.
func (r *Runner) queueEvent(tx *storage.Tx, e *dam.Event, hooks []*dam.Webhook, readers map[readerKey]dam.Actor) (err error) {
	may := map[readerKey]bool{}
	for key, reader := range readers {
		if may[key], err = r.may(tx, reader, e); err != nil {
			return err
		}
	}
	due := r.queued
	for _, w := range hooks {
		if !w.Wants(e.Type) || e.Enrichment && w.SkipEnrichment || !may[keyOf(w)] {
			continue
		}
		d := &dam.Delivery{WebhookID: w.ID, EventID: e.ID, Origin: dam.FromEvent, Status: dam.DeliveryPending, DueAt: &due}
		if err := tx.InsertDelivery(d); err != nil {
			return err
		}
	}
	return nil
}

// GiveUp abandons up to limit deliveries that were queued before a time and whose webhook
// is still not active. It returns their number.
func (r *Runner) GiveUp(tx *storage.Tx, before time.Time, limit int) (int64, error) {
	n, err := tx.GiveUpDeliveries(before, "Given up: the webhook was not active for too long.", limit)
	if n > 0 {
		tx.OnCommit(func() { r.log.Warn("gave up deliveries of webhooks that are not active", "deliveries", n) })
	}
	return n, err
}

// TrimEvents deletes up to limit events from before a time that are queued and not needed
// by a delivery. It returns their number.
func TrimEvents(tx *storage.Tx, before time.Time, limit int) (int64, error) {
	last, err := tx.Follower(follower, followerVersion)
	if err != nil {
		return 0, err
	}
	return tx.TrimEvents(before, last, limit)
}
