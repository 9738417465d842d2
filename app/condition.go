package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// AssetCheck reports why an asset as it is, with those of its collections that
// the actor may view, is not to be changed. It is called in the transaction
// that changes the asset. A nil AssetCheck agrees to everything.
type AssetCheck func(*dam.Asset) error

// assetCheck returns what to call in the transaction. Which collections have an
// asset by their rules is found before it, for that needs the search.
func (a *App) assetCheck(ctx context.Context, actor dam.Actor, gaid dam.GAID, check AssetCheck) (func(*storage.Tx, *dam.Asset) error, error) {
	if check == nil {
		return func(*storage.Tx, *dam.Asset) error { return nil }, nil
	}
	var asset *dam.Asset
	if err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		asset, err = tx.Asset(gaid)
		return err
	}); err != nil {
		return nil, err
	}
	ruled, err := a.Finder.ruledWith(ctx, actor, []int64{asset.ID})
	return func(tx *storage.Tx, asset *dam.Asset) error {
		now := *asset
		of, err := tx.CollectionsOf(reader(actor), []int64{asset.ID}, ruled)
		if err != nil {
			return err
		}
		now.Collections = of[asset.ID]
		return check(&now)
	}, err
}

// CollectionCheck reports why a collection as it is, as the actor sees it, is
// not to be changed. It is called in the transaction that changes the
// collection. A nil CollectionCheck agrees to everything.
type CollectionCheck func(*CollectionDetail) error

// collectionCheck returns what to call in the transaction. How many assets rules
// find is counted before it, for that needs the search.
func (a *App) collectionCheck(ctx context.Context, actor dam.Actor, id int64, check CollectionCheck) (func(*storage.Tx) error, error) {
	if check == nil {
		return func(*storage.Tx) error { return nil }, nil
	}
	before, err := a.Collection(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	counts := map[int64]int{}
	for _, c := range before.around() {
		counts[c.ID] = c.AssetsCount
	}
	return func(tx *storage.Tx) error {
		d, err := collectionDetail(tx, actor, id)
		if err != nil {
			return err
		}
		for _, c := range d.around() {
			c.AssetsCount = counts[c.ID]
		}
		if d.Rules == "" {
			if d.AssetsCount, err = tx.CountMembers(id); err != nil {
				return err
			}
		}
		return check(d)
	}, nil
}
