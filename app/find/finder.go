package find

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// Finder searches the library and lists its assets, within the rights of the actor.
type Finder struct {
	Store   *storage.Store
	Schemas *index.Schemas
	Log     *slog.Logger
	Index   *index.Index
	shown   shownCache
}

// Schema returns the current metadata definitions.
func (f *Finder) Schema(ctx context.Context) (s *dam.Schema, err error) {
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		s, err = f.Schemas.In(tx)
		return err
	})
	return s, err
}

// Query is p.Query with the current definitions.
func (f *Finder) Query(ctx context.Context, p dam.QueryParams, usual dam.Sort) (dam.Query, error) {
	s, err := f.Schema(ctx)
	if err != nil {
		return dam.Query{}, err
	}
	return p.Query(s, usual)
}

// AssetHit is an asset in a list, with the reason for the match.
type AssetHit struct {
	*dam.Asset
	Score     float64        // 0 for queries without text
	MatchedOn []string       // matching fields, by their API names
	Fragments []dam.Fragment // parts of the matching text
}

// AssetList is a page of the results of a query.
type AssetList struct {
	Hits    []AssetHit
	Total   int // of all pages
	Meaning dam.Meaning
	Matches dam.Matches // for queries with text
	TextLag int64       // changes not yet in the text index
	// UnknownPrefixes are copied from search.Result.
	UnknownPrefixes []string
	Query           *dam.ParsedQuery // nil for queries without text
	Facets          map[string][]Facet
}

// Facet is a value of a field with its count and its display name.
type Facet struct {
	dam.FacetValue
	Label string // name of an ID or MIME type, label of a term, otherwise ""
}

// Assets searches and lists assets. Rules and facets about collections and upload batches
// consider only those that the actor may see.
func (f *Finder) Assets(ctx context.Context, actor dam.Actor, q dam.Query) (*AssetList, error) {
	return f.find(ctx, actor, q, nil)
}

// CollectionAssets searches and lists the assets of a collection that the actor may view.
// By position, a collection with rules lists its newest assets first.
func (f *Finder) CollectionAssets(ctx context.Context, actor dam.Actor, id int64, q dam.Query) (*AssetList, error) {
	order, err := f.Within(ctx, actor, id, &q)
	if err != nil {
		return nil, err
	}
	return f.find(ctx, actor, q, order)
}

// Within limits a query to the assets of a collection that the actor may view. It returns
// their order if the query is sorted by position.
func (f *Finder) Within(ctx context.Context, actor dam.Actor, id int64, q *dam.Query) (order []int64, err error) {
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		if err := actor.Require(dam.CollectionsRead, dam.AssetsRead); err != nil {
			return err
		}
		c, err := tx.Collection(access.Viewer(actor), id)
		if err != nil || q.Sort != dam.SortPosition {
			return err
		}
		if c.Rules != "" {
			q.Sort, q.Desc = dam.SortCreatedAt, !q.Desc
			return nil
		}
		order, err = tx.CollectionOrder(id)
		return err
	})
	q.Filter = dam.AllOf(dam.InCollection(id), q.Filter)
	return order, err
}

// IDs returns all assets that a query finds for an actor, in ascending order, and the
// parsed text of the query.
func (f *Finder) IDs(ctx context.Context, actor dam.Actor, q dam.Query) ([]int64, *dam.ParsedQuery, error) {
	scope, err := f.scope(ctx, actor, &q)
	if err != nil {
		return nil, nil, err
	}
	return f.Index.IDs(ctx, q, scope)
}

// scope returns the collections, upload batches and guest favorites that an actor may see,
// as far as the query refers to them, or an error if the actor may not run it.
func (f *Finder) scope(ctx context.Context, actor dam.Actor, q *dam.Query) (s search.Scope, err error) {
	if err := access.MayQuery(actor, q); err != nil {
		return s, err
	}
	if q.AboutBatches() && !access.SeesAllBatches(actor) {
		s.Batches = &search.Batches{}
		if err := f.Store.View(ctx, func(tx *storage.Tx) error {
			s.Batches.IDs, err = tx.BatchIDs(actor.User.ID)
			return err
		}); err != nil {
			return s, err
		}
	}
	if q.AboutPicks() {
		if s.Picks, err = f.picks(ctx, actor, q.Filter.PickShares()); err != nil {
			return s, err
		}
	}
	if q.AboutCollections() {
		if err = f.withBelow(ctx, actor, q.Filter); err != nil {
			return s, err
		}
		if s.Collections, err = f.Collections(ctx, access.Reader(actor)); err != nil {
			return s, err
		}
	}
	s.Outside, err = f.outside(ctx, actor, q.Filter)
	return s, err
}

// find is Assets with the order of a collection, for dam.SortPosition.
func (f *Finder) find(ctx context.Context, actor dam.Actor, q dam.Query, order []int64) (*AssetList, error) {
	f.Index.NoteSearch()
	scope, err := f.scope(ctx, actor, &q)
	if err != nil {
		return nil, err
	}
	scope.Order = order
	r, err := f.Index.Search(ctx, q, scope)
	if err != nil {
		return nil, err
	}
	l := &AssetList{
		Total: r.Total, Meaning: r.Meaning, Matches: r.Matches, TextLag: r.TextLag, UnknownPrefixes: r.UnknownPrefixes,
		Query: r.Query,
	}
	want := make([]int64, len(r.Hits))
	byID := make(map[int64]search.Hit, len(r.Hits))
	for i, h := range r.Hits {
		want[i], byID[h.AssetID] = h.AssetID, h
	}
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		schema, err := f.Schemas.In(tx)
		if err != nil {
			return err
		}
		assets, err := f.listed(tx, want, r)
		for _, asset := range assets {
			access.ShowAssets(actor, asset)
			h := AssetHit{Asset: asset, Score: byID[asset.ID].Score, MatchedOn: byID[asset.ID].MatchedOn}
			if r.Highlight != nil {
				searched := *asset
				searched.Metadata = schema.ForSearch(asset.Metadata)
				h.Fragments = r.Highlight.Fragments(&searched, h.MatchedOn)
			}
			l.Hits = append(l.Hits, h)
		}
		if err != nil {
			return err
		}
		l.Facets, err = labelledFacets(tx, schema, r.Facets)
		return err
	})
	return l, err
}

// listed returns assets for a list, including the recognized text of those in which the
// search matched it.
func (f *Finder) listed(tx *storage.Tx, want []int64, r *search.Result) ([]*dam.Asset, error) {
	assets, err := f.shown.assets(tx, want)
	if err != nil || r.Highlight == nil {
		return assets, err
	}
	inText := map[int64]bool{}
	for _, h := range r.Hits {
		inText[h.AssetID] = slices.Contains(h.MatchedOn, "ocr_text")
	}
	return assets, tx.FillText(slices.DeleteFunc(slices.Clone(assets), func(a *dam.Asset) bool { return !inText[a.ID] }))
}

// labelledFacets applies labelled to the values of several fields.
func labelledFacets(tx *storage.Tx, schema *dam.Schema, facets map[string][]dam.FacetValue) (all map[string][]Facet, err error) {
	all = map[string][]Facet{}
	for field, values := range facets {
		if all[field], err = labelled(tx, schema, field, values); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// labelled adds names to values that are IDs or MIME types, and labels to those that are
// term keys.
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
		names, err = tx.NamesOf(storage.AssetClasses, ids)
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
			} else if field == "mime_type" {
				list[i].Label = media.NameOf(x)
			}
		}
	}
	return list, err
}

// SimilarAsset is an asset that is similar to another one.
type SimilarAsset struct {
	*dam.Asset
	search.Similar
}

// Similar returns up to n assets that are similar to one outside the trash: near
// duplicates of its picture first, then assets about the same subject.
func (f *Finder) Similar(ctx context.Context, actor dam.Actor, gaid dam.GAID, n int) ([]SimilarAsset, dam.Meaning, error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, "", err
	}
	var like *dam.Asset
	err := f.Store.View(ctx, func(tx *storage.Tx) (err error) {
		like, err = access.LiveAsset(tx, gaid, false)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	found, meaning, err := f.Index.Similar(ctx, like.ID, n)
	if err != nil {
		return nil, meaning, err
	}
	want := make([]int64, len(found))
	byID := make(map[int64]search.Similar, len(found))
	for i, s := range found {
		want[i], byID[s.AssetID] = s.AssetID, s
	}
	var list []SimilarAsset
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		assets, err := f.shown.assets(tx, want)
		access.ShowAssets(actor, assets...)
		for _, asset := range assets {
			list = append(list, SimilarAsset{asset, byID[asset.ID]})
		}
		return err
	})
	return list, meaning, err
}

// Duplicates calls yield with each group of assets outside the trash whose pictures are
// identical or nearly so: their perceptual hashes differ by at most distance bits.
func (f *Finder) Duplicates(ctx context.Context, distance int, yield func([]*dam.Asset) error) error {
	var hashes map[int64]uint64
	err := f.Store.View(ctx, func(tx *storage.Tx) (err error) {
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
		err := f.Store.View(ctx, func(tx *storage.Tx) (err error) {
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
