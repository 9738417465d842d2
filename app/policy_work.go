package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Who may do what with what goes on in the background: operations, their files,
// webhooks. See policy.go.

// abilityOf is what an operation of a type needs at least, and what cancelling
// it does.
func abilityOf(t dam.OperationType) dam.Ability {
	switch t {
	case dam.OperationDelete:
		return dam.AssetsDelete
	case dam.OperationExport:
		return dam.AssetsDownload
	}
	return dam.AssetsWrite
}

// needsOf are the abilities that an operation needs, at its start and for as
// long as it goes on: those of what it does by any other road.
func needsOf(s *dam.OperationSpec) []dam.Ability {
	need := []dam.Ability{abilityOf(s.Type)}
	byQuery := s.Selection.Filters != "" || s.Selection.Q != ""
	if byQuery || s.Type == dam.OperationExport { // a file has what is known of the assets
		need = append(need, dam.AssetsRead)
	}
	if s.Changes.MovesAssets() {
		need = append(need, dam.CollectionsWrite)
	}
	if s.Changes != nil && s.Changes.Metadata.Sent {
		need = append(need, dam.MetadataWrite)
	}
	return need
}

// mayOperate says whether an actor may start an operation. What its filters
// are about, mayQuery says besides.
func mayOperate(actor dam.Actor, s *dam.OperationSpec) error { return actor.Require(needsOf(s)...) }

// mayCancel says whether an actor may stop an operation that it sees.
func mayCancel(actor dam.Actor, op *dam.Operation) error {
	return actor.Require(abilityOf(op.Type))
}

// seesOperation reports whether an actor sees an operation: its own, or all for
// who administers.
func seesOperation(actor dam.Actor, op *dam.Operation) bool {
	return op.CreatedByID == actor.User.ID || seesAll(actor)
}

// mayFetch says whether an actor may have the file of an export that it sees,
// as things are now: it may export, and view each collection that the file
// names.
func mayFetch(tx *storage.Tx, actor dam.Actor, op *dam.Operation) error {
	if err := actor.Require(needsOf(&op.Spec)...); err != nil {
		return err
	}
	if op.File == nil || len(op.File.Collections) == 0 {
		return nil
	}
	if err := mayReadCollections(actor); err != nil {
		return err
	}
	hidden, err := tx.Hidden(viewer(actor), op.File.Collections)
	if err == nil && hidden {
		err = &dam.Error{Kind: dam.Denied, Msg: "The file names a collection that you may not view any more; start the export again.", Abilities: []dam.Ability{}}
	}
	return err
}

// Webhooks.

// seesWebhook reports whether an actor sees a webhook: its user's own, or all
// for who administers.
func seesWebhook(actor dam.Actor, w *dam.Webhook) bool {
	return w.UserID == actor.User.ID || seesAll(actor)
}

// mayBeTold says whether an actor may use and change a webhook, as far as it is
// told of events: who does may read what they are about.
func mayBeTold(actor dam.Actor, w *dam.Webhook) error { return actor.Require(w.ReadAbilities()...) }

// mayReceive reports whether a reader may know of an event: who holds the
// ability to read such resources, and of some not everybody who does. Of a
// collection that was restricted since, nobody else is told what it was before.
func mayReceive(tx *storage.Tx, reader dam.Actor, e *dam.Event) (bool, error) {
	if e.Type == dam.WebhookTest { // is about the webhook itself
		return true, nil
	}
	if !reader.May(e.Type.ReadAbility()) {
		return false, nil
	}
	var of struct {
		CreatedByID int64
		Visibility  dam.Visibility // of collections
		ViewerIDs   []int64        // of collections that are restricted
	}
	if err := json.Unmarshal(e.Data, &of); err != nil {
		return false, fmt.Errorf("event %s: %w", e.UUID, err)
	}
	mine := of.CreatedByID == reader.User.ID
	switch e.Type.Noun() {
	case "upload.batch":
		return knowsBatch(reader, of.CreatedByID), nil
	case "operation":
		return mine || reader.RequireAdministration() == nil, nil
	case "collection":
		if !mine && of.Visibility == dam.Restricted && viewer(reader) != storage.Everyone && !slices.Contains(of.ViewerIDs, reader.User.ID) {
			return false, nil
		}
		id, err := strconv.ParseInt(e.Subject, 10, 64)
		if err != nil {
			return false, fmt.Errorf("event %s: %w", e.UUID, err)
		}
		hidden, err := tx.Hidden(viewer(reader), []int64{id})
		return !hidden, err
	}
	return true, nil
}
