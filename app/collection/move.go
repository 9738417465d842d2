package collection

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// CollectionPlace is the destination of a collection: below a parent, or at the top
// level if that is 0; directly after a sibling, or first if After is 0. If no
// parent is sent, the collection keeps its current one.
type CollectionPlace struct {
	ParentID dam.Opt[int64]
	After    int64
}

// Move moves a collection that the actor may view. It moves siblings
// further apart if no position is free between them.
func (cs *Collections) Move(ctx context.Context, actor dam.Actor, id int64, to CollectionPlace) (d *Detail, err error) {
	if err := access.MayChangeCollections(actor); err != nil {
		return nil, err
	}
	var moved []*dam.Collection
	if err := cs.Store.View(ctx, func(tx *storage.Tx) error {
		moved, err = cs.movedCollections(tx, actor, id, to)
		return err
	}); err != nil {
		return nil, err
	}
	if err := cs.Finder.CountAssets(ctx, storage.Everyone, moved...); err != nil {
		return nil, err
	}
	counts := map[int64]int{} // for events
	for _, c := range moved {
		counts[c.ID] = c.AssetsCount
	}
	err = cs.Store.Update(ctx, func(tx *storage.Tx) error {
		moved, err := cs.movedCollections(tx, actor, id, to)
		if err != nil {
			return err
		}
		for _, c := range moved {
			if err := putCollection(tx, actor, c, counts[c.ID]); err != nil {
				return err
			}
		}
		d, err = collectionDetail(tx, actor, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, cs.countDetail(ctx, actor, d)
}

// movedCollections returns the collections that a move changes, with their new
// values.
func (cs *Collections) movedCollections(tx *storage.Tx, actor dam.Actor, id int64, to CollectionPlace) ([]*dam.Collection, error) {
	c, err := theCollection(tx, actor, id)
	if err != nil {
		return nil, err
	}
	before := *c
	patch, err := withoutEchoes(tx, actor, c, &dam.CollectionPatch{ParentID: to.ParentID})
	if err != nil {
		return nil, err
	}
	if err := patch.Apply(c); err != nil {
		return nil, err
	}
	if err := cs.checkCollection(tx, actor, patch, &before, c); err != nil {
		return nil, err
	}
	if err := checkSibling(tx, actor, to.After); err != nil {
		return nil, err
	}
	places, err := tx.CollectionPlaces(c.ParentID)
	if err != nil {
		return nil, err
	}
	changed, ok := dam.Moved(places, id, to.After)
	if !ok {
		return nil, dam.ErrNoSibling
	}
	var moved []*dam.Collection
	for _, p := range changed {
		other := c
		if p.Key != id {
			if other, err = tx.Collection(storage.Everyone, p.Key); err != nil {
				return nil, err
			}
		}
		other.Position = int64(p.Position)
		moved = append(moved, other)
	}
	return moved, nil
}

// checkSibling checks that the actor may view the collection that another one is to
// follow, if any.
func checkSibling(tx *storage.Tx, actor dam.Actor, after int64) error {
	if after == 0 {
		return nil
	}
	_, err := tx.Collection(access.Viewer(actor), after)
	if dam.KindOf(err) == dam.NotFound {
		return dam.ErrNoSibling
	}
	return err
}
