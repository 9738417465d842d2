package storage

import (
	"sync"

	"github.com/digital-asset-library/dal/app/dam"
)

// TouchKind is a kind of record whose changes a Watch collects.
type TouchKind int8

// The kinds of records. Changes of what people have made are events as well.
const (
	TouchedBatch     TouchKind = iota
	TouchedFile                // of a batch
	TouchedOperation           // also by its progress
	TouchedAccounts            // users, sessions or tokens, whichever
)

// Touch names a record that has changed.
type Touch struct {
	Kind TouchKind
	ID   int64 // 0 for accounts
}

// maxTouched bounds what a Watch remembers.
const maxTouched = 10_000

// Watch collects which records its Store changes, each once, between two calls
// of Take. What other processes change is not among them.
type Watch struct {
	wake chan struct{}

	mu      sync.Mutex
	on      bool
	missed  bool
	touched map[Touch]bool
}

// Watch returns the one Watch of a Store.
func (s *Store) Watch() *Watch { return s.watch }

func newWatch() *Watch { return &Watch{wake: make(chan struct{}, 1), touched: map[Touch]bool{}} }

// Turn has w collect, or stops and forgets.
func (w *Watch) Turn(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on, w.missed = on, false
	clear(w.touched)
}

// Changed receives after something was committed that w collects, or an event.
// Several commits may be told as one.
func (w *Watch) Changed() <-chan struct{} { return w.wake }

// Take returns what has changed since the last call, and whether there was more
// than w remembers.
func (w *Watch) Take() (touched map[Touch]bool, missed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	touched, missed = w.touched, w.missed
	w.touched, w.missed = map[Touch]bool{}, false
	return touched, missed
}

// add notes what a transaction has changed, which may be only events.
func (w *Watch) add(touched []Touch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.on {
		return
	}
	for _, t := range touched {
		if len(w.touched) >= maxTouched {
			w.missed = true
			break
		}
		w.touched[t] = true
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// touch notes that tx changes a record.
func (tx *Tx) touch(kind TouchKind, id int64) { tx.touched = append(tx.touched, Touch{kind, id}) }

// BatchesByID returns batches with their counts, ascending, without those that
// are gone.
func (tx *Tx) BatchesByID(want []int64) ([]*dam.Batch, error) {
	batches, err := list(tx, scanBatch, `SELECT `+batchColumns+` FROM upload_batches b WHERE id IN (SELECT value FROM json_each(?))
		ORDER BY id`, ids(want))
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	return batches, tx.fillCounts(batches)
}

// BatchFilesByID returns files of batches, ascending, without those that are gone.
func (tx *Tx) BatchFilesByID(want []int64) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`, ids(want))
}

// OperationsByID returns operations, ascending, without those that are gone.
func (tx *Tx) OperationsByID(want []int64) ([]*dam.Operation, error) {
	return list(tx, scanOperation, `SELECT `+operationColumns+` FROM operations WHERE draft = 0
		AND id IN (SELECT value FROM json_each(?)) ORDER BY id`, ids(want))
}
