package account

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// UserNames lists the users that a restricted collection can be opened to, by name,
// and their total number: enabled users whose name contains text, or those with the
// given IDs, enabled or not.
func (a *Accounts) UserNames(ctx context.Context, actor dam.Actor, text string, only []int64, p dam.Page) (names []dam.NamedID, total int,
	err error) {
	if err := access.MayChangeCollections(actor); err != nil {
		return nil, 0, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		names, err = tx.UserNames(text, only)
		return err
	})
	total = len(names)
	from := min(p.Offset, total)
	return names[from:min(from+p.Limit, total)], total, err
}
