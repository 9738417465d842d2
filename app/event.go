package app

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// EventView turns the resource of an event into what the interface shows of it,
// to be told to one reader.
type EventView func(ctx context.Context, reader dam.Actor, e *dam.Event) (any, error)

// EventAsset completes the asset of an event with the people it names and those
// of its collections that the reader may view, as they are now.
func (a *App) EventAsset(ctx context.Context, reader dam.Actor, asset *dam.Asset) (d *AssetDetail, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, reader, d, err)
}

// eventFollower is the name under which it is kept how far events are queued
// for webhooks.
const (
	eventFollower        = "webhooks"
	eventFollowerVersion = "1"
	// fanOutRows bounds the deliveries that one transaction queues, give or
	// take those of one event.
	fanOutRows = 500
)

// hookReader is for whom webhooks are told of events: a user, and the token that
// the webhook ends with or 0.
type hookReader struct{ user, token int64 }

// fanOut queues the next events for the webhooks that are told of them, each
// once, and reports how many events there were.
func (a *App) fanOut(tx *storage.Tx) (int, error) {
	from, err := tx.Follower(eventFollower, eventFollowerVersion)
	if err != nil {
		return 0, err
	}
	last, err := tx.LastEvent()
	if err != nil || last <= from {
		return 0, err
	}
	hooks, err := tx.Subscribers()
	if err != nil {
		return 0, err
	}
	if len(hooks) == 0 {
		return 0, tx.SetFollower(eventFollower, eventFollowerVersion, last)
	}
	list, err := tx.Events(from, max(1, fanOutRows/len(hooks)))
	if err != nil || len(list) == 0 {
		return 0, err
	}
	// Order follows this time, so it must not go back with the clock.
	a.queued = maxTime(a.queued, tx.Now())
	due := a.queued
	readers := map[hookReader]dam.Actor{}
	for _, w := range hooks {
		if _, known := readers[hookReader{w.UserID, w.TokenID}]; !known {
			if readers[hookReader{w.UserID, w.TokenID}], err = readerOf(tx, w); err != nil {
				return 0, err
			}
		}
	}
	for _, e := range list {
		if e.Type == dam.WebhookTest { // is sent by who wants the test
			continue
		}
		may := map[hookReader]bool{}
		for id, reader := range readers {
			if may[id], err = mayReceive(tx, reader, e); err != nil {
				return 0, err
			}
		}
		for _, w := range hooks {
			if !w.Wants(e.Type) || !may[hookReader{w.UserID, w.TokenID}] {
				continue
			}
			d := &dam.Delivery{WebhookID: w.ID, EventID: e.ID, Origin: dam.FromEvent, Status: dam.DeliveryPending, DueAt: &due}
			if err := tx.InsertDelivery(d); err != nil {
				return 0, err
			}
		}
	}
	return len(list), tx.SetFollower(eventFollower, eventFollowerVersion, list[len(list)-1].ID)
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// caughtUp queues all events that there are, so that what the webhooks are
// from now on counts for what happens from now on only.
func (a *App) caughtUp(tx *storage.Tx) error {
	for {
		n, err := a.fanOut(tx)
		if err != nil || n == 0 {
			return err
		}
	}
}

// giveUpDeliveries fails what has waited for a webhook to be active for as long
// as the history is kept.
func (a *App) giveUpDeliveries(tx *storage.Tx, now time.Time) (int64, error) {
	n, err := tx.GiveUpDeliveries(now.Add(-a.cfg.WebhookKeep), "Given up: the webhook was not active for too long.", upkeepStep)
	if n > 0 {
		tx.OnCommit(func() { a.log.Warn("gave up deliveries of webhooks that are not active", "deliveries", n) })
	}
	return n, err
}

// trimEvents forgets events from before a time that are queued for webhooks
// and that no delivery needs any more.
func trimEvents(tx *storage.Tx, before time.Time) (int64, error) {
	last, err := tx.Follower(eventFollower, eventFollowerVersion)
	if err != nil {
		return 0, err
	}
	return tx.TrimEvents(before, last, upkeepStep)
}

// endWebhooks says of webhooks that have ended with their token that they have.
// Nothing is sent to them since.
func (a *App) endWebhooks(ctx context.Context) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		hooks, err := tx.EndedWebhooks()
		for _, w := range hooks {
			w.Status, w.DisabledReason = dam.WebhookDisabled, dam.WebhookTokenExpired
			if err := tx.SetWebhookState(w); err != nil {
				return err
			}
			a.log.InfoContext(ctx, "webhook disabled", "webhook", w.ID, "reason", w.DisabledReason)
		}
		return err
	})
}
