package find

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// picks returns the assets that guests have picked in those of the given shares that an
// actor sees.
func (f *Finder) picks(ctx context.Context, actor dam.Actor, shares []int64) (search.Picks, error) {
	found := search.Picks{}
	return found, f.Store.View(ctx, func(tx *storage.Tx) error {
		for _, id := range shares {
			_, err := access.SeenShare(tx, actor, id)
			if dam.KindOf(err) == dam.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			if found[id], err = tx.PickedIn(id); err != nil {
				return err
			}
		}
		return nil
	})
}
