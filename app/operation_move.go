package app

import (
	"maps"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// checkMoves checks the collections that a bulk_update names.
func checkMoves(tx *storage.Tx, actor dam.Actor, c *dam.BulkChanges) error {
	var p dam.Problems
	if err := checkFillable(tx, actor, &p, "add_collection_ids", c.AddCollectionIDs); err != nil {
		return err
	}
	if err := checkFillable(tx, actor, &p, "remove_collection_ids", c.RemoveCollectionIDs); err != nil {
		return err
	}
	return p.Err()
}

// moves are what a part of a bulk_update does to collections. Nil does nothing.
type moves struct {
	changes *dam.BulkChanges
	actor   dam.Actor
	in      map[int64][]int64 // the collections that assets are in, those that the user may view or that are named
	fault   *dam.OperationError
	changed map[int64]bool // collections
}

// newMoves returns what an operation is to do with collections, nil for nothing.
// If one of them has been deleted, or the user may no longer fill it, every asset
// fails.
func newMoves(tx *storage.Tx, op *dam.Operation, actor dam.Actor) (*moves, error) {
	if !op.Spec.Changes.MovesAssets() {
		return nil, nil
	}
	m := &moves{changes: op.Spec.Changes, actor: actor, in: map[int64][]int64{}, changed: map[int64]bool{}}
	err := checkMoves(tx, actor, m.changes)
	if dam.KindOf(err) == dam.Invalid {
		m.fault, err = &dam.OperationError{Code: dam.CodeInvalid, Message: err.Error()}, nil
	}
	return m, err
}

// read looks up the collections of assets.
func (m *moves) read(tx *storage.Tx, assets map[int64]*dam.Asset) error {
	if m == nil || m.fault != nil {
		return nil
	}
	of, err := tx.CollectionsOf(viewer(m.actor), slices.Collect(maps.Keys(assets)), nil)
	for asset, refs := range of {
		for _, c := range refs {
			named := slices.Contains(m.changes.AddCollectionIDs, c.ID) || slices.Contains(m.changes.RemoveCollectionIDs, c.ID)
			if !named && !m.actor.May(dam.CollectionsRead) {
				continue
			}
			m.in[asset] = append(m.in[asset], c.ID)
		}
	}
	return err
}

// of returns the collections that an asset is to be put in, and those that it is
// to be taken out of. If that cannot be done, the asset fails.
func (m *moves) of(asset *dam.Asset, state *dam.ItemState, fault **dam.OperationError) (add, remove []int64) {
	if m == nil || *state == dam.ItemFailed {
		return nil, nil
	}
	if m.fault != nil {
		*state, *fault = dam.ItemFailed, m.fault
		return nil, nil
	}
	is := func(id int64) bool { return slices.Contains(m.in[asset.ID], id) }
	add = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(m.changes.AddCollectionIDs))), is)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(m.changes.RemoveCollectionIDs))) {
		if is(id) {
			remove = append(remove, id)
		}
	}
	return add, remove
}

// shown is how the collections of an asset would change.
func (m *moves) shown(asset *dam.Asset, add, remove []int64) []dam.FieldChange {
	if len(add)+len(remove) == 0 {
		return nil
	}
	before := slices.Sorted(slices.Values(m.in[asset.ID]))
	after := slices.DeleteFunc(append(slices.Clone(before), add...), func(id int64) bool { return slices.Contains(remove, id) })
	slices.Sort(after)
	return []dam.FieldChange{{Field: "collections", From: orNil(before), To: orNil(after)}}
}

// orNil is a list, or nil when there is nothing in it.
func orNil(list []int64) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// move puts an asset in collections and takes it out of others.
func (m *moves) move(tx *storage.Tx, x *index, asset *dam.Asset, add, remove []int64) error {
	if err := tx.AddToCollections(asset.ID, add); err != nil {
		return err
	}
	for _, id := range remove {
		if err := tx.RemoveFromCollection(id, []int64{asset.ID}); err != nil {
			return err
		}
	}
	for _, id := range append(add, remove...) {
		m.changed[id] = true
	}
	tx.OnCommit(x.changed)
	return tx.Changed(asset.ID)
}

// note notes the changes of collections, one for each.
func (m *moves) note(tx *storage.Tx) error {
	if m == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(m.changed)) {
		if err := membersChanged(tx, m.actor.User.ID, id); err != nil {
			return err
		}
	}
	return nil
}
