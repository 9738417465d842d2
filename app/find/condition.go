package find

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// AssetCheck returns an error if an asset may not be changed in its current state,
// which includes those of its collections that the actor may view. It is called in
// the transaction that changes the asset. A nil AssetCheck allows everything.
type AssetCheck func(*dam.Asset) error

// AssetCheck returns the function to call in the transaction. It determines
// beforehand which collections with rules contain the asset, since that takes a
// search.
func (f *Finder) AssetCheck(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, check AssetCheck,
) (func(*storage.Tx, *dam.Asset) error, error) {
	if check == nil {
		return func(*storage.Tx, *dam.Asset) error { return nil }, nil
	}
	var asset *dam.Asset
	if err := f.Store.View(ctx, func(tx *storage.Tx) (err error) {
		asset, err = tx.Asset(gaid)
		return err
	}); err != nil {
		return nil, err
	}
	ruled, err := f.RuledWith(ctx, actor, []int64{asset.ID})
	return func(tx *storage.Tx, asset *dam.Asset) error {
		now := *asset
		of, err := tx.CollectionsOf(access.Reader(actor), []int64{asset.ID}, ruled)
		if err != nil {
			return err
		}
		now.Collections = of[asset.ID]
		return check(&now)
	}, err
}
