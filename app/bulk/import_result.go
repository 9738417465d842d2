package bulk

import (
	"context"
	"fmt"
	"io"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/storage"
)

// resultChunk is the number of rows of a result read per query.
const resultChunk = 200

// ImportResult holds the outcome of the rows of a table.
type ImportResult struct {
	Name  string                // of the result file
	Write func(io.Writer) error // writes the result as CSV
}

// Result returns the outcome of the rows of a metadata_import that the actor may
// see, with a given state or, if state is "", of all rows. The error is Gone once
// the table has expired.
func (x *Imports) Result(ctx context.Context, actor dam.Actor, id int64, state dam.ItemState) (*ImportResult, error) {
	var op *dam.Operation
	var m *importing
	err := x.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		if op, err = operation(tx, actor, id); err != nil {
			return err
		}
		if op.Type != dam.OperationImport {
			return dam.Errorf(dam.NotFound, "The operation is not a metadata_import, so it has no result.")
		}
		if !op.State.Terminal() {
			return dam.Errorf(dam.Conflict, "The operation is %s: its result is not ready yet.", op.State)
		}
		if m, err = openImport(tx, op); dam.KindOf(err) == dam.NotFound {
			err = dam.Errorf(dam.Gone, "The rows of the file have expired; the items of the operation say what became of them.")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &ImportResult{Name: fmt.Sprintf("import-%d.csv", op.ID), Write: func(w io.Writer) error {
		return x.writeResult(ctx, w, op, m, state)
	}}, nil
}

func (x *Imports) writeResult(ctx context.Context, w io.Writer, op *dam.Operation, m *importing, state dam.ItemState) error {
	table, err := export.NewResult(w, m.columns)
	if err != nil {
		return err
	}
	for from := 0; from < op.Total; from += resultChunk {
		var items []*dam.OperationItem
		err := x.Store.View(ctx, func(tx *storage.Tx) (err error) {
			if items, err = tx.OperationItems(op, "", dam.Page{Offset: from, Limit: resultChunk}); err == nil {
				err = m.setRows(tx, items)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, item := range items {
			showItem(op, item)
			if state != "" && item.State != state {
				continue
			}
			if err := table.Add(item); err != nil {
				return err
			}
		}
	}
	return table.Flush()
}
