package webhook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/storage"
)

// The bounds of sending. Healthy webhooks share fastPlaces. One that fails, or
// takes longer than slowAnswer, gets one place less and shares slowPlaces with
// others like it; a request that turns out to be slow is counted there from then
// on. So endpoints that hang do not keep others waiting, or no longer than
// slowAnswer when more than fastPlaces begin to hang at once.
const (
	fastPlaces = 64
	slowPlaces = 256
	allPlaces  = 512 // at once, in all
	lanePlaces = 2   // of one webhook
	slowAnswer = time.Second
	laneAhead  = 64 // due deliveries of a webhook that are read at once
)

// lane is what is due for one webhook.
type lane struct {
	webhook int64
	slow    bool
	dry     bool // nothing more is due, as far as we know
	queue   []storage.DueDelivery
	busy    map[int64]string // deliveries being sent, and the resource of each
}

// start sends as much of what is due as there are places.
func (r *Runner) start(ctx, requests context.Context) error {
	for id, l := range r.lanes { // in random order, so that none is always last
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

// places is how many deliveries of a lane may be under way now.
func (r *Runner) places(l *lane) int {
	if l.slow {
		return min(lanePlaces-1, len(l.busy)+slowPlaces-r.slow)
	}
	return min(lanePlaces, len(l.busy)+fastPlaces-(len(r.busy)-r.slow))
}

// noteSlow counts requests that have been under way for long as slow.
func (r *Runner) noteSlow() {
	for s := range r.busy {
		if !s.slow && time.Since(s.begun) > slowAnswer {
			s.slow, s.lane.slow = true, true
			r.slow++
		}
	}
}

// resource names what a delivery is about.
func resource(d *storage.DueDelivery) string { return d.Type.Noun() + " " + d.Subject }

// next takes from a lane the first delivery that can be sent now: one whose
// resource no delivery being sent or waiting before it is about. It returns nil
// if there is none.
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
