package storage

import (
	"sync"

	"github.com/digital-asset-library/dal/app/dam"
)

// TouchKind is a kind of record whose changes a Watch collects.
type TouchKind int8

// The kinds of records. Changes of people's data are also emitted as events.
const (
	TouchedBatch     TouchKind = iota
	TouchedFile                // of a batch
	TouchedOperation           // including its progress
	TouchedAccounts            // any users, sessions or tokens
)

// Touch identifies a changed record.
type Touch struct {
	Kind TouchKind
	ID   int64 // 0 for accounts
}

// maxTouched is the maximum number of changes that a Watch collects.
const maxTouched = 10_000

// Watch collects the records that its Store changes between two calls of Take, each once.
// It does not include changes by other processes.
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

// Turn starts or stops collecting and discards all collected changes.
func (w *Watch) Turn(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on, w.missed = on, false
	clear(w.touched)
}

// Changed receives a value after a commit of collected changes or events. It may combine
// several commits into one value.
func (w *Watch) Changed() <-chan struct{} { return w.wake }

// Take returns the changes since the last call, and whether some were dropped because
// there were too many.
func (w *Watch) Take() (touched map[Touch]bool, missed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	touched, missed = w.touched, w.missed
	w.touched, w.missed = map[Touch]bool{}, false
	return touched, missed
}

// add collects the changes of a transaction, which may consist of events only.
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

// touch records that tx changes a record.
func (tx *Tx) touch(kind TouchKind, id int64) { tx.touched = append(tx.touched, Touch{kind, id}) }

// BatchesByID returns batches with their counts, ascending, and omits those that do not
// exist.
func (tx *Tx) BatchesByID(want []int64) ([]*dam.Batch, error) {
	batches, err := list(tx, scanBatch, `SELECT `+batchColumns+` FROM upload_batches b WHERE id IN (SELECT value FROM json_each(?))
		ORDER BY id`, ids(want))
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	return batches, tx.fillCounts(batches)
}

// BatchFilesByID returns files of batches, ascending, and omits those that do not exist.
func (tx *Tx) BatchFilesByID(want []int64) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`, ids(want))
}

// OperationsByID returns operations, ascending, and omits those that do not exist.
func (tx *Tx) OperationsByID(want []int64) ([]*dam.Operation, error) {
	return list(tx, scanOperation, `SELECT `+operationColumns+` FROM operations WHERE draft = 0
		AND id IN (SELECT value FROM json_each(?)) ORDER BY id`, ids(want))
}
