package webhook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/storage"
)

// Concurrency limits. Healthy webhooks share fastPlaces. A webhook that fails, or takes
// longer than slowAnswer, gets one place less and shares slowPlaces with other slow ones. A
// request in progress is moved there as soon as it exceeds slowAnswer. Endpoints that hang
// therefore do not delay others, or by at most slowAnswer if more than fastPlaces start to
// hang at the same time.
const (
	fastPlaces = 64
	slowPlaces = 256
	allPlaces  = 512 // total concurrent requests
	lanePlaces = 2   // per webhook
	slowAnswer = time.Second
	laneAhead  = 64 // due deliveries of a webhook loaded per query
)

// lane is the queue of one webhook.
type lane struct {
	webhook int64
	slow    bool
	dry     bool // no more due deliveries known
	queue   []storage.DueDelivery
	busy    map[int64]string // deliveries in progress and their resources
}

// start sends due deliveries up to the concurrency limits.
func (r *Runner) start(ctx, requests context.Context) error {
	for id, l := range r.lanes { // random order, so that no webhook is always last
		for len(r.busy) < allPlaces && len(l.busy) < r.places(l) {
			next, err := r.next(ctx, l)
			if err != nil {
				return err
			}
			if next == nil {
				break
			}
			l.busy[next.ID] = resource(next)
			s := &sending{lane: l, id: next.ID, begun: time.Now(), slow: l.slow}
			r.busy[s] = true
			if l.slow {
				r.slow++
			}
			go func() {
				r.send(requests, s)
				r.ended <- s
			}()
		}
		if l.dry && len(l.queue) == 0 && len(l.busy) == 0 {
			delete(r.lanes, id)
		}
	}
	return nil
}

// places returns the number of concurrent deliveries that a lane may have now.
func (r *Runner) places(l *lane) int {
	if l.slow {
		return min(lanePlaces-1, len(l.busy)+slowPlaces-r.slow)
	}
	return min(lanePlaces, len(l.busy)+fastPlaces-(len(r.busy)-r.slow))
}

// noteSlow marks requests that exceed slowAnswer as slow.
func (r *Runner) noteSlow() {
	for s := range r.busy {
		if !s.slow && time.Since(s.begun) > slowAnswer {
			s.slow, s.lane.slow = true, true
			r.slow++
		}
	}
}

// resource identifies the resource of a delivery.
func resource(d *storage.DueDelivery) string { return d.Type.Noun() + " " + d.Subject }

// next removes from a lane the first delivery that can be sent now: no delivery in progress
// or queued before it has the same resource. It returns nil if no delivery can be sent.
func (r *Runner) next(ctx context.Context, l *lane) (*storage.DueDelivery, error) {
	if len(l.queue) == 0 && !l.dry {
		if err := r.store.View(ctx, func(tx *storage.Tx) (err error) {
			l.queue, err = tx.DueDeliveries(l.webhook, laneAhead)
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
	for i, q := range l.queue {
		if !held[resource(&q)] {
			l.queue = slices.Delete(l.queue, i, i+1)
			return &q, nil
		}
		held[resource(&q)] = true
	}
	return nil, nil
}
