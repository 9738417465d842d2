package bulk

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Limits of a preview.
const (
	previewItems    = 20
	previewLines    = 100 // rows of a table that change something or fail
	previewNotFound = 100
	previewChunk    = 500
	previewWorkers  = 2 // concurrent previews; one of 1,000,000 assets takes a minute of CPU time
)

// OperationPreview describes the effects that an operation would have.
type OperationPreview struct {
	Type      dam.OperationType
	Total     int
	Changed   int   // would be processed
	Unchanged int   // already have the requested values
	NotFound  int   // do not exist or are in the trash
	Invalid   int   // would violate a rule, or are ambiguous or duplicates
	Bytes     int64 // size of the originals in an export
	Missing   []dam.GAID
	Query     *dam.ParsedQuery // parsed text of the selection; nil if it has none
	Items     []PreviewItem
}

// PreviewItem describes the effect of an operation on one asset.
type PreviewItem struct {
	Line    int // line in the table of a metadata_import; 0 for other operations
	GAID    dam.GAID
	Title   string
	State   dam.ItemState
	Error   *dam.OperationError
	Changes []dam.FieldChange
}

// PreviewOperation determines the effects of an operation, without storing
// anything.
func (o *Operations) PreviewOperation(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec) (*OperationPreview, error) {
	items := []PreviewItem{}
	p, err := o.PreviewItems(ctx, actor, spec, func(item PreviewItem) {
		if len(items) < previewItems || spec.Type == dam.OperationImport && len(items) < previewLines {
			items = append(items, item)
		}
	})
	if err != nil {
		return nil, err
	}
	p.Items = items
	return p, nil
}

// PreviewItems is PreviewOperation, but calls show with all items in order: the
// rows of a table that would change something or fail, or else the items whose
// assets exist.
func (o *Operations) PreviewItems(
	ctx context.Context, actor dam.Actor, spec *dam.OperationSpec, show func(PreviewItem),
) (*OperationPreview, error) {
	if err := access.MayOperate(actor, spec); err != nil {
		return nil, err
	}
	select {
	case o.previews <- struct{}{}:
		defer func() { <-o.previews }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	assets, query, err := o.choose(ctx, actor, spec)
	if err != nil {
		return nil, err
	}
	if err := access.MayOperate(actor, spec); err != nil {
		return nil, err
	}
	p := &OperationPreview{Type: spec.Type, Query: query, Missing: []dam.GAID{}, Items: []PreviewItem{}}
	gaids := dam.Distinct(spec.Selection.GAIDs)
	p.Total = len(assets) + len(gaids)
	op := &dam.Operation{Type: spec.Type, Spec: *spec}
	var rows *matcher
	err = o.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if rows, err = o.matcher(tx, op); err == nil && rows != nil {
			p.Total = rows.file.Rows
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for from := 0; from < p.Total; from += previewChunk {
		items := make([]*dam.OperationItem, min(previewChunk, p.Total-from))
		err := o.Store.View(ctx, func(tx *storage.Tx) (err error) {
			with := bulkTools{}
			if rows != nil {
				with.rows = rows.importing
				items, err = rows.items(tx, from, len(items))
			} else {
				err = previewRows(tx, items, gaids, assets, from)
			}
			if err != nil {
				return err
			}
			if with.schema, err = o.Schemas.In(tx); err != nil {
				return err
			}
			if with.moves, err = newMoves(tx, op, actor); err != nil {
				return err
			}
			return p.add(tx, op, items, with, show)
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// previewRows sets the assets of the items in a chunk of a selection.
func previewRows(tx *storage.Tx, items []*dam.OperationItem, gaids []dam.GAID, assets []int64, from int) error {
	var rows map[dam.GAID]int64
	if len(gaids) > 0 {
		var err error
		if rows, err = tx.AssetRows(gaids[from : from+len(items)]); err != nil {
			return err
		}
	}
	for i := range items {
		items[i] = &dam.OperationItem{Position: from + i}
		if len(gaids) > 0 {
			items[i].GAID = gaids[from+i]
			items[i].AssetID = rows[items[i].GAID]
		} else {
			items[i].AssetID = assets[from+i]
		}
	}
	return nil
}

// add counts the effects of an operation on items.
func (p *OperationPreview) add(
	tx *storage.Tx, op *dam.Operation, items []*dam.OperationItem, with bulkTools, show func(PreviewItem),
) error {
	moves := with.moves
	assets, err := tx.AssetsOf(items)
	if err != nil {
		return err
	}
	if err := moves.read(tx, assets); err != nil {
		return err
	}
	for _, item := range items {
		asset := assets[item.AssetID]
		shown := PreviewItem{Line: item.Line, GAID: item.GAID}
		var before dam.Asset
		if asset != nil {
			before = *asset
			shown.GAID, shown.Title = asset.GAID, asset.Title
		}
		state, fault, err := with.attempt(tx, op, item, asset)
		if err != nil {
			return err
		}
		add, remove := moves.of(asset, &state, &fault)
		if len(add)+len(remove) > 0 {
			state = dam.ItemDone
		}
		switch {
		case state == dam.ItemUnchanged:
			p.Unchanged++
		case state == dam.ItemDone:
			p.Changed++
			p.Bytes += asset.FileSize
		case fault.Code == dam.CodeNotFound:
			p.NotFound++
			if len(p.Missing) < previewNotFound && shown.GAID != "" {
				p.Missing = append(p.Missing, shown.GAID)
			}
		default:
			p.Invalid++
		}
		if table := with.rows != nil; table && state == dam.ItemUnchanged || !table && asset == nil {
			continue
		}
		shown.State, shown.Error = state, fault
		if state == dam.ItemDone && (op.Type == dam.OperationUpdate || op.Type == dam.OperationImport) {
			shown.Changes = append(dam.DiffAssets(&before, asset), moves.shown(asset, add, remove)...)
		}
		show(shown)
	}
	return nil
}

// attempt is try for operations of any type.
func (with bulkTools) attempt(
	tx *storage.Tx, op *dam.Operation, item *dam.OperationItem, asset *dam.Asset,
) (dam.ItemState, *dam.OperationError, error) {
	switch op.Type {
	case dam.OperationUpdate, dam.OperationDelete, dam.OperationImport:
		return with.try(tx, op, item, asset)
	}
	if asset == nil || asset.DeletedAt != nil {
		return dam.ItemFailed, assetGone(), nil
	}
	return dam.ItemDone, nil, nil
}
