package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// Users take turns: each user with open operations has one job of a kind, which
// does the next items of the user's oldest operation in one transaction, and
// then puts itself at the end of the queue. The operations of one user are so
// done one after the other, in the order of their start.

const (
	bulkWorkers   = 2
	exportWorkers = 2

	// A turn at a bulk operation does so many items at most and at least, and
	// stops between when it has held the writer this long: others wait for it.
	bulkChunk = 200
	bulkRead  = 20
	bulkTime  = 30 * time.Millisecond

	// While somebody searches there is a pause before each turn: what it changes
	// is to be indexed, too.
	bulkPause = 100 * time.Millisecond
)

// turnOf is the kind of the job that does operations of a type.
func turnOf(t dam.OperationType) dam.JobKind {
	switch t {
	case dam.OperationAnalysis:
		return dam.JobAnalysis
	case dam.OperationExport:
		return dam.JobExport
	}
	return dam.JobBulk
}

// openOperation returns the operation that is next in the turns of a user, nil
// for none.
func openOperation(tx *storage.Tx, kind dam.JobKind, user int64) (*dam.Operation, error) {
	switch kind {
	case dam.JobAnalysis:
		return tx.OpenOperation(user, dam.OperationAnalysis)
	case dam.JobExport:
		return tx.OpenOperation(user, dam.OperationExport)
	}
	return tx.OpenOperation(user, dam.OperationUpdate, dam.OperationDelete)
}

// nextTurn gives a user another turn, if there is something left to do.
func (a *App) nextTurn(tx *storage.Tx, kind dam.JobKind, user int64) error {
	op, err := openOperation(tx, kind, user)
	if err != nil || op == nil {
		return err
	}
	if has, err := tx.HasJob(kind, user); err != nil || has {
		return err
	}
	tx.OnCommit(func() { a.jobs.Wake(kind) })
	return tx.Enqueue(kind, user, a.cfg.JobAttempts)
}

// bulkTurn does the next items of a user's bulk operations.
func (a *App) bulkTurn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	a.giveWay(ctx, bulkPause)
	full := a.disks.room(dirRecords)(0)
	return func(tx *storage.Tx) error {
		op, actor, err := a.begin(tx, j)
		if err != nil {
			return err
		}
		if op != nil && op.Type == dam.OperationUpdate && full != nil { // deleting goes on, it makes space
			return &job.Later{After: spaceRetry, Err: full}
		}
		if op != nil {
			if err := a.bulkItems(tx, op, actor); err != nil {
				return err
			}
		}
		return a.nextTurn(tx, j.Kind, j.Subject)
	}, nil
}

// begin returns the operation of a turn as running, nil when there is none left
// or when the one there was must not go on, and on whose behalf it is done.
func (a *App) begin(tx *storage.Tx, j *dam.Job) (op *dam.Operation, actor dam.Actor, err error) {
	if op, err = openOperation(tx, j.Kind, j.Subject); err != nil || op == nil {
		return nil, actor, err
	}
	actor, may, err := starter(tx, op)
	switch {
	case err != nil:
		return nil, actor, err
	case op.State == dam.OperationCancelling: // its worker could not say so
		return nil, actor, a.endOperation(tx, op, dam.OperationCancelled, nil)
	case !may:
		return nil, actor, a.endOperation(tx, op, dam.OperationFailed, denied())
	case op.State == dam.OperationPending:
		now := tx.Now()
		op.State, op.StartedAt = dam.OperationRunning, &now
	}
	return op, actor, nil
}

// starter returns on whose behalf an operation is done, and whether that user
// may still do it, through the token that started it if one did.
func starter(tx *storage.Tx, op *dam.Operation) (actor dam.Actor, may bool, err error) {
	u, err := tx.User(op.CreatedByID)
	if err != nil {
		return actor, false, err
	}
	actor = onBehalf(u, op.Spec.Granted)
	if id := op.Spec.TokenID; id != 0 {
		t, err := tx.Token(id)
		if dam.KindOf(err) == dam.NotFound || err == nil && t.Expired(tx.Now()) {
			return actor, false, nil
		}
		if err != nil {
			return actor, false, err
		}
	}
	return actor, u.DisabledAt == nil && mayOperate(actor, &op.Spec) == nil, nil
}

func denied() *dam.OperationError {
	return &dam.OperationError{Code: dam.CodeDenied, Message: "The user or the token that started it may no longer do this."}
}

// bulkItems does the next items of a running bulk operation.
func (a *App) bulkItems(tx *storage.Tx, op *dam.Operation, actor dam.Actor) error {
	start := time.Now()
	schema, err := a.schemas.in(tx)
	if err != nil {
		return err
	}
	moves, err := newMoves(tx, op, actor)
	if err != nil {
		return err
	}
	from, err := tx.LastChange()
	if err != nil {
		return err
	}
	for end := op.Next() + bulkChunk; op.Next() < min(end, op.Total); {
		if err := a.someItems(tx, op, actor, schema, moves); err != nil {
			return err
		}
		if time.Since(start) > bulkTime {
			break
		}
	}
	if err := moves.tell(tx); err != nil {
		return err
	}
	to, err := tx.LastChange()
	if err != nil {
		return err
	}
	tx.OnCommit(func() { a.changedLater(from, to) })
	return a.endItems(tx, op)
}

// someItems does the next bulkRead items.
func (a *App) someItems(tx *storage.Tx, op *dam.Operation, actor dam.Actor, schema *dam.Schema, moves *moves) error {
	items, err := tx.NextItems(op, bulkRead)
	if err != nil {
		return err
	}
	assets, err := tx.AssetsOf(items)
	if err != nil {
		return err
	}
	if err := moves.read(tx, assets); err != nil {
		return err
	}
	for _, item := range items {
		asset := assets[item.AssetID]
		state, fault, err := try(tx, op, asset, schema)
		if err != nil {
			return err
		}
		add, remove := moves.of(asset, &state, &fault)
		if state == dam.ItemDone {
			if err := a.save(tx, op, actor, asset); err != nil {
				return err
			}
		}
		if len(add)+len(remove) > 0 {
			state = dam.ItemDone
			if err := a.move(tx, moves, asset, add, remove); err != nil {
				return err
			}
		}
		item.State, item.Error = state, fault
		count(op, item)
	}
	return tx.SetItems(op, items)
}

// try works out what a bulk operation makes of an asset, nil for one that is
// gone, and changes the asset accordingly. Nothing is written.
func try(tx *storage.Tx, op *dam.Operation, asset *dam.Asset, schema *dam.Schema) (dam.ItemState, *dam.OperationError, error) {
	if asset == nil || asset.DeletedAt != nil && !op.Spec.Force {
		return dam.ItemFailed, &dam.OperationError{Code: dam.CodeNotFound, Message: "Asset not found."}, nil
	}
	if op.Type == dam.OperationDelete {
		now := tx.Now()
		asset.DeletedAt = &now
		return dam.ItemDone, nil, nil
	}
	if !op.Spec.Changes.TouchesAssets() {
		return dam.ItemUnchanged, nil, nil
	}
	changed, err := alter(tx, asset, op.Spec.Changes, schema)
	switch {
	case dam.KindOf(err) == dam.Invalid:
		e, _ := errors.AsType[*dam.Error](err)
		return dam.ItemFailed, &dam.OperationError{Code: dam.CodeInvalid, Message: e.Msg}, nil
	case err != nil:
		return "", nil, err
	case !changed:
		return dam.ItemUnchanged, nil, nil
	}
	return dam.ItemDone, nil, nil
}

// save writes what try has made of an asset, with its event.
func (a *App) save(tx *storage.Tx, op *dam.Operation, actor dam.Actor, asset *dam.Asset) error {
	switch {
	case op.Type == dam.OperationUpdate:
		return putAsset(tx, actor, asset, dam.AssetUpdated)
	case op.Spec.Force:
		return a.deleteAsset(tx, asset)
	}
	return putAsset(tx, actor, asset, dam.AssetDeleted)
}

// count adds an item that is done to the counters.
func count(op *dam.Operation, item *dam.OperationItem) {
	switch item.State {
	case dam.ItemFailed:
		op.Failed++
		return
	case dam.ItemUnchanged:
		op.Unchanged++
	}
	op.Done++
}

// endItems writes how far an operation is, and ends it with its last item.
func (a *App) endItems(tx *storage.Tx, op *dam.Operation) error {
	if op.Next() < op.Total {
		return tx.UpdateOperation(op)
	}
	return a.endDone(tx, op)
}

// endDone ends an operation that has done all its items.
func (a *App) endDone(tx *storage.Tx, op *dam.Operation) error {
	switch {
	case op.Failed == 0:
		return a.endOperation(tx, op, dam.OperationDone, nil)
	case op.Done > 0:
		return a.endOperation(tx, op, dam.OperationPartly, nil)
	}
	return a.endOperation(tx, op, dam.OperationFailed, &dam.OperationError{Code: dam.CodeAllFailed, Message: "None of the assets could be processed; the items say why."})
}

// endOperation puts an operation in a final state and says so to the world,
// once: one that has ended is a Conflict.
func (a *App) endOperation(tx *storage.Tx, op *dam.Operation, state dam.OperationState, fault *dam.OperationError) error {
	now := tx.Now()
	op.State, op.Error, op.FinishedAt = state, fault, &now
	if err := tx.UpdateOperation(op); err != nil {
		return err
	}
	tx.OnCommit(a.changedNow)
	return tx.InsertEvent(dam.OperationCompleted, strconv.FormatInt(op.ID, 10), op)
}

// turnDied fails the operation whose turn has used up its attempts.
func (a *App) turnDied(tx *storage.Tx, j *dam.Job) error {
	op, err := openOperation(tx, j.Kind, j.Subject)
	if err != nil {
		return err
	}
	if op != nil {
		fault := &dam.OperationError{Code: dam.CodeBroken, Message: "The operation could not go on. The server's log says why; it can be started again."}
		if err := a.endOperation(tx, op, dam.OperationFailed, fault); err != nil {
			return err
		}
		if op.Type == dam.OperationExport {
			tx.OnCommit(func() { a.Exports.remove(op) }) // if only the last transaction failed
		}
	}
	return a.nextTurn(tx, j.Kind, j.Subject)
}
