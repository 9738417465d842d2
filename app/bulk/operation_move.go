package bulk

import (
	"maps"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/storage"
)

// checkMoves checks the collections named in a bulk_update.
func checkMoves(tx *storage.Tx, actor dam.Actor, c *dam.BulkChanges) error {
	var p dam.Problems
	if err := collection.CheckFillable(tx, actor, &p, "add_collection_ids", c.AddCollectionIDs); err != nil {
		return err
	}
	if err := collection.CheckFillable(tx, actor, &p, "remove_collection_ids", c.RemoveCollectionIDs); err != nil {
		return err
	}
	return p.Err()
}

// moves applies the collection changes of a chunk of a bulk_update. A nil *moves
// does nothing.
type moves struct {
	changes *dam.BulkChanges
	actor   dam.Actor
	in      map[int64][]int64 // collections of assets that the user may view or that the update names
	fault   *dam.OperationError
	changed map[int64]bool // collection IDs
}

// newMoves returns the collection changes of an operation, nil for none. If one of
// the collections has been deleted, or the user may no longer fill it, every asset
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
	of, err := tx.CollectionsOf(access.Viewer(m.actor), slices.Collect(maps.Keys(assets)), nil)
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

// of returns the collections that an asset must be added to and removed from. If
// that is impossible, the asset fails.
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

// shown returns the change of an asset's collections for display.
func (m *moves) shown(asset *dam.Asset, add, remove []int64) []dam.FieldChange {
	if len(add)+len(remove) == 0 {
		return nil
	}
	before := slices.Sorted(slices.Values(m.in[asset.ID]))
	after := slices.DeleteFunc(append(slices.Clone(before), add...), func(id int64) bool { return slices.Contains(remove, id) })
	slices.Sort(after)
	return []dam.FieldChange{{Field: "collections", From: orNil(before), To: orNil(after)}}
}

// orNil returns a list, or nil if it is empty.
func orNil(list []int64) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// move adds an asset to collections and removes it from others.
func (m *moves) move(tx *storage.Tx, x *index.Index, asset *dam.Asset, add, remove []int64) error {
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
	tx.OnCommit(x.Changed)
	return tx.Changed(asset.ID)
}

// note records the changes of collections, once per collection.
func (m *moves) note(tx *storage.Tx) error {
	if m == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(m.changed)) {
		if err := collection.MembersChanged(tx, m.actor.User.ID, id); err != nil {
			return err
		}
	}
	return nil
}
