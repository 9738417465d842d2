package webhook

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Webhooks manages the webhooks of users and their deliveries. Its methods are safe for
// concurrent use.
type Webhooks struct {
	Store   *storage.Store
	Runner  *Runner
	Timeout time.Duration // per attempt
}

// MaxWebhooks is the maximum number of webhooks per user.
const MaxWebhooks = 100

// seenWebhook returns a webhook that the actor may see: users see their own, an
// admin's session sees all.
func seenWebhook(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Webhook, error) {
	w, err := tx.Webhook(id)
	if err != nil {
		return nil, err
	}
	if !access.SeesWebhook(actor, w) {
		return nil, dam.Errorf(dam.NotFound, "Webhook not found.")
	}
	w.CreatedBy, err = tx.User(w.UserID)
	return w, err
}

// managedWebhook returns a webhook that the actor may use and change: one that it
// sees and whose events it may read.
func managedWebhook(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Webhook, error) {
	w, err := seenWebhook(tx, actor, id)
	if err != nil {
		return nil, err
	}
	return w, access.MayUseWebhook(actor, w)
}

// List lists the webhooks of the actor's user, or those of all users for an
// admin's session, newest first, and their total number.
func (wh *Webhooks) List(ctx context.Context, actor dam.Actor, p dam.Page) (hooks []*dam.Webhook, total int, err error) {
	user := actor.User.ID
	if access.SeesAll(actor) {
		user = 0
	}
	err = wh.Store.View(ctx, func(tx *storage.Tx) error {
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

// Get returns a webhook that the actor may see.
func (wh *Webhooks) Get(ctx context.Context, actor dam.Actor, id int64) (w *dam.Webhook, err error) {
	err = wh.Store.View(ctx, func(tx *storage.Tx) error {
		w, err = seenWebhook(tx, actor, id)
		return err
	})
	return w, err
}

// Create creates a webhook of the actor's user, which ends with the token
// that created it and receives events from now on. The secret is returned only here.
func (wh *Webhooks) Create(ctx context.Context, actor dam.Actor, p *dam.WebhookPatch) (*dam.Webhook, error) {
	w := &dam.Webhook{UserID: actor.User.ID, Status: dam.WebhookActive, Secret: NewSecret(), CreatedBy: actor.User}
	w.BindTo(actor)
	if err := p.Apply(w); err != nil {
		return nil, err
	}
	if err := access.MayUseWebhook(actor, w); err != nil {
		return nil, err
	}
	if err := wh.Runner.CheckURL(ctx, w.URL); err != nil {
		return nil, err
	}
	err := wh.Runner.Change(ctx, func(tx *storage.Tx) error {
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

// Update applies a patch to a webhook. The actor must be able to read both
// its previous and its new events. An actor that changes the URL or the events, or
// reactivates the webhook, takes it over: it then ends with the actor's token or
// user.
func (wh *Webhooks) Update(ctx context.Context, actor dam.Actor, id int64, p *dam.WebhookPatch) (w *dam.Webhook, err error) {
	if p.URL.Sent && !p.URL.Null { // outside the transaction, because it resolves names
		before, err := wh.Get(ctx, actor, id)
		if err != nil {
			return nil, err
		}
		if url := strings.TrimSpace(p.URL.Value); url != before.URL && url != "" && len(url) <= dam.MaxWebhookURL {
			if err := wh.Runner.CheckURL(ctx, url); err != nil {
				return nil, err
			}
		}
	}
	err = wh.Runner.Change(ctx, func(tx *storage.Tx) error {
		if w, err = managedWebhook(tx, actor, id); err != nil {
			return err
		}
		before := *w
		if err := p.Apply(w); err != nil {
			return err
		}
		if err := access.MayUseWebhook(actor, w); err != nil {
			return err
		}
		sameTarget := w.URL == before.URL && slices.Equal(w.Events, before.Events)
		if !sameTarget || w.Status == dam.WebhookActive && before.Status != w.Status {
			w.BindTo(actor)
		}
		if sameTarget && w.Description == before.Description && w.Status == before.Status &&
			w.SkipEnrichment == before.SkipEnrichment {
			return nil
		}
		return tx.UpdateWebhook(w)
	})
	return w, err
}

// Delete deletes a webhook with its deliveries. A running delivery may still
// arrive. Users may always delete their own webhooks, even if they may no longer
// read the events; a token needs the abilities to use the webhook.
func (wh *Webhooks) Delete(ctx context.Context, actor dam.Actor, id int64) error {
	return wh.Runner.Change(ctx, func(tx *storage.Tx) error {
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

// RotateSecret replaces the secret of a webhook, which signs all later
// deliveries. The secret is returned only here.
func (wh *Webhooks) RotateSecret(ctx context.Context, actor dam.Actor, id int64) (w *dam.Webhook, err error) {
	err = wh.Store.Update(ctx, func(tx *storage.Tx) error {
		if w, err = managedWebhook(tx, actor, id); err != nil {
			return err
		}
		w.Secret = NewSecret()
		return tx.UpdateWebhook(w)
	})
	return w, err
}

// Deliveries lists the deliveries of a webhook that match f, newest first, and their
// total number.
func (wh *Webhooks) Deliveries(
	ctx context.Context, actor dam.Actor, id int64, f dam.DeliveryFilter, p dam.Page,
) (all []*dam.Delivery, total int, err error) {
	err = wh.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := managedWebhook(tx, actor, id); err != nil {
			return err
		}
		all, total, err = tx.Deliveries(id, f, p)
		return err
	})
	return all, total, err
}

// Redeliver queues the event of a delivery for its webhook again.
func (wh *Webhooks) Redeliver(ctx context.Context, actor dam.Actor, id int64, delivery string) (d *dam.Delivery, err error) {
	err = wh.Store.Update(ctx, func(tx *storage.Tx) error {
		if _, err := managedWebhook(tx, actor, id); err != nil {
			return err
		}
		old, err := tx.DeliveryOf(id, delivery)
		if err != nil {
			return err
		}
		now := tx.Now()
		d = &dam.Delivery{
			WebhookID: id, EventID: old.EventID, EventUUID: old.EventUUID, EventType: old.EventType,
			Origin: dam.FromRedelivery, Status: dam.DeliveryPending, DueAt: &now,
		}
		tx.OnCommit(wh.Runner.Wake)
		return tx.InsertDelivery(d)
	})
	return d, err
}

// Test sends a webhook.test event to a webhook once, regardless of its state,
// and returns the result. If the webhook has ended with its token, it sends nothing
// and returns a Conflict.
func (wh *Webhooks) Test(ctx context.Context, actor dam.Actor, id int64) (*dam.Delivery, error) {
	d, err := wh.Runner.Test(ctx, actor.User.ID, func(tx *storage.Tx) (*dam.Webhook, error) { return managedWebhook(tx, actor, id) })
	if errors.Is(err, ErrTooManyTests) {
		return nil, &dam.Error{
			Kind: dam.TooMany, Msg: "Too many tests are waiting for their answers.", Err: &account.RetryAfter{Wait: wh.Timeout},
		}
	}
	return d, err
}
