package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// The bounds of a page of near duplicates.
const (
	pageDuplicates  = 1000 // assets on it
	groupDuplicates = 50   // of one group
)

// DuplicateGroup is a group of near duplicates.
type DuplicateGroup struct {
	Assets   []*dam.Asset // the oldest ones first
	Count    int          // of all of them
	Distance int          // by how many bits the hash of one differs at most from that of the first
}

// DuplicateGroups returns a page of the groups of assets outside the trash whose
// pictures are nearly the same, the oldest first, and how many groups there are.
// Of a large group it has the oldest assets.
func (f *Finder) DuplicateGroups(ctx context.Context, actor dam.Actor, distance int, p dam.Page) ([]DuplicateGroup, int, error) {
	if err := mayReadAssets(actor); err != nil {
		return nil, 0, err
	}
	f.index.noteSearch()
	all, err := f.index.Duplicates(ctx, distance)
	if err != nil {
		return nil, 0, err
	}
	from := min(p.Offset, len(all))
	page := all[from:min(from+p.Limit, len(all))]
	most := min(groupDuplicates, pageDuplicates/max(1, len(page)))
	list := make([]DuplicateGroup, len(page))
	return list, len(all), f.store.View(ctx, func(tx *storage.Tx) error {
		for i, g := range page {
			assets, err := f.shown.assets(tx, g.Assets[:min(most, len(g.Assets))])
			if err != nil {
				return err
			}
			showAssets(actor, assets...)
			list[i] = DuplicateGroup{assets, len(g.Assets), g.Distance}
		}
		return nil
	})
}
