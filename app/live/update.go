// Package live streams changes of the library to subscribers.
package live

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Kind is the kind of an Update.
type Kind string

// The kinds of updates.
const (
	Batch      Kind = "batch"
	File       Kind = "batch_file"
	Operation  Kind = "operation"
	Asset      Kind = "asset"
	Collection Kind = "collection"
	Reset      Kind = "reset" // too many changes to send individually
)

// Update is a change. It is shared and must not be modified.
type Update struct {
	Kind Kind
	// ID is the entry of the outbox after which a follower resumes; 0 for progress, which
	// is not recorded.
	ID int64

	Event     *dam.Event     // of assets and collections
	Facts     dam.EventFacts // of Event
	Batch     *dam.Batch     // current state; also for a file
	File      *dam.BatchFile // current state
	Operation *dam.Operation // current state
	Of        []Kind         // for Reset: kinds to reload
}

const (
	// maxEvents is the maximum number of events sent individually in a round, or after a
	// reconnect.
	maxEvents = 500
	// maxOfKind is the maximum number of assets, or files, sent individually in a round.
	maxOfKind = 100
)

// changes collects the updates of a round.
type changes struct {
	tx      *storage.Tx
	updates []*Update
	touched map[storage.Touch]int64 // objects with progress; the corresponding event, or 0
	flooded map[Kind]bool           // kinds with too many updates
}

func newChanges(tx *storage.Tx) *changes {
	return &changes{tx: tx, touched: map[storage.Touch]int64{}, flooded: map[Kind]bool{}}
}

// Followed lists the kinds that a Reset can contain.
func Followed() []Kind { return []Kind{Batch, File, Operation, Asset, Collection} }

// events adds the events after the given one and returns the last of them.
func (c *changes) events(after int64) (last int64, err error) {
	list, err := c.tx.Events(after, maxEvents+1)
	if err != nil || len(list) == 0 {
		return after, err
	}
	if len(list) > maxEvents {
		if last, err = c.tx.LastEvent(); err == nil {
			for _, k := range Followed() {
				c.flooded[k] = true
			}
		}
		return last, err
	}
	latest := map[string]int{} // only the last of equal events is sent
	for i, e := range list {
		latest[string(e.Type)+" "+e.Subject] = i
	}
	for i, e := range list {
		if latest[string(e.Type)+" "+e.Subject] == i {
			if err := c.event(e); err != nil {
				return after, err
			}
		}
	}
	return list[len(list)-1].ID, nil
}

// event adds one event.
func (c *changes) event(e *dam.Event) error {
	switch kind := Kind(e.Type.Noun()); kind {
	case Asset, Collection:
		facts, err := e.Facts()
		if err != nil {
			return err
		}
		c.updates = append(c.updates, &Update{Kind: kind, ID: e.ID, Event: e, Facts: facts})
	case Operation, "upload.batch":
		id, err := strconv.ParseInt(e.Subject, 10, 64)
		if err != nil {
			return fmt.Errorf("event %s: %w", e.UUID, err)
		}
		touch := storage.Touch{Kind: storage.TouchedOperation, ID: id}
		if kind != Operation {
			touch.Kind = storage.TouchedBatch
		}
		c.touched[touch] = e.ID
	}
	return nil
}

// progress adds the touched objects.
func (c *changes) progress(touched map[storage.Touch]bool, missed bool) error {
	for t := range touched {
		c.touched[t] = max(c.touched[t], 0)
	}
	if missed {
		for _, k := range []Kind{Batch, File, Operation} {
			c.flooded[k] = true
		}
	}
	of := func(kind storage.TouchKind) (list []int64) {
		for t := range c.touched {
			if t.Kind == kind {
				list = append(list, t.ID)
			}
		}
		return list
	}
	files, err := c.tx.BatchFilesByID(of(storage.TouchedFile))
	if err != nil {
		return err
	}
	wanted := of(storage.TouchedBatch)
	for _, f := range files {
		wanted = append(wanted, f.BatchID)
	}
	batches, err := c.tx.BatchesByID(wanted)
	if err != nil {
		return err
	}
	byID := map[int64]*dam.Batch{}
	for _, b := range batches {
		byID[b.ID] = b
		c.updates = append(c.updates, &Update{Kind: Batch, ID: c.touched[storage.Touch{Kind: storage.TouchedBatch, ID: b.ID}], Batch: b})
	}
	for _, f := range files {
		if b := byID[f.BatchID]; b != nil {
			c.updates = append(c.updates, &Update{Kind: File, File: f, Batch: b})
		}
	}
	operations, err := c.tx.OperationsByID(of(storage.TouchedOperation))
	for _, op := range operations {
		id := c.touched[storage.Touch{Kind: storage.TouchedOperation, ID: op.ID}]
		c.updates = append(c.updates, &Update{Kind: Operation, ID: id, Operation: op})
	}
	return err
}

// flood marks the kinds with too many updates.
func (c *changes) flood() {
	count := map[Kind]int{}
	for _, u := range c.updates {
		count[u.Kind]++
	}
	for _, u := range c.updates {
		if count[u.Kind] > maxOfKind {
			c.flooded[u.Kind] = true
		}
	}
}

// without returns the updates except for the given kinds: progress first, then in the order
// of their events.
func (c *changes) without(kinds map[Kind]bool) []*Update {
	list := slices.DeleteFunc(c.updates, func(u *Update) bool { return kinds[u.Kind] })
	slices.SortStableFunc(list, func(a, b *Update) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// reset returns a Reset of the given kinds up to an event.
func reset(of map[Kind]bool, upTo int64) *Update {
	u := &Update{Kind: Reset, ID: upTo}
	for _, k := range Followed() {
		if of[k] {
			u.Of = append(u.Of, k)
		}
	}
	return u
}
