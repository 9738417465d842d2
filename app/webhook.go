package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// MaxWebhooks is how many webhooks a user may have.
	MaxWebhooks = 100
	// maxHookTests is how many tests of one user are sent at once.
	maxHookTests = 4
)

// seenWebhook returns a webhook that the actor may see: its user's own, or any
// for a session of an admin.
func seenWebhook(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Webhook, error) {
	w, err := tx.Webhook(id)
	if err != nil {
		return nil, err
	}
	if !seesWebhook(actor, w) {
		return nil, dam.Errorf(dam.NotFound, "Webhook not found.")
	}
	w.CreatedBy, err = tx.User(w.UserID)
	return w, err
}

// managedWebhook returns a webhook that the actor may use and change: one that
// it sees and whose events it may read.
func managedWebhook(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Webhook, error) {
	w, err := seenWebhook(tx, actor, id)
	if err != nil {
		return nil, err
	}
	return w, mayBeTold(actor, w)
}

// Webhooks lists the webhooks of the actor's user, or those of all users for a
// session of an admin, newest first, and how many there are.
func (a *App) Webhooks(ctx context.Context, actor dam.Actor, p dam.Page) (hooks []*dam.Webhook, total int, err error) {
	user := actor.User.ID
	if seesAll(actor) {
		user = 0
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if hooks, total, err = tx.Webhooks(user, p); err != nil {
			return err
		}
		for _, w := range hooks {
			if w.CreatedBy, err = tx.User(w.UserID); err != nil {
				return err
			}
		}
		return nil
	})
	return hooks, total, err
}

// Webhook returns a webhook that the actor may see.
func (a *App) Webhook(ctx context.Context, actor dam.Actor, id int64) (w *dam.Webhook, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		w, err = seenWebhook(tx, actor, id)
		return err
	})
	return w, err
}

// CreateWebhook makes a webhook of the actor's user, which ends with the token
// that made it. It is told of what happens from now on. The secret is in what it
// returns and in no later answer.
func (a *App) CreateWebhook(ctx context.Context, actor dam.Actor, p *dam.WebhookPatch) (*dam.Webhook, error) {
	w := &dam.Webhook{UserID: actor.User.ID, Status: dam.WebhookActive, Secret: webhook.NewSecret(), CreatedBy: actor.User}
	w.BindTo(actor)
	if err := p.Apply(w); err != nil {
		return nil, err
	}
	if err := mayBeTold(actor, w); err != nil {
		return nil, err
	}
	if err := a.hookGuard.CheckURL(ctx, w.URL); err != nil {
		return nil, err
	}
	err := a.changeWebhooks(ctx, func(tx *storage.Tx) error {
		n, err := tx.CountWebhooks(w.UserID)
		if err != nil {
			return err
		}
		if n >= MaxWebhooks {
			return dam.InvalidField("body", "A user can have at most %d webhooks; delete one first.", MaxWebhooks)
		}
		return tx.InsertWebhook(w)
	})
	return w, err
}

// UpdateWebhook applies a patch to a webhook. The actor may read the events of
// what it was and of what it becomes. Who says where events go, which, or that
// they go again, takes it over: it ends with that token, or with its user.
func (a *App) UpdateWebhook(ctx context.Context, actor dam.Actor, id int64, p *dam.WebhookPatch) (w *dam.Webhook, err error) {
	if p.URL.Sent && !p.URL.Null { // outside the transaction, for names are looked up
		before, err := a.Webhook(ctx, actor, id)
		if err != nil {
			return nil, err
		}
		if url := strings.TrimSpace(p.URL.Value); url != before.URL && url != "" && len(url) <= dam.MaxWebhookURL {
			if err := a.hookGuard.CheckURL(ctx, url); err != nil {
				return nil, err
			}
		}
	}
	err = a.changeWebhooks(ctx, func(tx *storage.Tx) error {
		if w, err = managedWebhook(tx, actor, id); err != nil {
			return err
		}
		before := *w
		if err := p.Apply(w); err != nil {
			return err
		}
		if err := mayBeTold(actor, w); err != nil {
			return err
		}
		if w.URL != before.URL || fmt.Sprint(w.Events) != fmt.Sprint(before.Events) || w.Status == dam.WebhookActive && before.Status != w.Status {
			w.BindTo(actor)
		}
		if w.URL == before.URL && w.Description == before.Description && w.Status == before.Status && fmt.Sprint(w.Events) == fmt.Sprint(before.Events) {
			return nil
		}
		return tx.UpdateWebhook(w)
	})
	return w, err
}

// DeleteWebhook deletes a webhook with its deliveries. What is being sent at
// this moment may still arrive. People may always delete their own, whatever
// they may read by now; a token needs the abilities to use it.
func (a *App) DeleteWebhook(ctx context.Context, actor dam.Actor, id int64) error {
	return a.changeWebhooks(ctx, func(tx *storage.Tx) error {
		get := managedWebhook
		if actor.Token == nil {
			get = seenWebhook
		}
		if _, err := get(tx, actor, id); err != nil {
			return err
		}
		return tx.DeleteWebhook(id)
	})
}

// RotateWebhookSecret gives a webhook a new secret, which signs all that is sent
// from now on. It is in what is returned and in no later answer.
func (a *App) RotateWebhookSecret(ctx context.Context, actor dam.Actor, id int64) (w *dam.Webhook, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if w, err = managedWebhook(tx, actor, id); err != nil {
			return err
		}
		w.Secret = webhook.NewSecret()
		return tx.UpdateWebhook(w)
	})
	return w, err
}

// changeWebhooks runs fn in a transaction in which all that happened before is
// queued already for the webhooks as they were.
func (a *App) changeWebhooks(ctx context.Context, fn func(*storage.Tx) error) error {
	if err := a.dispatch.fanOut(ctx); err != nil { // most of it, not in one go
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := a.caughtUp(tx); err != nil {
			return err
		}
		tx.OnCommit(a.dispatch.soon)
		return fn(tx)
	})
}

// Deliveries lists the deliveries of a webhook, newest first, and how many there
// are.
func (a *App) Deliveries(ctx context.Context, actor dam.Actor, id int64, p dam.Page) (all []*dam.Delivery, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if _, err := managedWebhook(tx, actor, id); err != nil {
			return err
		}
		all, total, err = tx.Deliveries(id, p)
		return err
	})
	return all, total, err
}

// Redeliver queues the event of a delivery for its webhook again.
func (a *App) Redeliver(ctx context.Context, actor dam.Actor, id int64, delivery string) (d *dam.Delivery, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if _, err := managedWebhook(tx, actor, id); err != nil {
			return err
		}
		old, err := tx.DeliveryOf(id, delivery)
		if err != nil {
			return err
		}
		now := tx.Now()
		d = &dam.Delivery{WebhookID: id, EventID: old.EventID, EventUUID: old.EventUUID, EventType: old.EventType,
			Origin: dam.FromRedelivery, Status: dam.DeliveryPending, DueAt: &now}
		tx.OnCommit(a.dispatch.soon)
		return tx.InsertDelivery(d)
	})
	return d, err
}

// TestWebhook sends a webhook.test event, as view shows it, to a webhook in any
// state, once, and returns what came of it. One that has ended with its token is
// a Conflict: nothing is sent to it.
func (a *App) TestWebhook(ctx context.Context, actor dam.Actor, id int64, view EventView) (d *dam.Delivery, err error) {
	if !a.hookTests.enter(actor.User.ID) {
		return nil, &dam.Error{Kind: dam.TooMany, Msg: "Too many tests wait for their answers.", Err: &RetryAfter{a.cfg.WebhookTimeout}}
	}
	defer a.hookTests.leave(actor.User.ID)
	var w *dam.Webhook
	var e *dam.Event
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if w, err = managedWebhook(tx, actor, id); err != nil {
			return err
		}
		if reader, err := readerOf(tx, w); dam.KindOf(err) == dam.NotFound || err == nil && reader.Token != nil && reader.Token.Expired(tx.Now()) {
			return dam.Errorf(dam.Conflict, "The webhook has ended with its token; make it active again first.")
		}
		e, err = tx.AddEvent(dam.WebhookTest, strconv.FormatInt(id, 10), w)
		return err
	})
	if err != nil {
		return nil, err
	}
	v7, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	d = &dam.Delivery{UUID: v7.String(), WebhookID: id, EventID: e.ID, EventUUID: e.UUID, EventType: e.Type, Origin: dam.FromTest, CreatedAt: e.CreatedAt}
	attempt, err := a.attempt(ctx, view, w, d, e)
	if err != nil {
		return nil, err
	}
	err = a.store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		if w, err = tx.Webhook(id); err != nil { // as it is by now
			return err
		}
		d.Record(w, attempt, tx.Now(), true)
		if err := tx.SetWebhookState(w); err != nil {
			return err
		}
		return tx.InsertDelivery(d)
	})
	return d, err
}

// testers counts the tests that users have under way.
type testers struct {
	mu sync.Mutex
	by map[int64]int
}

func (t *testers) enter(user int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == nil {
		t.by = map[int64]int{}
	}
	if t.by[user] >= maxHookTests {
		return false
	}
	t.by[user]++
	return true
}

func (t *testers) leave(user int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[user]--; t.by[user] == 0 {
		delete(t.by, user)
	}
}

// readerOf returns for whom a webhook is told of events: its user, with the
// abilities of the token that it ends with.
func readerOf(tx *storage.Tx, w *dam.Webhook) (reader dam.Actor, err error) {
	if reader.User, err = tx.User(w.UserID); err == nil && w.TokenID != 0 {
		reader.Token, err = tx.Token(w.TokenID)
	}
	return reader, err
}

// attempt sends an event to a webhook. An error is a fault of ours, or the end
// of ctx.
func (a *App) attempt(ctx context.Context, view EventView, w *dam.Webhook, d *dam.Delivery, e *dam.Event) (dam.DeliveryAttempt, error) {
	body, err := a.payload(ctx, view, w, e)
	if err != nil {
		return dam.DeliveryAttempt{}, err
	}
	now := a.cfg.Now()
	answer := a.hookSender.Send(ctx, webhook.Message{URL: w.URL, Secret: w.Secret, Event: string(e.Type), Delivery: d.UUID, Body: body, At: now})
	return dam.DeliveryAttempt{At: now.UTC().Truncate(time.Millisecond), StatusCode: answer.Status, LatencyMS: answer.Latency.Milliseconds(),
		Excerpt: answer.Excerpt, Error: answer.Error}, ctx.Err()
}

// payload writes an event as a webhook is told of it.
func (a *App) payload(ctx context.Context, view EventView, w *dam.Webhook, e *dam.Event) ([]byte, error) {
	key := payloadKey{e.ID, w.UserID, w.TokenID}
	if body := a.payloads.find(key, a.cfg.Now()); body != nil {
		return body, nil
	}
	var reader dam.Actor
	if err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		reader, err = readerOf(tx, w)
		return err
	}); err != nil {
		return nil, err
	}
	data, err := view(ctx, reader, e)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.UUID, err)
	}
	body, err := json.Marshal(struct {
		ID        string        `json:"id"`
		Type      dam.EventType `json:"type"`
		CreatedAt string        `json:"created_at"`
		Data      any           `json:"data"`
	}{e.UUID, e.Type, e.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"), data})
	if err == nil {
		a.payloads.keep(key, body, a.cfg.Now())
	}
	return body, err
}

// payloads keeps the last few that were written: an event goes to many webhooks
// at about the same time, and most of them have the same reader. What the reader
// may see can change, so none is used for long.
type payloads struct {
	mu   sync.Mutex
	all  map[payloadKey]keptBody
	last [keptPayloads]payloadKey // a ring
	next int
}

type payloadKey struct{ event, user, token int64 }

type keptBody struct {
	body []byte
	at   time.Time // when it was written
}

// The bounds of what payloads keeps: how many, and bytes of one.
const (
	keptPayloads   = 128
	maxKeptPayload = 64 << 10
	payloadLife    = 5 * time.Second
)

func (p *payloads) find(key payloadKey, now time.Time) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.all[key]; now.Sub(k.at) < payloadLife {
		return k.body
	}
	return nil
}

func (p *payloads) keep(key payloadKey, body []byte, now time.Time) {
	if len(body) > maxKeptPayload {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[payloadKey]keptBody{}
	}
	if _, has := p.all[key]; !has {
		delete(p.all, p.last[p.next])
		p.last[p.next] = key
		p.next = (p.next + 1) % keptPayloads
	}
	p.all[key] = keptBody{body, now}
}
