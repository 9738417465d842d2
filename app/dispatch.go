package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// The bounds of sending. Webhooks that are well share fastPlaces. One that
// fails, or takes longer than slowAnswer, has a place less and shares slowPlaces
// with its like; what turns out slow while it is being sent is counted there
// from then on. So those that hang do not keep others waiting: not for longer
// than slowAnswer when more than fastPlaces begin to hang at once.
const (
	fastPlaces = 64
	slowPlaces = 256
	allPlaces  = 512 // at once, over all
	lanePlaces = 2   // of one webhook
	slowAnswer = time.Second
	laneAhead  = 64 // due deliveries of a webhook that are read at once
	// dispatchPoll is how often it is looked for events of other processes and
	// for what has become due.
	dispatchPoll = 500 * time.Millisecond
	// dispatchGrace is how long what is being sent may take at stop. What is
	// cut off is sent again at the next start.
	dispatchGrace = 3 * time.Second
)

// dispatcher sends events to webhooks: at least once each, those about one
// resource one after the other. What is under way is in memory only, so a
// process that dies leaves it due.
type dispatcher struct {
	app   *App
	view  EventView // set by run
	wake  chan struct{}
	ended chan *sent
	lanes map[int64]*lane // by webhook
	busy  map[*sent]bool  // being sent
	slow  int             // of busy, the slow ones
}

// lane is what is due for one webhook.
type lane struct {
	id    int64
	slow  bool
	dry   bool // nothing more is due, as far as it is known
	queue []storage.DueDelivery
	busy  map[int64]string // deliveries being sent, and what they are about
}

// sent is what came of a delivery that was sent.
type sent struct {
	lane    *lane
	id      int64
	begun   time.Time
	slow    bool
	attempt *dam.DeliveryAttempt
	ours    bool // a fault of ours, which says nothing about the webhook
	final   bool // no attempt was made, nor will be
}

func newDispatcher(a *App) *dispatcher {
	return &dispatcher{app: a, wake: make(chan struct{}, 1), ended: make(chan *sent, allPlaces), lanes: map[int64]*lane{}, busy: map[*sent]bool{}}
}

// soon has the dispatcher look for what is due.
func (d *dispatcher) soon() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run sends what is due, as view shows it, until ctx is done.
func (d *dispatcher) run(ctx context.Context, view EventView) {
	d.view = view
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	t := time.NewTicker(dispatchPoll)
	defer t.Stop()
	look := true
	for ctx.Err() == nil {
		if look {
			if err := d.look(ctx); err != nil && ctx.Err() == nil {
				d.app.log.ErrorContext(ctx, "look for events to send", "err", err)
			}
		}
		if err := d.start(ctx, sending); err != nil && ctx.Err() == nil {
			d.app.log.ErrorContext(ctx, "read deliveries", "err", err)
		}
		look = true
		select {
		case <-ctx.Done():
		case <-d.app.store.NewEvents():
		case <-d.wake:
		case <-t.C:
			d.watch()
		case s := <-d.ended:
			look = false
			d.settle(sending, s)
		}
	}
	time.AfterFunc(dispatchGrace, cut)
	for len(d.busy) > 0 {
		d.settle(context.WithoutCancel(ctx), <-d.ended)
	}
}

// look queues new events for the webhooks and finds those for which something
// is due.
func (d *dispatcher) look(ctx context.Context) error {
	if err := d.fanOut(ctx); err != nil {
		return err
	}
	var due []storage.DueWebhook
	var ended []*dam.Webhook
	if err := d.app.store.View(ctx, func(tx *storage.Tx) (err error) {
		if ended, err = tx.EndedWebhooks(); err != nil {
			return err
		}
		due, err = tx.DueWebhooks()
		return err
	}); err != nil {
		return err
	}
	if len(ended) > 0 {
		if err := d.app.endWebhooks(ctx); err != nil {
			return err
		}
	}
	for _, w := range due {
		l := d.lanes[w.ID]
		if l == nil {
			l = &lane{id: w.ID, busy: map[int64]string{}}
			d.lanes[w.ID] = l
		}
		l.dry = false
		l.slow = l.slow || w.Failures > 0
	}
	return nil
}

// fanOut queues all events that are not queued yet. It may be called by
// anybody.
func (d *dispatcher) fanOut(ctx context.Context) error {
	for {
		var behind bool
		if err := d.app.store.View(ctx, func(tx *storage.Tx) error {
			from, err := tx.Follower(eventFollower, eventFollowerVersion)
			if err != nil {
				return err
			}
			last, err := tx.LastEvent()
			behind = last > from
			return err
		}); err != nil || !behind {
			return err
		}
		if err := d.app.store.Note(ctx, func(tx *storage.Tx) error {
			_, err := d.app.fanOut(tx)
			return err
		}); err != nil {
			return fmt.Errorf("queue events: %w", err)
		}
	}
}

// start sends as much of what is due as there are places.
func (d *dispatcher) start(ctx, sending context.Context) error {
	for id, l := range d.lanes { // in another order each time, so that none is always last
		for len(d.busy) < allPlaces {
			places := min(lanePlaces, len(l.busy)+fastPlaces-(len(d.busy)-d.slow))
			if l.slow {
				places = min(lanePlaces-1, len(l.busy)+slowPlaces-d.slow)
			}
			if len(l.busy) >= places {
				break
			}
			next, err := d.next(ctx, l)
			if err != nil {
				return err
			}
			if next == nil {
				break
			}
			l.busy[next.ID] = about(next)
			s := &sent{lane: l, id: next.ID, begun: time.Now(), slow: l.slow}
			d.busy[s] = true
			if l.slow {
				d.slow++
			}
			go func() {
				d.send(sending, s)
				d.ended <- s
			}()
		}
		if l.dry && len(l.queue) == 0 && len(l.busy) == 0 {
			delete(d.lanes, id)
		}
	}
	return nil
}

// watch counts as slow what has been on its way for long.
func (d *dispatcher) watch() {
	for s := range d.busy {
		if !s.slow && time.Since(s.begun) > slowAnswer {
			s.slow, s.lane.slow = true, true
			d.slow++
		}
	}
}

// about names the resource of a delivery.
func about(d *storage.DueDelivery) string { return d.Type.Noun() + " " + d.Subject }

// next takes from a lane what can be sent now: the first that is not about the
// same resource as one being sent or before it.
func (d *dispatcher) next(ctx context.Context, l *lane) (*storage.DueDelivery, error) {
	if len(l.queue) == 0 && !l.dry {
		if err := d.app.store.View(ctx, func(tx *storage.Tx) (err error) {
			l.queue, err = tx.DueDeliveries(l.id, laneAhead)
			return err
		}); err != nil {
			return nil, err
		}
		l.dry = len(l.queue) < laneAhead
		l.queue = slices.DeleteFunc(l.queue, func(q storage.DueDelivery) bool { return l.busy[q.ID] != "" })
		slices.SortFunc(l.queue, func(a, b storage.DueDelivery) int { return cmp.Compare(a.ID, b.ID) })
	}
	held := map[string]bool{}
	for _, subject := range l.busy {
		held[subject] = true
	}
	for i := range l.queue {
		if q := l.queue[i]; !held[about(&q)] {
			l.queue = slices.Delete(l.queue, i, i+1)
			return &q, nil
		} else {
			held[about(&q)] = true
		}
	}
	return nil, nil
}

// send makes one attempt, if the delivery is still due.
func (d *dispatcher) send(ctx context.Context, s *sent) {
	var w *dam.Webhook
	var delivery *dam.Delivery
	var e *dam.Event
	var may bool
	var reader dam.Actor
	err := d.app.store.View(ctx, func(tx *storage.Tx) (err error) {
		if delivery, err = tx.Delivery(s.id); err != nil {
			return err
		}
		if w, err = tx.Webhook(delivery.WebhookID); err != nil {
			return err
		}
		if reader, err = readerOf(tx, w); err != nil {
			return err
		}
		if e, err = tx.Event(delivery.EventID); err != nil {
			return err
		}
		may, err = mayReceive(tx, reader, e)
		return err
	})
	switch {
	case dam.KindOf(err) == dam.NotFound: // deleted meanwhile, or its token was revoked
		return
	case err != nil:
		d.app.log.ErrorContext(ctx, "read a delivery", "delivery", s.id, "err", err)
		return
	case delivery.DueAt == nil || w.Status != dam.WebhookActive || reader.User.DisabledAt != nil || reader.Token != nil && reader.Token.Expired(d.app.cfg.Now()):
		return
	}
	// What the owner might read when it was queued may be out of bounds by now.
	if !may {
		s.final = true
		s.attempt = &dam.DeliveryAttempt{At: d.app.cfg.Now().UTC().Truncate(time.Millisecond), Error: "Given up: the webhook's owner may not read this any more."}
		return
	}
	attempt, err := d.app.attempt(ctx, d.view, w, delivery, e)
	switch {
	case ctx.Err() != nil:
		return // cut off at stop
	case err != nil:
		d.app.log.ErrorContext(ctx, "write an event for a webhook", "delivery", delivery.UUID, "err", err)
		s.ours = true
		attempt = dam.DeliveryAttempt{At: d.app.cfg.Now().UTC().Truncate(time.Millisecond), Error: "The event could not be written. The server's log says why."}
	}
	s.attempt = &attempt
}

// settle records what came of deliveries: of the one given and of all others
// that have ended by now.
func (d *dispatcher) settle(ctx context.Context, first *sent) {
	all := []*sent{first}
	for more := true; more; {
		select {
		case s := <-d.ended:
			all = append(all, s)
		default:
			more = false
		}
	}
	err := d.record(ctx, all)
	if err != nil {
		d.app.log.ErrorContext(ctx, "record deliveries, which will be sent again", "err", err)
	}
	for _, s := range all {
		delete(d.busy, s)
		if s.slow {
			d.slow--
		}
		delete(s.lane.busy, s.id)
		if a := s.attempt; a != nil {
			s.lane.slow = a.Error != "" || a.LatencyMS >= slowAnswer.Milliseconds()
		}
		if err != nil || s.attempt == nil {
			s.lane.queue, s.lane.dry = nil, true // until the next look
		}
	}
}

// record writes what came of deliveries.
func (d *dispatcher) record(ctx context.Context, all []*sent) error {
	all = slices.DeleteFunc(slices.Clone(all), func(s *sent) bool { return s.attempt == nil })
	if len(all) == 0 {
		return nil
	}
	return d.app.store.Note(ctx, func(tx *storage.Tx) error {
		for _, s := range all {
			delivery, err := tx.Delivery(s.id)
			if dam.KindOf(err) == dam.NotFound || err == nil && delivery.DueAt == nil {
				continue
			}
			if err != nil {
				return err
			}
			w, err := tx.Webhook(delivery.WebhookID)
			if err != nil {
				return err
			}
			if s.final {
				delivery.GiveUp(*s.attempt)
			} else if delivery.Record(w, *s.attempt, tx.Now(), !s.ours) {
				tx.OnCommit(func() {
					d.app.log.WarnContext(ctx, "webhook disabled", "webhook", w.ID, "reason", w.DisabledReason)
				})
			}
			if err := tx.SetWebhookState(w); err != nil {
				return err
			}
			if err := tx.SetDelivery(delivery); err != nil {
				return err
			}
		}
		return nil
	})
}
