package bulk

import (
	"context"
	"io"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// TableOptions are the options of a table import.
type TableOptions struct {
	dam.ImportSpec                         // except for the file
	Progress       func(*dam.Operation)    // called periodically
	Waiting        func() error            // called while the work is pending, in this or another process
	Failed         func(dam.OperationItem) // called with each failed row, in order
}

// tablePoll is the interval at which ImportTable checks the progress of an
// operation.
const tablePoll = 50 * time.Millisecond

// ImportTable uploads a table and imports it completely. If an identical import of
// the same table has not finished, it resumes that one. When ctx ends, the
// operation stays, so that a server or another call can resume it.
func (o *Operations) ImportTable(
	ctx context.Context, actor dam.Actor, name string, r io.Reader, opt TableOptions,
) (*dam.Operation, error) {
	f, err := o.Imports.Add(ctx, actor, name, r)
	if err != nil {
		return nil, err
	}
	op, err := o.openTable(ctx, actor, f, opt.ImportSpec)
	if err == nil && op == nil {
		spec := &dam.OperationSpec{Type: dam.OperationImport, Import: &opt.ImportSpec}
		spec.Import.FileID = f.ID
		op, err = o.Start(ctx, actor, spec)
	}
	if err != nil {
		return nil, err
	}
	if op, err = o.waitFor(ctx, actor, op.ID, opt); err != nil {
		return op, err
	}
	for page := (dam.Page{Limit: itemChunk}); ; page.Offset += page.Limit {
		items, _, err := o.Items(ctx, actor, op.ID, dam.ItemFailed, page)
		if err != nil || len(items) == 0 {
			return op, err
		}
		for _, item := range items {
			opt.Failed(*item)
		}
	}
}

// PlanTable uploads a table and determines the effects of importing it, without
// changing anything. It calls show with the rows that would change something or
// fail.
func (o *Operations) PlanTable(
	ctx context.Context, actor dam.Actor, name string, r io.Reader, spec dam.ImportSpec, show func(PreviewItem),
) (*OperationPreview, error) {
	f, err := o.Imports.Add(ctx, actor, name, r)
	if err != nil {
		return nil, err
	}
	spec.FileID = f.ID
	return o.PreviewItems(ctx, actor, &dam.OperationSpec{Type: dam.OperationImport, Import: &spec}, show)
}

// openTable returns the user's unfinished import of the same table with the same
// options, nil if none exists.
func (ops *Operations) openTable(
	ctx context.Context, actor dam.Actor, f *dam.ImportFile, spec dam.ImportSpec,
) (op *dam.Operation, err error) {
	err = ops.Store.View(ctx, func(tx *storage.Tx) error {
		open, err := tx.OpenImports(actor.User.ID, f.SHA256)
		for _, o := range open {
			im := *o.Spec.Import
			spec.FileID, spec.Filename, spec.Metadata = im.FileID, im.Filename, im.Metadata
			if im == spec {
				op = o
			}
		}
		return err
	})
	return op, err
}

// waitFor waits for the end of an operation.
func (o *Operations) waitFor(ctx context.Context, actor dam.Actor, id int64, opt TableOptions) (*dam.Operation, error) {
	tick := time.NewTicker(tablePoll)
	defer tick.Stop()
	for {
		op, err := o.Get(ctx, actor, id)
		if err != nil || op.State.Terminal() {
			return op, err
		}
		opt.Progress(op)
		if err := opt.Waiting(); err != nil {
			return op, err
		}
		select {
		case <-ctx.Done():
			return op, ctx.Err()
		case <-tick.C:
		}
	}
}
