package find

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Limits of a page of near duplicates.
const (
	pageDuplicates  = 1000 // assets per page
	groupDuplicates = 50   // assets per group
)

// DuplicateGroup is a group of near duplicates.
type DuplicateGroup struct {
	Assets   []*dam.Asset // oldest first
	Count    int          // size of the whole group
	Distance int          // largest number of bits by which a hash differs from the first asset's
}

// DuplicateGroups returns a page of the groups of assets outside the trash whose
// pictures are nearly identical, oldest first, and the total number of groups.
// Large groups are truncated to their oldest assets.
func (f *Finder) DuplicateGroups(ctx context.Context, actor dam.Actor, distance int, p dam.Page) ([]DuplicateGroup, int, error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, 0, err
	}
	f.Index.NoteSearch()
	all, err := f.Index.Duplicates(ctx, distance)
	if err != nil {
		return nil, 0, err
	}
	from := min(p.Offset, len(all))
	page := all[from:min(from+p.Limit, len(all))]
	most := min(groupDuplicates, pageDuplicates/max(1, len(page)))
	list := make([]DuplicateGroup, len(page))
	return list, len(all), f.Store.View(ctx, func(tx *storage.Tx) error {
		for i, g := range page {
			assets, err := f.shown.assets(tx, g.Assets[:min(most, len(g.Assets))])
			if err != nil {
				return err
			}
			access.ShowAssets(actor, assets...)
			list[i] = DuplicateGroup{assets, len(g.Assets), g.Distance}
		}
		return nil
	})
}
