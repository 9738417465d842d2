package collection

import (
	"context"
	"fmt"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Membership is the result of adding assets to a collection or removing them.
type Membership struct {
	Changed   int
	Unchanged int        // already members, or no members
	NotFound  []dam.GAID // without duplicates
}

// errFillsItself is returned when assets are added to a collection with rules.
var errFillsItself = dam.Errorf(dam.Conflict, "The collection fills itself by its rules.")

// filled returns a collection without rules that the actor may view and fill.
func filled(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Collection, error) {
	if err := access.MayFillCollections(actor); err != nil {
		return nil, err
	}
	c, err := theCollection(tx, actor, id)
	if err == nil && c.Rules != "" {
		return nil, errFillsItself
	}
	return c, err
}

// CheckFillable checks that the actor may view the collections listed in a field,
// and that they have no rules.
func CheckFillable(tx *storage.Tx, actor dam.Actor, p *dam.Problems, field string, ids []int64) error {
	unknown, ruled, err := tx.Unfillable(access.Viewer(actor), ids)
	for i, id := range ids {
		switch path := fmt.Sprintf("%s.%d", field, i); {
		case unknown[id]:
			p.Add(path, "The selected collection %d is invalid.", id)
		case ruled[id]:
			p.Add(path, "The collection %d fills itself by its rules.", id)
		}
	}
	return err
}

// Add appends assets to a collection in the given order. Assets in the
// trash are not found.
func (cs *Collections) Add(ctx context.Context, actor dam.Actor, id int64, gaids []dam.GAID) (*Membership, error) {
	return cs.changeMembers(ctx, actor, id, gaids, (*storage.Tx).AddToCollection,
		func(f storage.FoundAsset) (found, changes bool) { return !f.Trashed, !f.Member })
}

// Remove removes assets from a collection, including those in the
// trash.
func (cs *Collections) Remove(ctx context.Context, actor dam.Actor, id int64, gaids []dam.GAID) (*Membership, error) {
	return cs.changeMembers(ctx, actor, id, gaids, (*storage.Tx).RemoveFromCollection,
		func(f storage.FoundAsset) (found, changes bool) { return true, f.Member })
}

// changeMembers calls change with the assets that ask reports as found and
// changing.
func (cs *Collections) changeMembers(ctx context.Context, actor dam.Actor, id int64, gaids []dam.GAID,
	change func(tx *storage.Tx, collection int64, assets []int64) error,
	ask func(storage.FoundAsset) (found, changes bool)) (m *Membership, err error) {
	err = cs.Store.Update(ctx, func(tx *storage.Tx) error {
		m = &Membership{}
		if _, err := filled(tx, actor, id); err != nil {
			return err
		}
		assets, err := tx.Locate(id, gaids)
		if err != nil {
			return err
		}
		var changed []int64
		for _, gaid := range dam.Distinct(gaids) {
			asset, there := assets[gaid]
			switch found, changes := ask(asset); {
			case !there || !found:
				m.NotFound = append(m.NotFound, gaid)
			case !changes:
				m.Unchanged++
			default:
				m.Changed++
				changed = append(changed, asset.ID)
			}
		}
		if m.Changed == 0 {
			return nil
		}
		if err := change(tx, id, changed); err != nil {
			return err
		}
		tx.OnCommit(cs.Index.Changed)
		if err := tx.AllChanged(changed); err != nil {
			return err
		}
		return MembersChanged(tx, actor.User.ID, id)
	})
	return m, err
}

// MembersChanged records that a user changed the members of a collection, and emits
// the event.
func MembersChanged(tx *storage.Tx, user, id int64) error {
	c, err := tx.Collection(storage.Everyone, id)
	if err != nil {
		return err
	}
	c.UpdatedByID, c.UpdatedAt = user, tx.Now()
	if err := tx.TouchCollection(id, user); err != nil {
		return err
	}
	return collectionEvent(tx, dam.CollectionUpdated, c)
}

// Order moves assets of a collection, in the given order, directly after
// another of its assets, or to the front if after is "".
func (cs *Collections) Order(ctx context.Context, actor dam.Actor, id int64, gaids []dam.GAID, after dam.GAID) error {
	return cs.Store.Update(ctx, func(tx *storage.Tx) error {
		if _, err := filled(tx, actor, id); err != nil {
			return err
		}
		assets, err := tx.Locate(id, append(slices.Clone(gaids), after))
		if err != nil {
			return err
		}
		var p dam.Problems
		order := make([]int64, len(gaids))
		at := make(map[dam.GAID]int, len(gaids))
		for i, gaid := range gaids {
			path := fmt.Sprintf("gaids.%d", i)
			if _, twice := at[gaid]; twice {
				p.Add(path, "The asset %s is there twice.", gaid)
			} else if !assets[gaid].Member {
				p.Add(path, "The asset %s is not in the collection.", gaid)
			}
			at[gaid], order[i] = i, assets[gaid].ID
		}
		if _, moves := at[after]; moves {
			p.Add("after", "after may not be one of gaids.")
		} else if after != "" && !assets[after].Member {
			p.Add("after", "The asset %s is not in the collection.", after)
		}
		if err := p.Err(); err != nil {
			return err
		}
		moved, err := tx.MoveInCollection(id, order, assets[after].ID)
		if err != nil || !moved {
			return err
		}
		return MembersChanged(tx, actor.User.ID, id)
	})
}

// EnsureCollection returns the first collection without rules that has the name and
// that the actor may view. If none exists, it creates one for the actor's user.
func EnsureCollection(tx *storage.Tx, actor dam.Actor, name string) (int64, error) {
	if err := access.MayFillCollections(actor); err != nil {
		return 0, err
	}
	id, err := tx.CollectionNamed(access.Viewer(actor), name)
	if dam.KindOf(err) != dam.NotFound {
		return id, err
	}
	c := dam.NewCollection()
	c.Name = name
	if err := c.Validate(); err != nil {
		return 0, err
	}
	err = InsertCollection(tx, actor, c)
	return c.ID, err
}
