package find

import (
	"context"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Facets counts the values of fields in a selection, and its existing assets.
// Assets named in the selection that are in the trash are not counted.
func (f *Finder) Facets(ctx context.Context, actor dam.Actor, sel *dam.Selection, fields []string) (*AssetList, error) {
	if err := sel.Validate(); err != nil {
		return nil, err
	}
	q, err := f.Query(ctx, sel.Params(), "")
	if err != nil {
		return nil, dam.Under("selection.", err)
	}
	counted, err := f.Query(ctx, dam.QueryParams{Facets: strings.Join(fields, ",")}, "")
	if err != nil {
		return nil, err
	}
	q.Facets = counted.Facets
	f.Index.NoteSearch()
	scope, err := f.scope(ctx, actor, &q)
	if err != nil {
		return nil, err
	}
	if sel.GAIDs != nil {
		if scope.Among, err = f.rowsOf(ctx, sel.GAIDs); err != nil {
			return nil, err
		}
	}
	r, err := f.Index.Search(ctx, q, scope)
	if err != nil {
		return nil, err
	}
	l := &AssetList{Total: r.Total, Query: r.Query}
	return l, f.Store.View(ctx, func(tx *storage.Tx) error {
		schema, err := f.Schemas.In(tx)
		if err != nil {
			return err
		}
		l.Facets, err = labelledFacets(tx, schema, r.Facets)
		return err
	})
}

// rowsOf returns the row IDs of the assets that exist.
func (f *Finder) rowsOf(ctx context.Context, gaids []dam.GAID) ([]int64, error) {
	ids := []int64{}
	return ids, f.Store.View(ctx, func(tx *storage.Tx) error {
		rows, err := tx.AssetRows(gaids)
		for _, id := range rows {
			ids = append(ids, id)
		}
		return err
	})
}
