package access

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/storage"
)

// Rules for background work: operations, their files and webhooks. See policy.go.

// abilityOf returns the ability needed to run and to cancel operations of a type.
func abilityOf(t dam.OperationType) dam.Ability {
	switch t {
	case dam.OperationDelete:
		return dam.AssetsDelete
	case dam.OperationExport:
		return dam.AssetsDownload
	}
	return dam.AssetsWrite
}

// OperationAbilities returns the abilities of which every operation requires one.
func OperationAbilities() (list []dam.Ability) {
	for _, t := range dam.Values[dam.OperationType]() {
		if a := abilityOf(t); !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// needsOf returns the abilities that an operation requires, at its start and as
// long as it runs. They equal those required to do the same without an operation.
func needsOf(s *dam.OperationSpec) []dam.Ability {
	need := []dam.Ability{abilityOf(s.Type)}
	byQuery := s.Selection.Filters != "" || s.Selection.Q != ""
	if byQuery || s.Type == dam.OperationExport { // the file contains the assets' metadata
		need = append(need, dam.AssetsRead)
	}
	if s.Type == dam.OperationImport { // its rows find assets, and a dry run reveals their values
		need = append(need, dam.AssetsRead)
	}
	if s.Import != nil && s.Import.Metadata {
		need = append(need, dam.MetadataWrite)
	}
	if s.Changes.MovesAssets() {
		need = append(need, dam.CollectionsWrite)
	}
	if s.Changes != nil && s.Changes.Metadata.Sent {
		need = append(need, dam.MetadataWrite)
	}
	return need
}

// MayImport checks whether an actor may upload tables that update assets.
func MayImport(actor dam.Actor) error { return actor.Require(dam.AssetsWrite) }

// MayOperate checks whether an actor may start an operation. MayQuery checks its
// filters.
func MayOperate(actor dam.Actor, s *dam.OperationSpec) error { return actor.Require(needsOf(s)...) }

// MayCancel checks whether an actor may cancel an operation that it sees.
func MayCancel(actor dam.Actor, op *dam.Operation) error {
	return actor.Require(abilityOf(op.Type))
}

// SeesOperation reports whether an actor sees an operation: users see their own, an
// admin's session sees all.
func SeesOperation(actor dam.Actor, op *dam.Operation) bool {
	return op.CreatedByID == actor.User.ID || SeesAll(actor)
}

// MayFetch checks whether an actor may download the file of an export that it sees:
// it must still be allowed to export, and to view each collection named in the
// file.
func MayFetch(tx *storage.Tx, actor dam.Actor, op *dam.Operation) error {
	if err := actor.Require(needsOf(&op.Spec)...); err != nil {
		return err
	}
	if op.File == nil || len(op.File.Collections) == 0 {
		return nil
	}
	if err := MayReadCollections(actor); err != nil {
		return err
	}
	hidden, err := tx.Hidden(Viewer(actor), op.File.Collections)
	if err == nil && hidden {
		err = &dam.Error{Kind: dam.Denied, Msg: "The file names a collection that you may no longer view; start the export again.",
			Abilities: []dam.Ability{}}
	}
	return err
}

// Webhooks.

// SeesWebhook reports whether an actor sees a webhook: users see their own, an
// admin's session sees all.
func SeesWebhook(actor dam.Actor, w *dam.Webhook) bool {
	return w.UserID == actor.User.ID || SeesAll(actor)
}

// MayUseWebhook checks whether an actor may use and change a webhook: it must be
// able to read the resources of the webhook's events.
func MayUseWebhook(actor dam.Actor, w *dam.Webhook) error { return actor.Require(w.ReadAbilities()...) }

// MayReceive reports whether an event may be sent to a reader. This requires the
// ability to read the resource, and more for some resources. Readers who have lost
// access to a collection do not receive its state from before it was restricted.
func MayReceive(tx *storage.Tx, reader dam.Actor, e *dam.Event) (bool, error) {
	if e.Type == dam.WebhookTest { // about the webhook itself
		return true, nil
	}
	if !reader.May(e.Type.ReadAbility()) {
		return false, nil
	}
	of, err := e.Facts()
	if err != nil {
		return false, err
	}
	mine := of.CreatedByID == reader.User.ID
	switch e.Type.Noun() {
	case "upload.batch":
		return KnowsBatch(reader, of.CreatedByID), nil
	case "operation", "share":
		return mine || reader.RequireAdministration() == nil, nil
	case "collection":
		return mayViewThen(tx, reader, e, of)
	}
	return true, nil
}

// mayViewThen reports whether a reader could view the collection at the time of the
// event, and still can.
func mayViewThen(tx *storage.Tx, reader dam.Actor, e *dam.Event, then dam.EventFacts) (bool, error) {
	restricted := then.Visibility == dam.Restricted && Viewer(reader) != storage.Everyone
	if then.CreatedByID != reader.User.ID && restricted && !slices.Contains(then.ViewerIDs, reader.User.ID) {
		return false, nil
	}
	id, err := strconv.ParseInt(e.Subject, 10, 64)
	if err != nil {
		return false, fmt.Errorf("event %s: %w", e.UUID, err)
	}
	hidden, err := tx.Hidden(Viewer(reader), []int64{id})
	return !hidden, err
}

// MayFollow reports whether an actor may receive an update: it must be allowed to
// request the same information. An actor who cannot see the trash learns only that
// an asset is gone.
func MayFollow(tx *storage.Tx, actor dam.Actor, u *live.Update) (bool, error) {
	switch u.Kind {
	case live.Batch, live.File:
		return MayUpload(actor) == nil && KnowsBatch(actor, u.Batch.CreatedByID), nil
	case live.Operation:
		return actor.May(dam.AssetsRead) && SeesOperation(actor, u.Operation), nil
	case live.Asset:
		gone := u.Event.Type == dam.AssetDeleted
		return actor.May(dam.AssetsRead) && (gone || u.Facts.DeletedAt == nil || actor.May(dam.AssetsDelete)), nil
	case live.Collection:
		if MayReadCollections(actor) != nil {
			return false, nil
		}
		return mayViewThen(tx, actor, u.Event, u.Facts)
	}
	return true, nil
}
