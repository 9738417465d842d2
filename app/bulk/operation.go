package bulk

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/storage"
)

// MaxOpenOperations is the maximum number of a user's waiting or running
// operations.
const MaxOpenOperations = 100

// Start starts an operation for the actor. Its assets are fixed from then
// on.
func (o *Operations) Start(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec) (*dam.Operation, error) {
	if err := access.MayOperate(actor, spec); err != nil {
		return nil, err
	}
	if spec.Type == dam.OperationExport {
		if err := o.Disks.Room(library.ExportsDir)(0); err != nil {
			return nil, err
		}
	}
	assets, _, err := o.choose(ctx, actor, spec)
	if err != nil {
		return nil, err
	}
	if err := access.MayOperate(actor, spec); err != nil { // the columns of the import's file determine the abilities
		return nil, err
	}
	op := &dam.Operation{Type: spec.Type, Spec: *spec, CreatedByID: actor.User.ID, CreatedBy: actor.User}
	op.Spec.Granted = access.Granted(actor)
	if actor.Token != nil {
		op.Spec.TokenID = actor.Token.ID
	}
	if err := o.insert(ctx, op, assets, admission{o.Exports.checkCount, o.Exports.checkSize}); err != nil {
		return nil, err
	}
	return op, nil
}

// choose validates an operation and returns the assets that its query finds, nil if
// it lists them, and the parsed text of the query.
func (o *Operations) choose(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec) ([]int64, *dam.ParsedQuery, error) {
	if err := spec.Validate(); err != nil {
		return nil, nil, err
	}
	if spec.Type == dam.OperationImport {
		return nil, nil, o.useImportFile(ctx, actor, spec)
	}
	if err := o.Analyses.Check(spec.Tasks, o.Meaning.Embedder != nil); err != nil {
		return nil, nil, err
	}
	if spec.Changes != nil {
		err := o.Store.View(ctx, func(tx *storage.Tx) error {
			schema, err := o.Schemas.In(tx)
			if err != nil {
				return err
			}
			tried, err := spec.Changes.Try(schema)
			if err != nil {
				return err
			}
			if err := asset.CheckReferences(tx, &dam.Asset{}, tried); err != nil {
				return err
			}
			return checkMoves(tx, actor, spec.Changes)
		})
		if err != nil {
			return nil, nil, dam.Under("changes.", err)
		}
	}
	limit := dam.MaxOperationItems
	if spec.Format == dam.ExportZIP {
		limit = dam.MaxExportFiles
	}
	sel := &spec.Selection
	if sel.GAIDs != nil {
		return nil, nil, nil
	}
	q, err := o.Finder.Query(ctx, sel.Params(), "")
	if err != nil {
		return nil, nil, dam.Under("selection.", err)
	}
	assets, query, err := o.Finder.IDs(ctx, actor, q)
	if err == nil && len(assets) > limit {
		err = dam.InvalidField("selection", "The selection has %d assets; such an operation takes at most %d.", len(assets), limit)
	}
	if assets == nil {
		assets = []int64{}
	}
	return assets, query, err
}

// operation returns an operation that the actor may see: users see their own, an
// admin's session sees all.
func operation(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Operation, error) {
	op, err := tx.Operation(id)
	if err == nil && !access.SeesOperation(actor, op) {
		return nil, dam.Errorf(dam.NotFound, "Operation not found.")
	}
	return op, err
}

// Get returns an operation.
func (o *Operations) Get(ctx context.Context, actor dam.Actor, id int64) (op *dam.Operation, err error) {
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		op, err = operation(tx, actor, id)
		return err
	})
	return access.ShownOperation(actor, op, err)
}

// List lists the actor's operations, or all operations for an admin's
// session, newest first, and their total number. It sets the user of the filter.
func (o *Operations) List(
	ctx context.Context, actor dam.Actor, f dam.OperationFilter, p dam.Page,
) (list []*dam.Operation, total int, err error) {
	f.User = actor.User.ID
	if access.SeesAll(actor) {
		f.User = 0
	}
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		list, total, err = tx.Operations(f, p)
		return err
	})
	for _, op := range list {
		access.ShowOperation(actor, op)
	}
	return list, total, err
}

// Items lists the items of an operation in order, optionally only those in
// a given state, and their total number.
func (o *Operations) Items(
	ctx context.Context, actor dam.Actor, id int64, state dam.ItemState, p dam.Page,
) (items []*dam.OperationItem, total int, err error) {
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
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
		if items, err = tx.OperationItems(op, state, p); err != nil {
			return err
		}
		for _, i := range items {
			showItem(op, i)
		}
		return tx.NameItems(items)
	})
	return items, total, err
}

// Cancel cancels an unfinished operation. Completed work is kept. An
// operation in progress stays in the state cancelling until its worker stops.
func (o *Operations) Cancel(ctx context.Context, actor dam.Actor, id int64) (op *dam.Operation, err error) {
	err = o.Store.Update(ctx, func(tx *storage.Tx) error {
		if op, err = operation(tx, actor, id); err != nil {
			return err
		}
		if err := access.MayCancel(actor, op); err != nil {
			return err
		}
		if op.State.Terminal() {
			return dam.Errorf(dam.Conflict, "The operation has ended: it is %s.", op.State)
		}
		if stop := o.running.stop(id); stop != nil {
			op.State = dam.OperationCancelling
			tx.OnCommit(stop)
			return tx.UpdateOperation(op)
		}
		return o.end(tx, op, dam.OperationCancelled, nil)
	})
	return access.ShownOperation(actor, op, err)
}

// DraftKeep is the age from which an operation with missing items counts as left over
// from a crash. Writing the items takes seconds.
const DraftKeep = time.Hour

// showItem prepares an item for display.
func showItem(op *dam.Operation, item *dam.OperationItem) {
	if item.State != dam.ItemPending {
		return
	}
	item.Error = nil
	if op.State.Terminal() {
		item.State = dam.ItemSkipped
	}
}

// EventOperation completes an event's operation with the user who started it.
func (o *Operations) EventOperation(ctx context.Context, reader dam.Actor, op *dam.Operation) error {
	access.ShowOperation(reader, op)
	return o.Store.View(ctx, func(tx *storage.Tx) (err error) {
		op.CreatedBy, err = tx.User(op.CreatedByID)
		return err
	})
}
