package collection

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/storage"
)

// Collections reads and changes collections. Its methods are safe for concurrent use.
type Collections struct {
	Store   *storage.Store
	Schemas *index.Schemas
	Index   *index.Index
	Finder  *find.Finder
}

// maxChildren is the maximum number of children returned with a collection.
const maxChildren = 500

// Detail is a collection with those of its relatives that the actor may
// view.
type Detail struct {
	*dam.Collection
	Parent               *dam.Collection   // nil at the top level
	Children             []*dam.Collection // at most 500
	CreatedBy, UpdatedBy *dam.User         // nil if unknown
}

// List lists the collections that the actor may view, by position and name,
// and their total number. A collection whose parent the actor may not view appears
// at the top level.
func (cs *Collections) List(ctx context.Context, actor dam.Actor, f dam.CollectionFilter,
	p dam.Page) (all []*dam.Collection, total int, err error) {
	err = cs.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadCollections(actor); err != nil {
			return err
		}
		if all, total, err = tx.Collections(access.Viewer(actor), f, p); err != nil {
			return err
		}
		if err := tx.CountChildren(access.Viewer(actor), all...); err != nil {
			return err
		}
		return hideCollections(tx, access.Viewer(actor), all...)
	})
	if err != nil {
		return nil, 0, err
	}
	return all, total, cs.Finder.CountAssets(ctx, access.Viewer(actor), all...)
}

// Get returns a collection that the actor may view.
func (cs *Collections) Get(ctx context.Context, actor dam.Actor, id int64) (d *Detail, err error) {
	err = cs.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadCollections(actor); err != nil {
			return err
		}
		if _, err := tx.Collection(access.Viewer(actor), id); err != nil {
			return err
		}
		d, err = collectionDetail(tx, actor, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, cs.countDetail(ctx, actor, d)
}

// collectionDetail returns a collection as the actor sees it, even if the actor's
// own change has just hidden it from them. An actor that may change collections but
// not read them gets no relatives.
func collectionDetail(tx *storage.Tx, actor dam.Actor, id int64) (*Detail, error) {
	c, err := tx.Collection(storage.Everyone, id)
	if err != nil {
		return nil, err
	}
	d := &Detail{Collection: c}
	if c.ParentID != 0 {
		d.Parent, err = tx.Collection(access.Viewer(actor), c.ParentID)
		if dam.KindOf(err) == dam.NotFound {
			c.ParentID, d.Parent, err = 0, nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if !actor.May(dam.CollectionsRead) {
		d.Parent = nil
	} else {
		below := dam.CollectionFilter{ParentID: &id}
		if d.Children, _, err = tx.Collections(access.Viewer(actor), below, dam.Page{Limit: maxChildren}); err != nil {
			return nil, err
		}
	}
	if actor.May(dam.CollectionsRead) {
		if err := tx.CountChildren(access.Viewer(actor), d.around()...); err != nil {
			return nil, err
		}
	}
	if err := hideCollections(tx, access.Viewer(actor), d.around()...); err != nil {
		return nil, err
	}
	return d, tx.FillUsers(map[*int64]**dam.User{&c.CreatedByID: &d.CreatedBy, &c.UpdatedByID: &d.UpdatedBy})
}

// theCollection returns a collection that the actor may view, in order to change it.
// It includes the parent even if the actor may not view that.
func theCollection(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Collection, error) {
	if _, err := tx.Collection(access.Viewer(actor), id); err != nil {
		return nil, err
	}
	return tx.Collection(storage.Everyone, id)
}

// Create creates a collection for the actor's user.
func (cs *Collections) Create(ctx context.Context, actor dam.Actor, p *dam.CollectionPatch) (d *Detail, err error) {
	if err := access.MayChangeCollections(actor); err != nil {
		return nil, err
	}
	c := dam.NewCollection()
	if err := p.Apply(c); err != nil {
		return nil, err
	}
	count, err := cs.Finder.NewRulesCount(ctx, actor, c.Rules)
	if err != nil {
		return nil, err
	}
	err = cs.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := cs.checkCollection(tx, actor, p, dam.NewCollection(), c); err != nil {
			return err
		}
		c.AssetsCount = count
		if err := InsertCollection(tx, actor, c); err != nil {
			return err
		}
		d, err = collectionDetail(tx, actor, c.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, cs.countDetail(ctx, actor, d)
}

// InsertCollection adds a collection, with its event.
func InsertCollection(tx *storage.Tx, actor dam.Actor, c *dam.Collection) error {
	all, _, err := tx.CountCollections()
	if err != nil {
		return err
	}
	if all >= dam.MaxCollections {
		return dam.Full(dam.MaxCollections, "collections")
	}
	c.CreatedByID, c.UpdatedByID = actor.User.ID, actor.User.ID
	if err := tx.InsertCollection(c); err != nil {
		return err
	}
	return collectionEvent(tx, dam.CollectionCreated, c)
}

// collectionEvent writes an event about a collection with the number of its assets,
// which the caller has set if the collection has rules.
func collectionEvent(tx *storage.Tx, t dam.EventType, c *dam.Collection) (err error) {
	if c.Rules == "" {
		if c.AssetsCount, err = tx.CountMembers(c.ID); err != nil {
			return err
		}
	}
	return tx.InsertEvent(t, fmt.Sprint(c.ID), c)
}

// Update applies a patch to a collection that the actor may view and that
// passes a check. A patch that changes nothing leaves the modification time
// unchanged.
func (cs *Collections) Update(ctx context.Context, actor dam.Actor, id int64, p *dam.CollectionPatch,
	check Check) (d *Detail, err error) {
	if err := access.MayChangeCollections(actor); err != nil {
		return nil, err
	}
	checked, err := cs.collectionCheck(ctx, actor, id, check)
	if err != nil {
		return nil, err
	}
	count, err := cs.countChanged(ctx, actor, id, p)
	if err != nil {
		return nil, err
	}
	err = cs.Store.Update(ctx, func(tx *storage.Tx) error {
		c, err := theCollection(tx, actor, id)
		if err != nil {
			return err
		}
		if err := checked(tx); err != nil {
			return err
		}
		before := *c
		p, err := withoutEchoes(tx, actor, c, p)
		if err != nil {
			return err
		}
		if err := p.Apply(c); err != nil {
			return err
		}
		if c.Visibility != before.Visibility || !slices.Equal(c.ViewerIDs, before.ViewerIDs) {
			if err := access.MayRestrict(actor, &before); err != nil {
				return err
			}
		}
		if err := cs.checkCollection(tx, actor, p, &before, c); err != nil {
			return err
		}
		if !reflect.DeepEqual(&before, c) {
			if err := putCollection(tx, actor, c, count); err != nil {
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

// putCollection writes a collection that the actor has changed and that contains
// count assets, with its event.
func putCollection(tx *storage.Tx, actor dam.Actor, c *dam.Collection, count int) error {
	c.UpdatedByID, c.AssetsCount = actor.User.ID, count
	if err := tx.UpdateCollection(c); err != nil {
		return err
	}
	return collectionEvent(tx, dam.CollectionUpdated, c)
}

// countChanged validates a patch of a collection and counts the assets that the
// changed rules match.
func (cs *Collections) countChanged(ctx context.Context, actor dam.Actor, id int64, p *dam.CollectionPatch) (int, error) {
	var c *dam.Collection
	err := cs.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if c, err = theCollection(tx, actor, id); err == nil {
			p, err = withoutEchoes(tx, actor, c, p)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := p.Apply(c); err != nil {
		return 0, err
	}
	if p.Rules.Sent {
		return cs.Finder.NewRulesCount(ctx, actor, c.Rules)
	}
	err = cs.Finder.CountAssets(ctx, storage.Everyone, c) // rules that can no longer be parsed match nothing
	return c.AssetsCount, err
}

// checkCollection checks that the objects that a changed collection refers to exist
// and that the actor may view them.
func (cs *Collections) checkCollection(tx *storage.Tx, actor dam.Actor, patch *dam.CollectionPatch, before, after *dam.Collection) error {
	var p dam.Problems
	if id := after.TypeID; id != before.TypeID && id != 0 {
		ok, err := tx.HasName(storage.CollectionTypes, id)
		if err != nil {
			return err
		}
		if !ok {
			p.Add("collection_type_id", "The selected collection_type_id is invalid.")
		}
	}
	if patch.ParentID.Sent && after.ParentID != 0 {
		if err := checkParent(tx, actor, after, &p); err != nil {
			return err
		}
	}
	if !slices.Equal(after.ViewerIDs, before.ViewerIDs) {
		unknown, err := tx.UnknownUsers(after.ViewerIDs)
		if err != nil {
			return err
		}
		for i, id := range patch.ViewerIDs.Value {
			if slices.Contains(unknown, id) {
				p.Add(fmt.Sprintf("viewer_ids.%d", i), "The selected user %d is invalid.", id)
			}
		}
	}
	if gaid := after.CoverGAID; gaid != before.CoverGAID {
		after.CoverTrashed = false
		if gaid != "" {
			found, err := tx.Locate(after.ID, []dam.GAID{gaid})
			if err != nil {
				return err
			}
			if cover, ok := found[gaid]; !ok || cover.Trashed {
				p.Add("cover_gaid", "The selected cover_gaid is invalid.")
			}
		}
	}
	if patch.Rules.Sent && after.Rules != "" {
		if err := cs.checkRules(tx, actor, before, after, &p); err != nil {
			return err
		}
	}
	return p.Err()
}

// checkParent checks the position of a collection in the tree.
func checkParent(tx *storage.Tx, actor dam.Actor, c *dam.Collection, p *dam.Problems) error {
	if _, err := tx.Collection(access.Viewer(actor), c.ParentID); dam.KindOf(err) == dam.NotFound {
		p.Add("parent_id", "The selected parent_id is invalid.")
		return nil
	} else if err != nil {
		return err
	}
	above, err := tx.CollectionAncestors(c.ParentID, dam.MaxCollectionDepth+1)
	if err != nil {
		return err
	}
	if n := slices.Index(above, c.ID); n >= 0 {
		between, _, err := tx.Unfillable(access.Viewer(actor), above[:n])
		if len(between) == 0 {
			p.Add("parent_id", "parent_id may not be the collection itself or one below it.")
		} else { // do not reveal the collections in between
			p.Add("parent_id", "The selected parent_id is invalid.")
		}
		return err
	}
	height := 1
	if c.ID != 0 {
		if height, err = tx.CollectionHeight(c.ID, dam.MaxCollectionDepth+1); err != nil {
			return err
		}
	}
	if len(above)+height > dam.MaxCollectionDepth {
		hidden, err := tx.Hidden(access.Viewer(actor), above)
		if err == nil && !hidden {
			hidden, err = tx.HiddenBelow(access.Viewer(actor), c.ID)
		}
		if err != nil {
			return err
		}
		if hidden { // do not reveal the depth
			p.Add("parent_id", "The selected parent_id is invalid.")
			return nil
		}
		p.Add("parent_id", "Collections may not be nested more than %d levels deep.", dam.MaxCollectionDepth)
	}
	return nil
}

// Delete deletes a collection that the actor may view and that passes a
// check. Its children move to its parent; its assets are kept.
func (cs *Collections) Delete(ctx context.Context, actor dam.Actor, id int64, check Check) error {
	checked, err := cs.collectionCheck(ctx, actor, id, check)
	if err != nil {
		return err
	}
	below := dam.CollectionFilter{ParentID: &id}
	all := dam.Page{Limit: dam.MaxCollections}
	counts := map[int64]int{} // for events
	var family []*dam.Collection
	if err := cs.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayDeleteCollections(actor); err != nil {
			return err
		}
		c, err := theCollection(tx, actor, id)
		if err != nil {
			return err
		}
		family, _, err = tx.Collections(storage.Everyone, below, all)
		family = append(family, c)
		return err
	}); err != nil {
		return err
	}
	if err := cs.Finder.CountAssets(ctx, storage.Everyone, family...); err != nil {
		return err
	}
	for _, c := range family {
		counts[c.ID] = c.AssetsCount
	}
	return cs.Store.Update(ctx, func(tx *storage.Tx) error {
		c, err := theCollection(tx, actor, id)
		if err != nil {
			return err
		}
		if err := checked(tx); err != nil {
			return err
		}
		children, _, err := tx.Collections(storage.Everyone, below, all)
		if err != nil {
			return err
		}
		for _, child := range children {
			child.ParentID = c.ParentID
			if err := putCollection(tx, actor, child, counts[child.ID]); err != nil {
				return err
			}
		}
		c.AssetsCount = counts[id]
		if err := collectionEvent(tx, dam.CollectionDeleted, c); err != nil {
			return err
		}
		return tx.DeleteCollection(id)
	})
}
