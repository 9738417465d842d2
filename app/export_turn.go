package app

import (
	"context"
	"errors"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// exportTurn makes the file of a user's next export. After an interruption it
// starts over.
func (a *App) exportTurn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var next *dam.Operation
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		next, err = openOperation(tx, j.Kind, j.Subject)
		return err
	})
	if err != nil || next == nil {
		return func(tx *storage.Tx) error { return a.endTurn(tx, j) }, err
	}
	ctx, release := a.hands.take(ctx, next.ID)
	defer release()
	var op *dam.Operation
	var actor dam.Actor
	err = a.store.Update(ctx, func(tx *storage.Tx) (err error) {
		if op, actor, err = a.begin(tx, j); err != nil || op == nil {
			return err
		}
		if op.ID != next.ID { // next has ended in the meantime
			op = nil
			return nil
		}
		return tx.UpdateOperation(op)
	})
	if err == nil && op != nil {
		err = a.Exports.write(ctx, op, actor)
	}
	switch {
	case op == nil && err == nil || errors.Is(err, errCancelled) || errors.Is(context.Cause(ctx), errCancelled):
		return func(tx *storage.Tx) error {
			tx.OnCommit(func() { a.Exports.remove(next) }) // in case it was just finished
			return a.endTurn(tx, j)
		}, nil
	case errors.Is(err, errDenied):
		return a.endExport(j, op, denied()), nil
	case errors.Is(err, errQuota):
		return a.endExport(j, op, a.Exports.overQuota()), nil
	case dam.KindOf(err) == dam.NoSpace:
		a.log.ErrorContext(ctx, "an export failed because the disk is full", "operation", op.ID, "err", err)
		return a.endExport(j, op, &dam.OperationError{Code: dam.CodeNoSpace, Message: "The server's disk is full."}), nil
	case err != nil:
		return nil, err
	}
	return a.endExport(j, op, nil), nil
}

// endExport ends an export that has its file, or a fault.
func (a *App) endExport(j *dam.Job, op *dam.Operation, fault *dam.OperationError) job.Commit {
	return func(tx *storage.Tx) error {
		now, err := tx.Operation(op.ID)
		switch {
		case err != nil:
			return err
		case now.State.Terminal() || now.State == dam.OperationCancelling:
			tx.OnCommit(func() { a.Exports.remove(op) })
		case fault != nil:
			err = a.endOperation(tx, op, dam.OperationFailed, fault)
		default:
			a.Exports.keepFile(tx, op)
			err = a.endDone(tx, op)
		}
		if err != nil {
			return err
		}
		return a.endTurn(tx, j)
	}
}
