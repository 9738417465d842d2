package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// MaxOpenOperations is how many operations of a user may wait or run.
	MaxOpenOperations = 100
	// idempotencyKeep is how long a key stands for what it started.
	idempotencyKeep = 24 * time.Hour
)

// Idempotency is the key under which a client asks for something, and the
// SHA-256 of what it asks for.
type Idempotency struct {
	Key      string
	BodyHash []byte
}

// StartOperation starts an operation for the actor, whose assets are fixed from
// then on. A key that started one within a day returns that as it was at its
// start, and replayed; one that asked for something else is Invalid, and one
// whose request is not answered yet a Conflict.
func (a *App) StartOperation(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec, idem Idempotency) (op *dam.Operation, replayed bool, err error) {
	if err := mayOperate(actor, spec); err != nil {
		return nil, false, err
	}
	if err := dam.ValidateIdempotencyKey(idem.Key); err != nil {
		return nil, false, err
	}
	user := actor.User.ID
	give, err := a.keys.take(user, idem.Key)
	if err != nil {
		return nil, false, err
	}
	defer give()
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		op, err = replay(tx, user, idem)
		return err
	})
	if err != nil || op != nil {
		op, err = shownOperation(actor, op, err)
		return op, op != nil, err
	}
	if spec.Type == dam.OperationExport {
		if err := a.disks.room(dirExports)(0); err != nil {
			return nil, false, err
		}
	}
	assets, err := a.choose(ctx, actor, spec)
	if err != nil {
		return nil, false, err
	}
	op = &dam.Operation{Type: spec.Type, Spec: *spec, CreatedByID: user}
	op.Spec.Granted = granted(actor)
	if actor.Token != nil {
		op.Spec.TokenID = actor.Token.ID
	}
	if err := a.insertOperation(ctx, op, assets, idem); err != nil {
		return nil, false, err
	}
	return op, false, nil
}

// itemChunk is how many items are inserted in one transaction, about 50 ms:
// others wait for the writer meanwhile.
const itemChunk = 4000

// insertOperation stores an operation with its items and its key. One that has
// many items is a draft until it has them all.
func (a *App) insertOperation(ctx context.Context, op *dam.Operation, assets []int64, idem Idempotency) error {
	gaids := distinct(op.Spec.Selection.GAIDs)
	next, total := 0, max(len(gaids), len(assets))
	add := func(tx *storage.Tx) (err error) {
		to := min(next+itemChunk, total)
		if len(gaids) > 0 {
			err = tx.AddOperationGAIDs(op, gaids[next:to])
		} else {
			err = tx.AddOperationAssets(op, assets[next:to])
		}
		next = to
		return err
	}
	publish := func(tx *storage.Tx) error {
		if err := a.Exports.checkSize(tx, op); err != nil {
			return err
		}
		if err := tx.PublishOperation(op); err != nil {
			return err
		}
		key := &storage.IdempotencyKey{BodyHash: idem.BodyHash, OperationID: op.ID}
		if err := tx.PutIdempotencyKey(op.CreatedByID, idem.Key, key); err != nil {
			return err
		}
		return a.nextTurn(tx, turnOf(op.Type), op.CreatedByID)
	}
	err := a.store.Update(ctx, func(tx *storage.Tx) error {
		if n, err := tx.CountOpenOperations(op.CreatedByID); err != nil || n >= MaxOpenOperations {
			return either(err, dam.Errorf(dam.Conflict, "You have %d operations that have not ended; wait for one or cancel it.", n))
		}
		if err := a.Exports.checkCount(tx, op); err != nil {
			return err
		}
		if err := tx.InsertOperation(op); err != nil {
			return err
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
		err = a.store.Note(ctx, add)
	}
	if err == nil {
		err = a.store.Update(ctx, publish)
	}
	if err != nil { // what a crash leaves, upkeep removes
		drop := func(tx *storage.Tx) (int64, error) { return tx.TrimDraft(op.ID, upkeepStep) }
		err = errors.Join(err, a.repeat(context.WithoutCancel(ctx), drop))
	}
	return err
}

// replay returns what a key has started, nil for nothing.
func replay(tx *storage.Tx, user int64, idem Idempotency) (*dam.Operation, error) {
	k, err := tx.IdempotencyKey(user, idem.Key, tx.Now().Add(-idempotencyKeep))
	if err != nil || k == nil {
		return nil, err
	}
	if !bytes.Equal(k.BodyHash, idem.BodyHash) {
		return nil, dam.InvalidField("Idempotency-Key", "The key was used for another request in the last 24 hours; use a new one.")
	}
	op, err := tx.Operation(k.OperationID)
	if err != nil {
		return nil, err
	}
	return op.AsStarted(), nil
}

// choose validates what an operation is to do and returns the assets that its
// query finds, nil when it names them.
func (a *App) choose(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec) ([]int64, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if spec.Type == dam.OperationAnalysis && a.embedder == nil {
		return nil, dam.InvalidField("tasks.0", "Search by meaning is off on this server (--embeddings).")
	}
	if spec.Changes != nil {
		err := a.store.View(ctx, func(tx *storage.Tx) error {
			schema, err := a.schemas.in(tx)
			if err != nil {
				return err
			}
			tried, err := spec.Changes.Try(schema)
			if err != nil {
				return err
			}
			if err := checkReferences(tx, &dam.Asset{}, tried); err != nil {
				return err
			}
			return checkMoves(tx, actor, spec.Changes)
		})
		if err != nil {
			return nil, under("changes.", err)
		}
	}
	limit := dam.MaxOperationItems
	if spec.Format == dam.ExportZIP {
		limit = dam.MaxExportFiles
	}
	sel := &spec.Selection
	if sel.GAIDs != nil {
		return nil, nil
	}
	q, err := a.Finder.Query(ctx, dam.QueryParams{Q: sel.Q, Filters: sel.Filters, Trashed: sel.Trashed}, "")
	if err != nil {
		return nil, under("selection.", err)
	}
	assets, err := a.Finder.IDs(ctx, actor, q)
	if err == nil && len(assets) > limit {
		err = dam.InvalidField("selection", "The selection has %d assets; such an operation takes at most %d.", len(assets), limit)
	}
	if assets == nil {
		assets = []int64{}
	}
	return assets, err
}

// under puts the fields of an error under a path.
func under(path string, err error) error {
	if e, ok := errors.AsType[*dam.Error](err); ok {
		for i := range e.Fields {
			e.Fields[i].Field = path + e.Fields[i].Field
		}
	}
	return err
}

// distinct returns a list without what came before in it.
func distinct(gaids []dam.GAID) []dam.GAID {
	list := make([]dam.GAID, 0, len(gaids))
	seen := make(map[dam.GAID]bool, len(gaids))
	for _, g := range gaids {
		if !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	return list
}

// operation returns an operation that the actor may see: its own, or any for an
// admin's session.
func operation(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Operation, error) {
	op, err := tx.Operation(id)
	if err == nil && !seesOperation(actor, op) {
		return nil, dam.Errorf(dam.NotFound, "Operation not found.")
	}
	return op, err
}

// Operation returns an operation.
func (a *App) Operation(ctx context.Context, actor dam.Actor, id int64) (op *dam.Operation, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadAssets(actor); err != nil {
			return err
		}
		op, err = operation(tx, actor, id)
		return err
	})
	return shownOperation(actor, op, err)
}

// Operations lists the actor's operations, or everybody's for an admin's
// session, newest first, and how many there are. Of the filter, the user is set.
func (a *App) Operations(ctx context.Context, actor dam.Actor, f dam.OperationFilter, p dam.Page) (list []*dam.Operation, total int, err error) {
	f.User = actor.User.ID
	if seesAll(actor) {
		f.User = 0
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadAssets(actor); err != nil {
			return err
		}
		list, total, err = tx.Operations(f, p)
		return err
	})
	for _, op := range list {
		ShowOperation(actor, op)
	}
	return list, total, err
}

// OperationItems lists the items of an operation in their order, those in a
// state or all when it is "", and how many there are.
func (a *App) OperationItems(ctx context.Context, actor dam.Actor, id int64, state dam.ItemState, p dam.Page) (items []*dam.OperationItem, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadAssets(actor); err != nil {
			return err
		}
		op, err := operation(tx, actor, id)
		if err != nil {
			return err
		}
		ended := op.State.Terminal()
		switch open := op.Total - op.Next(); state {
		case "":
			total = op.Total
		case dam.ItemPending:
			if total = open; ended {
				total = 0
			}
		case dam.ItemSkipped:
			if total = open; !ended {
				total = 0
			}
			state = dam.ItemPending
		case dam.ItemDone:
			total = op.Done - op.Unchanged
		case dam.ItemUnchanged:
			total = op.Unchanged
		case dam.ItemFailed:
			total = op.Failed
		}
		if total == 0 {
			return nil
		}
		items, err = tx.OperationItems(op, state, p)
		for _, i := range items {
			if ended && i.State == dam.ItemPending {
				i.State = dam.ItemSkipped
			}
		}
		return err
	})
	return items, total, err
}

// CancelOperation stops an operation that has not ended. What is done stays
// done. One that a worker has in hand is cancelling until the worker lets go.
func (a *App) CancelOperation(ctx context.Context, actor dam.Actor, id int64) (op *dam.Operation, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if op, err = operation(tx, actor, id); err != nil {
			return err
		}
		if err := mayCancel(actor, op); err != nil {
			return err
		}
		if op.State.Terminal() {
			return dam.Errorf(dam.Conflict, "The operation has ended: it is %s.", op.State)
		}
		if stop := a.hands.holder(id); stop != nil {
			op.State = dam.OperationCancelling
			tx.OnCommit(func() { stop(errCancelled) })
			return tx.UpdateOperation(op)
		}
		return a.endOperation(tx, op, dam.OperationCancelled, nil)
	})
	return shownOperation(actor, op, err)
}

var errCancelled = errors.New("the operation was cancelled")

// hands knows which operations workers have in hand outside of a transaction,
// and how to stop them.
type hands struct {
	mu sync.Mutex
	of map[int64]context.CancelCauseFunc
}

// take notes that the caller works on an operation as long as it holds ctx.
func (h *hands) take(ctx context.Context, id int64) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[id] = cancel
	return ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.of, id)
		cancel(nil)
	}
}

// holder returns what stops the worker on an operation, nil when there is none.
func (h *hands) holder(id int64) context.CancelCauseFunc {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.of[id]
}

// keys knows which idempotency keys are in flight.
type keys struct {
	mu    sync.Mutex
	taken map[string]bool
}

func (k *keys) take(user int64, key string) (give func(), err error) {
	key = fmt.Sprintf("%d %s", user, key)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.taken[key] {
		return nil, dam.Errorf(dam.Conflict, "A request with this Idempotency-Key has not been answered yet.")
	}
	k.taken[key] = true
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.taken, key)
	}, nil
}
