package ingest

import (
	"context"
	"fmt"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// MergeAssets merges other assets into one and moves them to the trash. The remaining asset
// takes over their collections and shares, including those that the actor cannot see; their
// keywords and people; and the highest of their ratings, if it has none.
func (ups *Uploads) MergeAssets(ctx context.Context, actor dam.Actor, gaid dam.GAID, others []dam.GAID) (d *assets.Detail, err error) {
	if err := access.MayMergeAssets(actor); err != nil {
		return nil, err
	}
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		kept, err := access.LiveAsset(tx, gaid, false)
		if err != nil {
			return err
		}
		rest, err := mergeable(tx, kept, others)
		if err != nil {
			return err
		}
		tx.OnCommit(ups.Index.Changed)
		if err := takeOver(tx, actor, kept, rest); err != nil {
			return err
		}
		if err := takeOverCollections(tx, actor, kept, rest); err != nil {
			return err
		}
		if err := takeOverShares(tx, kept, rest); err != nil {
			return err
		}
		for _, asset := range rest {
			now := tx.Now()
			asset.DeletedAt = &now
			if err := assets.PutAsset(tx, actor, asset, asset, dam.AssetDeleted, 0); err != nil {
				return err
			}
		}
		d, err = assets.DetailOf(tx, kept)
		return err
	})
	return ups.Assets.WithCollections(ctx, actor, d, err)
}

// mergeable returns the assets to merge into another one.
func mergeable(tx *storage.Tx, kept *dam.Asset, gaids []dam.GAID) ([]*dam.Asset, error) {
	var p dam.Problems
	var list []*dam.Asset
	for i, gaid := range gaids {
		field := fmt.Sprintf("gaids.%d", i)
		if gaid == kept.GAID {
			p.Add(field, "The asset %s cannot be merged into itself.", gaid)
			continue
		}
		if slices.Contains(gaids[:i], gaid) {
			continue
		}
		asset, err := access.LiveAsset(tx, gaid, false)
		if dam.KindOf(err) == dam.NotFound {
			p.Add(field, "The asset %s does not exist or is in the trash.", gaid)
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, asset)
	}
	return list, p.Err()
}

// takeOver adds the keywords, people and rating of other assets to an asset.
func takeOver(tx *storage.Tx, actor dam.Actor, kept *dam.Asset, rest []*dam.Asset) error {
	before := *kept
	keywords, people := slices.Clone(kept.Keywords), slices.Clone(kept.People)
	for _, asset := range rest {
		keywords, people = append(keywords, asset.Keywords...), append(people, asset.People...)
		if r := asset.Rating; before.Rating == nil && r != nil && (kept.Rating == nil || *r > *kept.Rating) {
			kept.Rating = r
		}
	}
	if keywords = dam.CleanWords(keywords); len(keywords) > 0 {
		kept.Keywords = keywords[:min(len(keywords), dam.MaxKeywords)]
	}
	if people = dam.CleanWords(people); len(people) > 0 {
		kept.People = people[:min(len(people), dam.MaxKeywords)]
	}
	if len(dam.DiffAssets(&before, kept)) == 0 {
		return nil
	}
	return assets.PutAsset(tx, actor, &before, kept, dam.AssetUpdated, 0)
}

// takeOverCollections adds an asset to the collections that other assets were added to by
// hand.
func takeOverCollections(tx *storage.Tx, actor dam.Actor, kept *dam.Asset, rest []*dam.Asset) error {
	ids := []int64{kept.ID}
	for _, asset := range rest {
		ids = append(ids, asset.ID)
	}
	of, err := tx.CollectionsOf(storage.Everyone, ids, nil)
	if err != nil {
		return err
	}
	in := map[int64]bool{}
	for _, c := range of[kept.ID] {
		in[c.ID] = true
	}
	var add []int64
	for _, asset := range rest {
		for _, c := range of[asset.ID] {
			if !in[c.ID] {
				in[c.ID] = true
				add = append(add, c.ID)
			}
		}
	}
	if len(add) == 0 {
		return nil
	}
	if err := tx.AddToCollections(kept.ID, add); err != nil {
		return err
	}
	if err := tx.Changed(kept.ID); err != nil {
		return err
	}
	for _, id := range add {
		if err := collection.MembersChanged(tx, actor.User.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// takeOverShares adds an asset to the shares that name other assets, with the guests'
// feedback on those.
func takeOverShares(tx *storage.Tx, kept *dam.Asset, rest []*dam.Asset) error {
	ids := make([]int64, len(rest))
	for i, asset := range rest {
		ids[i] = asset.ID
	}
	if err := tx.TakeOverShares(kept.ID, ids); err != nil {
		return err
	}
	return tx.TakeOverFeedback(kept.ID, ids)
}
