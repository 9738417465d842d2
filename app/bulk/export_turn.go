package bulk

import (
	"context"
	"errors"
	"log/slog"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// Exporting runs operations of type export.
type Exporting struct {
	*Operations
	files *Exports
	log   *slog.Logger
}

// NewExporting returns the runner of the operations of type export in o.
func NewExporting(o *Operations, files *Exports, log *slog.Logger) *Exporting {
	return &Exporting{o, files, log}
}

// Turn writes the file of a user's next export. After an interruption it starts over.
func (e *Exporting) Turn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var next *dam.Operation
	err := e.Store.View(ctx, func(tx *storage.Tx) (err error) {
		next, err = openOperation(tx, j.Kind, j.Subject)
		return err
	})
	if err != nil || next == nil {
		return func(tx *storage.Tx) error { return e.endTurn(tx, j) }, err
	}
	ctx, end := e.running.begin(ctx, next.ID)
	defer end()
	var op *dam.Operation
	var actor dam.Actor
	var written []dam.GAID
	err = e.Store.Update(ctx, func(tx *storage.Tx) (err error) {
		if op, actor, err = e.begin(tx, j); err != nil || op == nil {
			return err
		}
		if op.ID != next.ID { // next has ended in the meantime
			op = nil
			return nil
		}
		return tx.UpdateOperation(op)
	})
	if err == nil && op != nil {
		written, err = e.files.write(ctx, op, actor)
	}
	switch {
	case op == nil && err == nil || errors.Is(err, errCancelled) || errors.Is(context.Cause(ctx), errCancelled):
		return func(tx *storage.Tx) error {
			tx.OnCommit(func() { e.files.remove(next) }) // in case it was just completed
			return e.endTurn(tx, j)
		}, nil
	case errors.Is(err, errDenied):
		return e.endExport(j, op, nil, denied()), nil
	case errors.Is(err, errQuota):
		return e.endExport(j, op, nil, e.files.overQuota()), nil
	case dam.KindOf(err) == dam.NoSpace:
		e.log.ErrorContext(ctx, "an export failed because the disk is full", "operation", op.ID, "err", err)
		return e.endExport(j, op, nil, &dam.OperationError{Code: dam.CodeNoSpace, Message: "The server's disk is full."}), nil
	case err != nil:
		return nil, err
	}
	return e.endExport(j, op, written, nil), nil
}

// endExport ends an export whose file contains the files of the assets written, or
// that ended with a fault.
func (e *Exporting) endExport(j *dam.Job, op *dam.Operation, written []dam.GAID, fault *dam.OperationError) job.Commit {
	return func(tx *storage.Tx) error {
		now, err := tx.Operation(op.ID)
		switch {
		case err != nil:
			return err
		case now.State.Terminal() || now.State == dam.OperationCancelling:
			tx.OnCommit(func() { e.files.remove(op) })
		case fault != nil:
			err = e.end(tx, op, dam.OperationFailed, fault)
		default:
			e.files.keepFile(tx, op)
			if err = e.endDone(tx, op); len(written) > 0 {
				channel := dam.ChannelApp
				if op.Spec.Granted != nil {
					channel = dam.ChannelAPI
				}
				tx.OnCommit(func() { e.files.analytics.Exported(tx.Now(), channel, written) })
			}
		}
		if err != nil {
			return err
		}
		return e.endTurn(tx, j)
	}
}

// Died is TurnDied for exports. It removes the file, in case only the last
// transaction failed.
func (e *Exporting) Died(tx *storage.Tx, j *dam.Job) error {
	op, err := openOperation(tx, j.Kind, j.Subject)
	if err != nil {
		return err
	}
	if op != nil {
		tx.OnCommit(func() { e.files.remove(op) })
	}
	return e.TurnDied(tx, j)
}
