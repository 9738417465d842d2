package bulk

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/storage"
)

// importing is the table of a metadata_import.
type importing struct {
	spec    *dam.ImportSpec
	file    *dam.ImportFile
	columns []string // of a row's cells
	key     int      // index of the column that identifies the asset of a row
}

// openImport returns the table of an operation, nil for an operation of another
// type.
func openImport(tx *storage.Tx, op *dam.Operation) (*importing, error) {
	spec := op.Spec.Import
	if op.Type != dam.OperationImport || spec == nil {
		return nil, nil
	}
	f, err := tx.ImportFile(spec.FileID)
	if err != nil {
		return nil, err
	}
	m := &importing{spec: spec, file: f, columns: f.Kept(), key: -1}
	for i, c := range m.columns {
		if c == spec.MatchBy {
			m.key = i
		}
	}
	if m.key < 0 {
		return nil, fmt.Errorf("table %d has no column %s", f.ID, spec.MatchBy)
	}
	return m, nil
}

// useImportFile sets the file of a metadata_import that is about to start.
func (o *Operations) useImportFile(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec) error {
	if spec.Type != dam.OperationImport {
		return nil
	}
	return o.Store.View(ctx, func(tx *storage.Tx) error {
		f, err := importFile(tx, actor, spec.Import.FileID)
		if dam.KindOf(err) == dam.NotFound {
			return dam.InvalidField("file_id", "The selected file_id is invalid; upload the file first.")
		}
		if err == nil {
			err = spec.Import.Use(f)
		}
		return err
	})
}

// matcher finds the assets of the rows of a table, in order.
type matcher struct {
	*importing
	schema *dam.Schema
	seen   *roaring.Bitmap // assets of earlier rows
}

// matcher returns the matcher of an operation's rows, nil for an operation of
// another type.
func (o *Operations) matcher(tx *storage.Tx, op *dam.Operation) (*matcher, error) {
	m, err := openImport(tx, op)
	if m == nil || err != nil {
		return nil, err
	}
	schema, err := o.Schemas.In(tx)
	return &matcher{importing: m, schema: schema, seen: roaring.New()}, err
}

// add adds the next items to a draft.
func (m *matcher) add(tx *storage.Tx, op *dam.Operation, limit int) error {
	items, err := m.items(tx, op.Total, limit)
	if err == nil && len(items) < limit {
		err = fmt.Errorf("table %d lacks rows from %d on", m.file.ID, op.Total+len(items))
	}
	if err != nil {
		return err
	}
	return tx.AddImportItems(op, items)
}

// items returns the items of the next rows, at most limit. Items of rows that do
// not identify exactly one asset have an error.
func (m *matcher) items(tx *storage.Tx, from, limit int) ([]*dam.OperationItem, error) {
	rows, err := tx.ImportRows(m.file.ID, from, limit)
	if err != nil {
		return nil, err
	}
	var keys []any
	of := make([][]any, len(rows))
	for i, row := range rows {
		if row.Problem == "" {
			of[i] = m.schema.MatchKeys(m.spec.MatchBy, export.Plain(row.Cells[m.key]))
			keys = append(keys, of[i]...)
		}
	}
	found, err := tx.MatchAssets(m.spec.MatchBy, keys)
	if err != nil {
		return nil, err
	}
	items := make([]*dam.OperationItem, len(rows))
	for i, row := range rows {
		items[i] = &dam.OperationItem{Position: row.Position, Line: row.Line, Row: row}
		if err := m.match(items[i], found, of[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// match sets the asset of an item, or its error.
func (m *matcher) match(item *dam.OperationItem, found map[string]storage.AssetMatch, keys []any) error {
	fault := func(code dam.OperationErrorCode, field, format string, args ...any) {
		item.Error = &dam.OperationError{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
	}
	by := m.spec.MatchBy
	if item.Row.Problem != "" {
		fault(dam.CodeInvalid, "", "%s", item.Row.Problem)
		return nil
	}
	texts, err := storage.MatchTexts(by, keys)
	if err != nil {
		return err
	}
	var one storage.AssetMatch
	n := 0
	for _, text := range texts {
		if match, ok := found[text]; ok {
			one = match
			n += match.Count
		}
	}
	switch {
	case item.Row.Cells[m.key] == "":
		fault(dam.CodeNotFound, by, "The row has no %s.", by)
	case n == 0:
		fault(dam.CodeNotFound, by, "No asset has this %s.", by)
	case n > 1:
		fault(dam.CodeAmbiguous, by, "%d assets have this %s.", n, by)
	default:
		item.AssetID, item.GAID = one.ID, one.GAID
		if !m.seen.CheckedAdd(uint32(one.ID)) {
			fault(dam.CodeRepeated, by, "An earlier row is about the same asset.")
		}
	}
	return nil
}

// setRows reads the rows of consecutive items.
func (m *importing) setRows(tx *storage.Tx, items []*dam.OperationItem) error {
	if m == nil || len(items) == 0 {
		return nil
	}
	rows, err := tx.ImportRows(m.file.ID, items[0].Position, len(items))
	if err != nil {
		return err
	}
	if len(rows) != len(items) {
		return fmt.Errorf("table %d lacks rows from %d on", m.file.ID, items[0].Position)
	}
	for i, item := range items {
		item.Row = rows[i]
	}
	return nil
}

// change returns the change that an item makes to its asset.
func (m *importing) change(item *dam.OperationItem) asset.Patcher { return rowChange{m, item.Row} }

// rowChange applies a row of a table to its asset.
type rowChange struct {
	*importing
	row *dam.ImportRow
}

// Apply changes an asset according to the row. Cells that equal the exported value
// are skipped.
func (c rowChange) Apply(a *dam.Asset, s *dam.Schema) error {
	now := &export.Record{Asset: a}
	var changed []dam.Cell
	for i, text := range c.row.Cells {
		column := c.columns[i]
		if i == c.key || dam.NewImportColumn(column, false).Use != dam.ColumnWrites || text == "" && c.spec.Empty != dam.EmptyClear {
			continue
		}
		had, err := now.Cell(column)
		if err != nil {
			return err
		}
		if text != had {
			changed = append(changed, dam.Cell{Column: column, Text: export.Plain(text)})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	p, err := dam.PatchOf(a, s, changed)
	if err != nil {
		return err
	}
	return p.Apply(a, s)
}
