package app

import (
	"context"
	"encoding/json"

	"github.com/digital-asset-library/dal/app/dam"
)

// What is shown to an actor goes without what it may not know: see policy.go.
// The rows stay as they are.

// showAssets takes from assets the upload batches that an actor does not know.
// Whose batch an asset came with is who created it.
func showAssets(actor dam.Actor, assets ...*dam.Asset) {
	for _, a := range assets {
		if !knowsBatch(actor, a.CreatedByID) {
			a.BatchID = 0
		}
	}
}

// ShowBatch takes from an upload batch the collections that mean nothing to an
// actor.
func ShowBatch(actor dam.Actor, b *dam.Batch) {
	if !namesCollections(actor) {
		b.CollectionIDs = nil
	}
}

// shownBatch makes of a batch what an actor is shown of it, unless there is an
// error already.
func shownBatch(actor dam.Actor, b *dam.Batch, err error) (*dam.Batch, error) {
	if err != nil {
		return nil, err
	}
	ShowBatch(actor, b)
	return b, nil
}

// ShowOperation takes from what an operation was asked for the collections that
// mean nothing to an actor: 0 stands for each.
func ShowOperation(actor dam.Actor, op *dam.Operation) {
	op.Spec.Selection.Filters = shownFilter(actor, op.Spec.Selection.Filters)
	if op.Spec.Changes.MovesAssets() && !namesCollections(actor) {
		op.Spec.RawChanges = withoutCollections(op.Spec.RawChanges)
	}
}

// shownOperation makes of an operation what an actor is shown of it, unless
// there is an error already.
func shownOperation(actor dam.Actor, op *dam.Operation, err error) (*dam.Operation, error) {
	if err != nil {
		return nil, err
	}
	ShowOperation(actor, op)
	return op, nil
}

// shownFilter returns a filter document that somebody has kept as an actor reads
// it: without collections:read, 0 stands for each collection.
func shownFilter(actor dam.Actor, filters string) string {
	if filters == "" || actor.May(dam.CollectionsRead) {
		return filters
	}
	return dam.MapCollections(filters, func(int64) int64 { return 0 })
}

// withoutCollections returns the changes of a bulk_update, as a client wrote
// them, with 0 for each collection.
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
	masked, _ := json.Marshal(members) // what came out of JSON goes into it
	return masked
}

// AuditTrail is AuditLog for an actor who reads it over the interface.
func (a *App) AuditTrail(ctx context.Context, actor dam.Actor, f dam.AuditFilter, p dam.Page) ([]*dam.AuditEntry, int, error) {
	if err := mayReadTrail(actor); err != nil {
		return nil, 0, err
	}
	return a.AuditLog(ctx, f, p)
}
