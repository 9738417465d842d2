package collection

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Check returns an error if a collection may not be changed in its
// current state, as seen by the actor. It is called in the transaction that changes
// the collection. A nil Check allows everything.
type Check func(*Detail) error

// collectionCheck returns the function to call in the transaction. It counts
// beforehand the assets that rules match, since that takes a search.
func (cs *Collections) collectionCheck(ctx context.Context, actor dam.Actor, id int64, check Check) (func(*storage.Tx) error, error) {
	if check == nil {
		return func(*storage.Tx) error { return nil }, nil
	}
	before, err := cs.Get(ctx, actor, id)
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
