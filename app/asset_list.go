package app

import (
	"context"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// AssetHit is an asset in a list, and why it is there.
type AssetHit struct {
	*dam.Asset
	Score     float64        // 0 without a text
	MatchedOn []string       // the fields that matched, as the interface names them
	Fragments []dam.Fragment // of the text that matched
}

// AssetList is a page of what a query finds.
type AssetList struct {
	Hits    []AssetHit
	Total   int // in all
	Meaning dam.Meaning
	TextLag int64 // changes that are not in the text index yet
	Facets  map[string][]Facet
}

// Facet is a value with the name that people know it by.
type Facet struct {
	dam.FacetValue
	Label string // of an id the name, of a term the label, else ""
}

// Assets searches and lists assets. For rules and facets about collections and
// upload batches, only those that the actor may see exist.
func (a *App) Assets(ctx context.Context, actor dam.Actor, q dam.Query) (*AssetList, error) {
	return a.find(ctx, actor, q, nil)
}

// find is Assets with the order of a collection, for dam.SortPosition.
func (a *App) find(ctx context.Context, actor dam.Actor, q dam.Query, order []int64) (*AssetList, error) {
	a.searched.Store(time.Now().UnixMilli())
	scope, err := a.scope(ctx, actor, &q)
	if err != nil {
		return nil, err
	}
	scope.Order = order
	r, err := a.search.Search(ctx, q, scope)
	if err != nil {
		return nil, err
	}
	l := &AssetList{Total: r.Total, Meaning: r.Meaning, TextLag: r.TextLag, Facets: map[string][]Facet{}}
	want := make([]int64, len(r.Hits))
	byID := make(map[int64]search.Hit, len(r.Hits))
	for i, h := range r.Hits {
		want[i], byID[h.AssetID] = h.AssetID, h
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		schema, err := a.schemas.in(tx)
		if err != nil {
			return err
		}
		assets, err := tx.AssetsByID(want)
		for _, asset := range assets {
			showAssets(actor, asset)
			h := AssetHit{Asset: asset, Score: byID[asset.ID].Score, MatchedOn: byID[asset.ID].MatchedOn}
			if r.Highlight != nil {
				found := *asset
				found.Metadata = schema.Found(asset.Metadata)
				h.Fragments = r.Highlight.Fragments(&found, h.MatchedOn)
			}
			l.Hits = append(l.Hits, h)
		}
		if err != nil {
			return err
		}
		for field, values := range r.Facets {
			if l.Facets[field], err = labelled(tx, schema, field, values); err != nil {
				return err
			}
		}
		return nil
	})
	return l, err
}

// labelled adds to values that are ids the names of what they stand for, and to
// keys of terms their labels.
func labelled(tx *storage.Tx, schema *dam.Schema, field string, values []dam.FacetValue) ([]Facet, error) {
	list := make([]Facet, len(values))
	var ids []int64
	for i, v := range values {
		list[i].FacetValue = v
		if id, ok := v.Value.(int64); ok {
			ids = append(ids, id)
		}
	}
	names := map[int64]string{}
	var err error
	switch field {
	case "collections":
		names, err = tx.CollectionNames(ids)
	case "asset_class_id":
		names, err = tx.AssetClassNames(ids)
	case "ingestion_batch_id":
		names, err = tx.BatchNames(ids)
	}
	key, _ := strings.CutPrefix(field, "metadata.")
	for i, v := range values {
		switch x := v.Value.(type) {
		case int64:
			list[i].Label = names[x]
		case string:
			if key != field {
				list[i].Label = schema.Label(key, x)
			}
		}
	}
	return list, err
}

// SimilarAsset is an asset that is like another.
type SimilarAsset struct {
	*dam.Asset
	search.Similar
}

// Similar returns up to n assets that are like one outside the trash: near
// duplicates of its picture first, then assets about the same.
func (a *App) Similar(ctx context.Context, actor dam.Actor, gaid dam.GAID, n int) ([]SimilarAsset, dam.Meaning, error) {
	if err := mayReadAssets(actor); err != nil {
		return nil, "", err
	}
	d, err := a.liveAsset(ctx, gaid)
	if err != nil {
		return nil, "", err
	}
	found, meaning, err := a.search.Similar(ctx, d.ID, n)
	if err != nil {
		return nil, meaning, err
	}
	want := make([]int64, len(found))
	byID := make(map[int64]search.Similar, len(found))
	for i, s := range found {
		want[i], byID[s.AssetID] = s.AssetID, s
	}
	var list []SimilarAsset
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		assets, err := tx.AssetsByID(want)
		showAssets(actor, assets...)
		for _, asset := range assets {
			list = append(list, SimilarAsset{asset, byID[asset.ID]})
		}
		return err
	})
	return list, meaning, err
}

// Duplicates calls yield with each group of assets outside the trash whose pictures
// are the same or nearly so: their perceptual hashes differ by at most distance
// bits.
func (a *App) Duplicates(ctx context.Context, distance int, yield func([]*dam.Asset) error) error {
	var hashes map[int64]uint64
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		hashes, err = tx.PHashes()
		return err
	})
	if err != nil {
		return err
	}
	groups, err := search.NearDuplicates(ctx, hashes, distance)
	if err != nil {
		return err
	}
	for _, ids := range groups {
		var assets []*dam.Asset
		err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
			assets, err = tx.AssetsByID(ids)
			return err
		})
		if err != nil {
			return err
		}
		if err := yield(assets); err != nil {
			return err
		}
	}
	return nil
}
