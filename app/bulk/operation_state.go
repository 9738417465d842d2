package bulk

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// itemChunk is the number of items inserted per transaction, which takes about 50
	// ms: others are waiting for the write lock.
	itemChunk = 4000
)

// Operations runs the bulk changes, exports and analyses that users have started. They
// run in the background: see operation_run.go.
type Operations struct {
	Store     *storage.Store
	Originals *original.Files
	Schemas   *index.Schemas
	Index     *index.Index
	Disks     *library.Disks
	Jobs      *job.Queue
	Finder    *find.Finder
	Meaning   *find.Meaning
	Analyses  *analyze.Analyses
	Exports   *Exports
	Imports   *Imports
	Keep      time.Duration // retention of an import table after the end of its operation

	running  running
	previews chan struct{} // holds one element per running preview
}

// NewOperations returns o, ready to start operations.
func NewOperations(o *Operations) *Operations {
	o.previews = make(chan struct{}, previewWorkers)
	return o
}

// admission checks whether an operation may start, first without its items and then
// with them.
type admission struct {
	withoutItems, withItems func(*storage.Tx, *dam.Operation) error
}

// insert stores an operation with its items, if it is admitted. An operation with many
// items is a draft until all of them are stored.
func (o *Operations) insert(ctx context.Context, op *dam.Operation, assets []int64, admit admission) error {
	ctx = storage.Preparing(ctx)
	gaids := dam.Distinct(op.Spec.Selection.GAIDs)
	next, total := 0, max(len(gaids), len(assets))
	var rows *matcher
	add := func(tx *storage.Tx) (err error) {
		to := min(next+itemChunk, total)
		switch {
		case rows != nil:
			err = rows.add(tx, op, to-next)
		case len(gaids) > 0:
			err = tx.AddOperationGAIDs(op, gaids[next:to])
		default:
			err = tx.AddOperationAssets(op, assets[next:to])
		}
		next = to
		return err
	}
	publish := func(tx *storage.Tx) error {
		if err := tx.Claim(); err != nil {
			return err
		}
		if err := admit.withItems(tx, op); err != nil {
			return err
		}
		if err := tx.PublishOperation(op); err != nil {
			return err
		}
		return o.nextTurn(tx, turnOf(op.Type), op.CreatedByID)
	}
	err := o.Store.Update(ctx, func(tx *storage.Tx) error {
		if n, err := tx.CountOpenOperations(op.CreatedByID); err != nil || n >= MaxOpenOperations {
			return cmp.Or[error](err, dam.Errorf(dam.Conflict, "You have %d operations that have not ended; wait for one or cancel it.", n))
		}
		if err := admit.withoutItems(tx, op); err != nil {
			return err
		}
		if err := tx.InsertOperation(op); err != nil {
			return err
		}
		var err error
		if rows, err = o.matcher(tx, op); err != nil {
			return err
		}
		if rows != nil {
			total = rows.file.Rows
		}
		if err := add(tx); err != nil || next < total {
			return err
		}
		return publish(tx)
	})
	if err != nil || total <= itemChunk {
		return err
	}
	for err == nil && next < total {
		err = o.Store.Note(ctx, add)
	}
	if err == nil {
		err = o.Store.Update(ctx, publish)
	}
	if err != nil { // after a crash, maintenance does this
		drop := func(tx *storage.Tx) (int64, error) { return tx.TrimDraft(op.ID, storage.Step) }
		err = errors.Join(err, o.Store.Repeat(context.WithoutCancel(ctx), drop))
	}
	return err
}

var errCancelled = errors.New("the operation was cancelled")

// running tracks the operations that workers process outside a transaction, so that
// they can be stopped.
type running struct {
	mu     sync.Mutex
	cancel map[int64]context.CancelCauseFunc
}

// begin registers that the caller processes an operation until it calls end. The
// returned context ends with errCancelled when the operation is stopped.
func (r *running) begin(ctx context.Context, id int64) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		r.cancel = map[int64]context.CancelCauseFunc{}
	}
	r.cancel[id] = cancel
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.cancel, id)
		cancel(nil)
	}
}

// stop returns a function that stops the worker of an operation, nil if none is
// processing it.
func (r *running) stop(id int64) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.cancel[id]; cancel != nil {
		return func() { cancel(errCancelled) }
	}
	return nil
}
