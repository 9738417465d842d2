package dam

import (
	"encoding/json"
	"fmt"
	"time"
)

// EventType is the type of an event.
type EventType string

// The event types of the API.
const (
	AssetCreated         EventType = "asset.created"
	AssetUpdated         EventType = "asset.updated"
	AssetDeleted         EventType = "asset.deleted"
	AssetRestored        EventType = "asset.restored"
	CollectionCreated    EventType = "collection.created"
	CollectionUpdated    EventType = "collection.updated"
	CollectionDeleted    EventType = "collection.deleted"
	ShareCreated         EventType = "share.created"
	ShareRevoked         EventType = "share.revoked"
	UploadBatchCompleted EventType = "upload.batch.completed"
	OperationCompleted   EventType = "operation.completed"
	WebhookTest          EventType = "webhook.test"
)

// Values lists all event types in the order of the API's documentation.
func (EventType) Values() []EventType {
	return []EventType{AssetCreated, AssetUpdated, AssetDeleted, AssetRestored, CollectionCreated, CollectionUpdated, CollectionDeleted,
		ShareCreated, ShareRevoked, UploadBatchCompleted, OperationCompleted, WebhookTest}
}

// Event is one entry of the outbox: a change of a resource, recorded in the transaction
// that made it.
type Event struct {
	ID        int64  // sequence number
	UUID      string // public, unique
	Type      EventType
	Subject   string          // the resource: a GAID or a decimal id
	Data      json.RawMessage // the resource after the change
	CreatedAt time.Time

	Enrichment bool // the change was made by background analysis of an asset
}

// Cause returns the cause of the event for payloads.
func (e *Event) Cause() string {
	if e.Enrichment {
		return "enrichment"
	}
	return "change"
}

// EventFacts are the facts that determine the visibility of an event.
type EventFacts struct {
	CreatedByID int64
	Visibility  Visibility // of collections
	ViewerIDs   []int64    // of restricted collections
	Version     int64      // of assets
	DeletedAt   *time.Time // of assets; set in the trash
}

// Facts decodes the facts from the resource of e.
func (e *Event) Facts() (f EventFacts, err error) {
	if err := json.Unmarshal(e.Data, &f); err != nil {
		return f, fmt.Errorf("event %s: %w", e.UUID, err)
	}
	return f, nil
}

// Change is one entry of the index queue: a changed asset. An asset has at most one entry,
// the latest. Seq increases with every change in the library, so a reader that remembers
// the last Seq it has seen can ask for the changes after it.
type Change struct {
	Seq     int64
	AssetID int64
	Asset   *Asset // current state; nil if permanently deleted
}
