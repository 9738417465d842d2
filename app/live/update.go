// Package live tells those who follow the library what changes in it, while it
// does.
package live

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Kind is what an Update is about.
type Kind string

// The kinds of updates.
const (
	Batch      Kind = "batch"
	File       Kind = "batch_file"
	Operation  Kind = "operation"
	Asset      Kind = "asset"
	Collection Kind = "collection"
	Reset      Kind = "reset" // too much has changed to tell it one by one
)

// Update says that something has changed. It is shared: nobody may change it.
type Update struct {
	Kind Kind
	// ID is the entry of the outbox that a follower continues after; 0 for
	// progress, which is not kept.
	ID int64

	Event     *dam.Event     // of assets and collections
	Facts     dam.EventFacts // of Event
	Batch     *dam.Batch     // as it is now; of a file, too
	File      *dam.BatchFile // as it is now
	Operation *dam.Operation // as it is now
	Of        []Kind         // of Reset: what has to be read anew
}

const (
	// maxEvents is how many events are told one by one at a time, or after a
	// follower was away.
	maxEvents = 500
	// maxOfKind is how many assets, or files, are told one by one at a time.
	maxOfKind = 100
)

// changes are what is to be told at a time.
type changes struct {
	tx      *storage.Tx
	updates []*Update
	touched map[storage.Touch]int64 // what progressed; the event that says so, or 0
	flooded map[Kind]bool           // what is too much
}

func newChanges(tx *storage.Tx) *changes {
	return &changes{tx: tx, touched: map[storage.Touch]int64{}, flooded: map[Kind]bool{}}
}

// Followed lists the kinds that a Reset may be of.
func Followed() []Kind { return []Kind{Batch, File, Operation, Asset, Collection} }

// events adds the events after one, and returns the last of them.
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
	latest := map[string]int{} // of several alike, the last is told
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

// progress adds what was touched.
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

// flood notes of which kinds there are too many updates.
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

// without returns the updates, progress first and then in the order of their events,
// without those of some kinds.
func (c *changes) without(kinds map[Kind]bool) []*Update {
	list := slices.DeleteFunc(c.updates, func(u *Update) bool { return kinds[u.Kind] })
	slices.SortStableFunc(list, func(a, b *Update) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// reset makes the update that says what has to be read anew, up to an event.
func reset(of map[Kind]bool, upTo int64) *Update {
	u := &Update{Kind: Reset, ID: upTo}
	for _, k := range Followed() {
		if of[k] {
			u.Of = append(u.Of, k)
		}
	}
	return u
}
