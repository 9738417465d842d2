package find

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Outline returns the layout of the assets that Assets finds, in the same order,
// and the position of the asset at, if given.
func (f *Finder) Outline(ctx context.Context, actor dam.Actor, q dam.Query, at dam.GAID) (*dam.Outline, error) {
	return f.outline(ctx, actor, q, at, nil)
}

// CollectionOutline is Outline for the assets that CollectionAssets finds.
func (f *Finder) CollectionOutline(ctx context.Context, actor dam.Actor, id int64, q dam.Query, at dam.GAID) (*dam.Outline, error) {
	order, err := f.Within(ctx, actor, id, &q)
	if err != nil {
		return nil, err
	}
	return f.outline(ctx, actor, q, at, order)
}

func (f *Finder) outline(ctx context.Context, actor dam.Actor, q dam.Query, at dam.GAID, order []int64) (*dam.Outline, error) {
	f.Index.NoteSearch()
	scope, err := f.scope(ctx, actor, &q)
	if err != nil {
		return nil, err
	}
	scope.Order = order
	var asset int64 // 0 for none
	if at != "" {
		if err := f.Store.View(ctx, func(tx *storage.Tx) error {
			rows, err := tx.AssetRows([]dam.GAID{at})
			asset = rows[at]
			return err
		}); err != nil {
			return nil, err
		}
	}
	return f.Index.Outline(ctx, q, scope, asset)
}
