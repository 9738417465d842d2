package bulk

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/analyze"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/storage"
)

// Users take turns: each user with open operations has one job per kind, which
// processes the next items of the user's oldest operation in one transaction and
// then moves to the end of the queue. The operations of one user therefore run one
// after the other, in the order of their start.

const (
	ChangeWorkers = 2
	ExportWorkers = 2

	// A turn of a bulk operation processes at most bulkItemsMax items, bulkRead at
	// a time, and stops once it has held the write lock for bulkTime, since others
	// wait for it.
	bulkItemsMax = 200
	bulkRead     = 20
	bulkTime     = 30 * time.Millisecond
)

// turnOf returns the kind of job that runs operations of a type.
func turnOf(t dam.OperationType) dam.JobKind {
	switch t {
	case dam.OperationAnalysis:
		return dam.JobAnalysis
	case dam.OperationExport:
		return dam.JobExport
	}
	return dam.JobBulk
}

// openOperation returns the next operation of a user's turns, nil for none.
func openOperation(tx *storage.Tx, kind dam.JobKind, user int64) (*dam.Operation, error) {
	switch kind {
	case dam.JobAnalysis:
		return tx.OpenOperation(user, dam.OperationAnalysis)
	case dam.JobExport:
		return tx.OpenOperation(user, dam.OperationExport)
	}
	return tx.OpenOperation(user, dam.OperationUpdate, dam.OperationDelete, dam.OperationImport)
}

// nextTurn queues another turn for a user, if any work is left.
func (o *Operations) nextTurn(tx *storage.Tx, kind dam.JobKind, user int64) error {
	op, err := openOperation(tx, kind, user)
	if err != nil || op == nil {
		return err
	}
	return o.Jobs.AddOnce(tx, kind, user)
}

// BulkTurn processes the next items of a user's bulk operations.
func (o *Operations) BulkTurn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	o.Index.GiveWay(ctx, analyze.BulkPause)
	full := o.Disks.Room(library.RecordsDir)(0)
	return func(tx *storage.Tx) error {
		op, actor, err := o.begin(tx, j)
		if err != nil {
			return err
		}
		if op != nil && op.Type != dam.OperationDelete && full != nil { // deletions continue, since they free space
			return &job.Later{After: library.SpaceRetry, Err: full}
		}
		if op != nil {
			if err := o.bulkItems(tx, op, actor); err != nil {
				return err
			}
		}
		return o.nextTurn(tx, j.Kind, j.Subject)
	}, nil
}

// begin marks the operation of a turn as running, and returns it with the actor on
// whose behalf it runs. The operation is nil if none is left or if it must not
// continue.
func (o *Operations) begin(tx *storage.Tx, j *dam.Job) (op *dam.Operation, actor dam.Actor, err error) {
	if op, err = openOperation(tx, j.Kind, j.Subject); err != nil || op == nil {
		return nil, actor, err
	}
	actor, may, err := starter(tx, op)
	switch {
	case err != nil:
		return nil, actor, err
	case op.State == dam.OperationCancelling: // its worker could not end it
		return nil, actor, o.end(tx, op, dam.OperationCancelled, nil)
	case !may:
		return nil, actor, o.end(tx, op, dam.OperationFailed, denied())
	case op.State == dam.OperationPending:
		now := tx.Now()
		op.State, op.StartedAt = dam.OperationRunning, &now
	}
	return op, actor, nil
}

// starter returns the actor on whose behalf an operation runs, and whether that
// user may still run it, with the token that started it, if any.
func starter(tx *storage.Tx, op *dam.Operation) (actor dam.Actor, may bool, err error) {
	u, err := tx.User(op.CreatedByID)
	if err != nil {
		return actor, false, err
	}
	actor = access.OnBehalf(u, op.Spec.Granted)
	if id := op.Spec.TokenID; id != 0 {
		t, err := tx.Token(id)
		if dam.KindOf(err) == dam.NotFound || err == nil && t.Expired(tx.Now()) {
			return actor, false, nil
		}
		if err != nil {
			return actor, false, err
		}
	}
	return actor, u.DisabledAt == nil && access.MayOperate(actor, &op.Spec) == nil, nil
}

func denied() *dam.OperationError {
	return &dam.OperationError{Code: dam.CodeDenied, Message: "The user or the token that started it may no longer do this."}
}

// assetGone returns the error of an item whose asset was deleted or is in the
// trash.
func assetGone() *dam.OperationError {
	return &dam.OperationError{Code: dam.CodeNotFound, Message: access.ErrAssetNotFound.Msg}
}

// bulkItems processes the next items of a running bulk operation.
func (o *Operations) bulkItems(tx *storage.Tx, op *dam.Operation, actor dam.Actor) error {
	start := time.Now()
	schema, err := o.Schemas.In(tx)
	if err != nil {
		return err
	}
	moves, err := newMoves(tx, op, actor)
	if err != nil {
		return err
	}
	rows, err := openImport(tx, op)
	if err != nil {
		return err
	}
	from, err := tx.LastChange()
	if err != nil {
		return err
	}
	for end := op.Next() + bulkItemsMax; op.Next() < min(end, op.Total); {
		if err := o.bulkChunk(tx, op, actor, bulkTools{schema, moves, rows}); err != nil {
			return err
		}
		if time.Since(start) > bulkTime {
			break
		}
	}
	if err := moves.note(tx); err != nil {
		return err
	}
	to, err := tx.LastChange()
	if err != nil {
		return err
	}
	tx.OnCommit(func() { o.Index.Changing(from, to) })
	return o.endItems(tx, op)
}

// bulkTools holds the data required to process the items of a bulk operation.
type bulkTools struct {
	schema *dam.Schema
	moves  *moves
	rows   *importing
}

// bulkChunk processes the next bulkRead items.
func (o *Operations) bulkChunk(tx *storage.Tx, op *dam.Operation, actor dam.Actor, with bulkTools) error {
	moves := with.moves
	items, err := tx.NextItems(op, bulkRead)
	if err != nil {
		return err
	}
	if err := with.rows.setRows(tx, items); err != nil {
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
		var before dam.Asset
		if asset != nil {
			before = *asset
		}
		state, fault, err := with.try(tx, op, item, asset)
		if err != nil {
			return err
		}
		add, remove := moves.of(asset, &state, &fault)
		if state == dam.ItemDone {
			if err := o.save(tx, op, actor, &before, asset); err != nil {
				return err
			}
		}
		if len(add)+len(remove) > 0 {
			state = dam.ItemDone
			if err := moves.move(tx, o.Index, asset, add, remove); err != nil {
				return err
			}
		}
		item.State, item.Error = state, fault
		count(op, item)
	}
	return tx.SetItems(op, items)
}

// try determines the result of a bulk operation for an asset, nil for a deleted
// one, and changes the asset in memory. Nothing is written.
func (with bulkTools) try(
	tx *storage.Tx, op *dam.Operation, item *dam.OperationItem, asset *dam.Asset,
) (dam.ItemState, *dam.OperationError, error) {
	if item.Error != nil {
		return dam.ItemFailed, item.Error, nil
	}
	if asset == nil || asset.DeletedAt != nil && !op.Spec.Force {
		return dam.ItemFailed, assetGone(), nil
	}
	if op.Type == dam.OperationDelete {
		now := tx.Now()
		asset.DeletedAt = &now
		return dam.ItemDone, nil, nil
	}
	var change assets.Patcher = op.Spec.Changes
	switch {
	case with.rows != nil:
		change = with.rows.change(item)
	case !op.Spec.Changes.TouchesAssets():
		return dam.ItemUnchanged, nil, nil
	}
	changed, err := assets.Alter(tx, asset, change, with.schema)
	switch {
	case dam.KindOf(err) == dam.Invalid:
		e, _ := errors.AsType[*dam.Error](err)
		return dam.ItemFailed, &dam.OperationError{Code: dam.CodeInvalid, Message: e.Msg, Field: e.FirstField()}, nil
	case err != nil:
		return "", nil, err
	case !changed:
		return dam.ItemUnchanged, nil, nil
	}
	return dam.ItemDone, nil, nil
}

// save writes an asset changed by try, with its event.
func (o *Operations) save(tx *storage.Tx, op *dam.Operation, actor dam.Actor, before, asset *dam.Asset) error {
	switch {
	case op.Type == dam.OperationUpdate, op.Type == dam.OperationImport:
		return assets.PutAsset(tx, actor, before, asset, dam.AssetUpdated, op.ID)
	case op.Spec.Force:
		return assets.DeleteAsset(tx, o.Originals, asset)
	}
	return assets.PutAsset(tx, actor, before, asset, dam.AssetDeleted, op.ID)
}

// count adds a processed item to the counters.
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

// endItems saves the progress of an operation, and ends it after its last item.
func (o *Operations) endItems(tx *storage.Tx, op *dam.Operation) error {
	if op.Next() < op.Total {
		return tx.UpdateOperation(op)
	}
	return o.endDone(tx, op)
}

// endDone ends an operation that has processed all its items.
func (o *Operations) endDone(tx *storage.Tx, op *dam.Operation) error {
	switch {
	case op.Failed == 0:
		return o.end(tx, op, dam.OperationDone, nil)
	case op.Done > 0:
		return o.end(tx, op, dam.OperationPartly, nil)
	}
	return o.end(tx, op, dam.OperationFailed, &dam.OperationError{
		Code: dam.CodeAllFailed, Message: "None of the assets could be processed; the items say why.",
	})
}

// end sets the final state of an operation and writes its event, once: if the
// operation has already ended, it returns a Conflict.
func (o *Operations) end(tx *storage.Tx, op *dam.Operation, state dam.OperationState, fault *dam.OperationError) error {
	now := tx.Now()
	op.State, op.Error, op.FinishedAt = state, fault, &now
	if err := tx.UpdateOperation(op); err != nil {
		return err
	}
	if im := op.Spec.Import; im != nil {
		if err := tx.ExpireImportFile(im.FileID, now.Add(o.Keep)); err != nil {
			return err
		}
	}
	tx.OnCommit(o.Index.ChangedAll)
	return tx.InsertEvent(dam.OperationCompleted, strconv.FormatInt(op.ID, 10), op)
}

// endTurn ends the operation of a turn if it is being cancelled, and continues with
// the next one.
func (o *Operations) endTurn(tx *storage.Tx, j *dam.Job) error {
	op, err := openOperation(tx, j.Kind, j.Subject)
	if err != nil {
		return err
	}
	if op != nil && op.State == dam.OperationCancelling {
		if err := o.end(tx, op, dam.OperationCancelled, nil); err != nil {
			return err
		}
	}
	return o.nextTurn(tx, j.Kind, j.Subject)
}

// TurnDied fails the operation whose turn has used up its attempts.
func (o *Operations) TurnDied(tx *storage.Tx, j *dam.Job) error {
	op, err := openOperation(tx, j.Kind, j.Subject)
	if err != nil {
		return err
	}
	if op != nil {
		fault := &dam.OperationError{
			Code: dam.CodeBroken, Message: "The operation could not go on. The server's log says why; it can be started again.",
		}
		if err := o.end(tx, op, dam.OperationFailed, fault); err != nil {
			return err
		}
	}
	return o.nextTurn(tx, j.Kind, j.Subject)
}
