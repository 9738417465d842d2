package access

import (
	"encoding/json"

	"github.com/digital-asset-library/dal/app/dam"
)

// Responses omit everything that the actor may not see: see policy.go. The stored data
// is not changed.

// ShowAssets removes from assets the upload batches that an actor may not see. A batch
// belongs to the user who created its assets.
func ShowAssets(actor dam.Actor, assets ...*dam.Asset) {
	for _, a := range assets {
		if !KnowsBatch(actor, a.CreatedByID) {
			a.BatchID = 0
		}
	}
}

// ShowBatch removes from an upload batch the collections and the share that an actor may
// not see.
func ShowBatch(actor dam.Actor, b *dam.Batch) {
	if !NamesCollections(actor) {
		b.CollectionIDs = nil
	}
	if !actor.May(dam.SharesRead) {
		b.ShareID = 0
	}
}

// ShownBatch returns a batch as the actor may see it, or err.
func ShownBatch(actor dam.Actor, b *dam.Batch, err error) (*dam.Batch, error) {
	if err != nil {
		return nil, err
	}
	ShowBatch(actor, b)
	return b, nil
}

// ShowOperation replaces each collection in the specification of an operation by 0,
// unless an actor may see collections.
func ShowOperation(actor dam.Actor, op *dam.Operation) {
	op.Spec.Selection.Filters = ShownFilter(actor, op.Spec.Selection.Filters)
	if op.Spec.Changes.MovesAssets() && !NamesCollections(actor) {
		op.Spec.RawChanges = withoutCollections(op.Spec.RawChanges)
	}
}

// ShownOperation returns an operation as the actor may see it, or err.
func ShownOperation(actor dam.Actor, op *dam.Operation, err error) (*dam.Operation, error) {
	if err != nil {
		return nil, err
	}
	ShowOperation(actor, op)
	return op, nil
}

// ShownFilter returns a stored filter document as the actor may see it: without
// collections:read, each collection is replaced by 0.
func ShownFilter(actor dam.Actor, filters string) string {
	if filters == "" || actor.May(dam.CollectionsRead) {
		return filters
	}
	return dam.MapCollections(filters, func(int64) int64 { return 0 })
}

// withoutCollections returns the changes of a bulk_update, in the client's notation,
// with each collection replaced by 0.
func withoutCollections(changes json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(changes, &members) != nil {
		return nil
	}
	for _, field := range []string{"add_collection_ids", "remove_collection_ids"} {
		var list []int64
		if members[field] == nil || json.Unmarshal(members[field], &list) != nil {
			continue
		}
		members[field], _ = json.Marshal(make([]int64, len(list))) // numbers always marshal
	}
	masked, _ := json.Marshal(members) // it was valid JSON before
	return masked
}
