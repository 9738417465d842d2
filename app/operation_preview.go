package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// The bounds of what a preview shows.
const (
	previewItems    = 20
	previewNotFound = 100
	previewChunk    = 500
	previewWorkers  = 2 // previews at once; one of 1,000,000 assets takes a minute of a processor
)

// OperationPreview is what an operation would do.
type OperationPreview struct {
	Type      dam.OperationType
	Total     int
	Changed   int   // would be done
	Unchanged int   // are as wanted already
	NotFound  int   // are not there, or in the trash
	Invalid   int   // would break a rule
	Bytes     int64 // of the originals of an export
	Missing   []dam.GAID
	Items     []PreviewItem
}

// PreviewItem is what an operation would do to one asset.
type PreviewItem struct {
	GAID    dam.GAID
	Title   string
	State   dam.ItemState
	Error   *dam.OperationError
	Changes []dam.FieldChange
}

// PreviewOperation works out what an operation would do, and stores nothing.
func (a *App) PreviewOperation(ctx context.Context, actor dam.Actor, spec *dam.OperationSpec) (*OperationPreview, error) {
	if err := mayOperate(actor, spec); err != nil {
		return nil, err
	}
	select {
	case a.operations.previews <- struct{}{}:
		defer func() { <-a.operations.previews }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	assets, err := a.choose(ctx, actor, spec)
	if err != nil {
		return nil, err
	}
	p := &OperationPreview{Type: spec.Type, Missing: []dam.GAID{}, Items: []PreviewItem{}}
	gaids := distinct(spec.Selection.GAIDs)
	p.Total = len(assets) + len(gaids)
	op := &dam.Operation{Type: spec.Type, Spec: *spec}
	for from := 0; from < p.Total; from += previewChunk {
		items := make([]*dam.OperationItem, min(previewChunk, p.Total-from))
		err := a.store.View(ctx, func(tx *storage.Tx) error {
			if err := previewRows(tx, items, gaids, assets, from); err != nil {
				return err
			}
			schema, err := a.schemas.in(tx)
			if err != nil {
				return err
			}
			return p.add(tx, op, actor, items, schema)
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// previewRows fills in which assets a part of a selection is.
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

// add counts what an operation would do to items.
func (p *OperationPreview) add(tx *storage.Tx, op *dam.Operation, actor dam.Actor, items []*dam.OperationItem, schema *dam.Schema) error {
	assets, err := tx.AssetsOf(items)
	if err != nil {
		return err
	}
	moves, err := newMoves(tx, op, actor)
	if err != nil {
		return err
	}
	if err := moves.read(tx, assets); err != nil {
		return err
	}
	for _, item := range items {
		asset := assets[item.AssetID]
		shown := PreviewItem{GAID: item.GAID}
		var before dam.Asset
		if asset != nil {
			before = *asset
			shown.GAID, shown.Title = asset.GAID, asset.Title
		}
		state, fault, err := attempt(tx, op, asset, schema)
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
		if len(p.Items) == previewItems || asset == nil {
			continue
		}
		shown.State, shown.Error = state, fault
		if op.Type == dam.OperationUpdate && state == dam.ItemDone {
			shown.Changes = append(dam.DiffAssets(&before, asset), moves.shown(asset, add, remove)...)
		}
		p.Items = append(p.Items, shown)
	}
	return nil
}

// attempt is try for operations of any type.
func attempt(tx *storage.Tx, op *dam.Operation, asset *dam.Asset, schema *dam.Schema) (dam.ItemState, *dam.OperationError, error) {
	switch op.Type {
	case dam.OperationUpdate, dam.OperationDelete:
		return try(tx, op, asset, schema)
	}
	if asset == nil || asset.DeletedAt != nil {
		return dam.ItemFailed, assetGone(), nil
	}
	return dam.ItemDone, nil, nil
}
