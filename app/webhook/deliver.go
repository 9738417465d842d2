package webhook

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// sending is a delivery in progress and its result.
type sending struct {
	lane    *lane
	id      int64
	begun   time.Time
	slow    bool
	attempt *dam.DeliveryAttempt // nil if nothing is to be recorded
	ourFail bool                 // internal error, which does not count against the webhook
	final   bool                 // abandoned without an attempt
}

// envelope is a delivery with everything needed to send it.
type envelope struct {
	delivery *dam.Delivery
	webhook  *dam.Webhook
	event    *dam.Event
	reader   dam.Actor
	may      bool // the reader may still read the event
}

// open loads a delivery.
func (r *Runner) open(ctx context.Context, id int64) (p envelope, err error) {
	err = r.store.View(ctx, func(tx *storage.Tx) (err error) {
		if p.delivery, err = tx.Delivery(id); err != nil {
			return err
		}
		if p.webhook, err = tx.Webhook(p.delivery.WebhookID); err != nil {
			return err
		}
		if p.reader, err = Reader(tx, p.webhook); err != nil {
			return err
		}
		if p.event, err = tx.Event(p.delivery.EventID); err != nil {
			return err
		}
		p.may, err = r.may(tx, p.reader, p.event)
		return err
	})
	return p, err
}

// due reports whether a delivery must still be sent.
func (p *envelope) due(now time.Time) bool {
	return p.delivery.DueAt != nil && p.webhook.Status == dam.WebhookActive && p.reader.User.DisabledAt == nil &&
		(p.reader.Token == nil || !p.reader.Token.Expired(now))
}

// send makes one attempt if the delivery is still due.
func (r *Runner) send(ctx context.Context, s *sending) {
	p, err := r.open(ctx, s.id)
	switch {
	case dam.KindOf(err) == dam.NotFound: // deleted in the meantime, or its token was revoked
		return
	case err != nil:
		r.log.ErrorContext(ctx, "read a delivery", "delivery", s.id, "err", err)
		return
	case !p.due(r.now()):
		return
	case !p.may: // permissions changed after it was queued
		s.final = true
		s.attempt = r.failed("Given up: the webhook's owner may no longer read this.")
		return
	}
	attempt, err := r.attempt(ctx, p.webhook, p.delivery, p.event)
	switch {
	case ctx.Err() != nil: // interrupted by shutdown
	case err != nil:
		r.log.ErrorContext(ctx, "write an event for a webhook", "delivery", p.delivery.UUID, "err", err)
		s.ourFail = true
		s.attempt = r.failed("The event could not be written. The server's log says why.")
	default:
		s.attempt = &attempt
	}
}

// failed returns an attempt that did not reach the endpoint.
func (r *Runner) failed(why string) *dam.DeliveryAttempt {
	return &dam.DeliveryAttempt{At: stamp(r.now()), Error: why}
}

// stamp converts a time to the precision of attempts.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// attempt sends an event to a webhook. It returns an error for an internal failure or the
// end of ctx.
func (r *Runner) attempt(ctx context.Context, w *dam.Webhook, d *dam.Delivery, e *dam.Event) (dam.DeliveryAttempt, error) {
	body, err := r.payload(ctx, w, e)
	if err != nil {
		return dam.DeliveryAttempt{}, err
	}
	now := r.now()
	answer := r.sender.Send(ctx, Message{
		URL: w.URL, Secret: w.Secret, Event: string(e.Type), EventID: e.UUID, Delivery: d.UUID, Body: body, At: now,
	})
	return dam.DeliveryAttempt{
		At: stamp(now), StatusCode: answer.Status, LatencyMS: answer.Latency.Milliseconds(), Excerpt: answer.Excerpt, Error: answer.Error,
	}, ctx.Err()
}

// settle records the result of a delivery and of all others that have finished.
func (r *Runner) settle(ctx context.Context, first *sending) {
	all := []*sending{first}
	for more := true; more; {
		select {
		case s := <-r.ended:
			all = append(all, s)
		default:
			more = false
		}
	}
	err := r.record(ctx, all)
	if err != nil {
		r.log.ErrorContext(ctx, "record deliveries, which will be sent again", "err", err)
	}
	for _, s := range all {
		delete(r.busy, s)
		if s.slow {
			r.slow--
		}
		delete(s.lane.busy, s.id)
		if a := s.attempt; a != nil {
			s.lane.slow = a.Error != "" || a.LatencyMS >= slowAnswer.Milliseconds()
		}
		if err != nil || s.attempt == nil {
			s.lane.queue, s.lane.dry = nil, true // until the next poll
		}
	}
}

// record stores the results of deliveries.
func (r *Runner) record(ctx context.Context, all []*sending) error {
	all = slices.DeleteFunc(slices.Clone(all), func(s *sending) bool { return s.attempt == nil })
	if len(all) == 0 {
		return nil
	}
	return r.store.Note(ctx, func(tx *storage.Tx) error {
		for _, s := range all {
			if err := r.recordOne(ctx, tx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Runner) recordOne(ctx context.Context, tx *storage.Tx, s *sending) error {
	d, err := tx.Delivery(s.id)
	if dam.KindOf(err) == dam.NotFound || err == nil && d.DueAt == nil { // deleted or finished in the meantime
		return nil
	}
	if err != nil {
		return err
	}
	w, err := tx.Webhook(d.WebhookID)
	if err != nil {
		return err
	}
	if s.final {
		d.GiveUp(*s.attempt)
	} else if d.Record(w, *s.attempt, tx.Now(), !s.ourFail) {
		tx.OnCommit(func() { r.logDisabled(ctx, slog.LevelWarn, w) })
	}
	if err := tx.SetWebhookState(w); err != nil {
		return err
	}
	return tx.SetDelivery(d)
}
