package find

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// outside evaluates the rules of a filter, which may be nil, that search leaves to the
// database; see dam.Filter.Outside. It considers only shares that the actor may see.
func (f *Finder) outside(ctx context.Context, actor dam.Actor, filter *dam.Filter) (map[*dam.Filter]search.Found, error) {
	var all map[*dam.Filter]search.Found
	for _, rule := range filter.Leaves() {
		if !rule.Outside() {
			continue
		}
		found, err := f.outsideRule(ctx, actor, rule)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = map[*dam.Filter]search.Found{}
		}
		all[rule] = found
	}
	return all, nil
}

func (f *Finder) outsideRule(ctx context.Context, actor dam.Actor, rule *dam.Filter) (found search.Found, err error) {
	switch rule.Field.Type {
	case dam.FilterShared:
		found.Others = !rule.Value.Bools[0]
		found.Assets, err = f.sharedAssets(ctx, actor)
	case dam.FilterUses:
		op, _ := rule.Operator.Positive()
		fits := search.NumberTest(op, rule.Value.Numbers)
		found.Others = fits(0)
		err = f.Store.View(ctx, func(tx *storage.Tx) error {
			return tx.UsedAssets(rule.Field.Name, rule.Value.Days, func(asset, uses int64) {
				if fits(float64(uses)) != found.Others {
					found.Assets = append(found.Assets, asset)
				}
			})
		})
	default:
		err = f.Store.View(ctx, func(tx *storage.Tx) error {
			found.Assets, err = tx.AssetsByKey(rule.Field.Name, rule.Value.Texts)
			return err
		})
	}
	return found, err
}

// sharedAssets returns the assets of the currently open shares that an actor may see,
// including those of shared collections.
func (f *Finder) sharedAssets(ctx context.Context, actor dam.Actor) (assets []int64, err error) {
	user := int64(0)
	if !access.SeesShare(actor, 0) {
		user = actor.User.ID
	}
	var collections []int64
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		assets, collections, err = tx.OpenShareAssets(user, access.SharingRoles())
		return err
	})
	if err != nil || len(collections) == 0 {
		return assets, err
	}
	known, err := f.Collections(ctx, access.Reader(actor)) // the share of a collection that its owner may not view is closed
	if err != nil {
		return nil, err
	}
	in := dam.Query{Filter: dam.InCollection(collections...), Trashed: dam.TrashedWith}
	more, _, err := f.Index.IDs(ctx, in, search.Scope{Collections: known})
	return append(assets, more...), err
}

// withBelow replaces the rules of a filter, which may be nil, about collections and their
// descendants by rules about all of these that the actor may view.
func (f *Finder) withBelow(ctx context.Context, actor dam.Actor, filter *dam.Filter) error {
	return f.Store.View(ctx, func(tx *storage.Tx) (err error) {
		for _, rule := range filter.Leaves() {
			if rule.Field.Type != dam.FilterTree {
				continue
			}
			if rule.Value.IDs, err = tx.CollectionsBelow(access.Reader(actor), rule.Value.IDs); err != nil {
				return err
			}
			rule.Field = dam.InCollection().Field
		}
		return nil
	})
}
