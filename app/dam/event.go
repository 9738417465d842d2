package dam

import (
	"encoding/json"
	"fmt"
	"time"
)

// EventType names what happened.
type EventType string

// The event types of the interface.
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

// Values lists all types of events, in the order of the contract.
func (EventType) Values() []EventType {
	return []EventType{AssetCreated, AssetUpdated, AssetDeleted, AssetRestored, CollectionCreated, CollectionUpdated, CollectionDeleted,
		ShareCreated, ShareRevoked, UploadBatchCompleted, OperationCompleted, WebhookTest}
}

// Event is one entry of the outbox: something that happened to a resource,
// written in the transaction that made it happen.
type Event struct {
	ID        int64  // order
	UUID      string // public, unique
	Type      EventType
	Subject   string          // the resource: a GAID, or a decimal id
	Data      json.RawMessage // the resource as it was after the change
	CreatedAt time.Time

	Enrichment bool // whether the server has found out more about an asset, in the background
}

// Cause is what brought the event about, as payloads say it.
func (e *Event) Cause() string {
	if e.Enrichment {
		return "enrichment"
	}
	return "change"
}

// EventFacts is what decides who may know of an event.
type EventFacts struct {
	CreatedByID int64
	Visibility  Visibility // of collections
	ViewerIDs   []int64    // of collections that are restricted
	Version     int64      // of assets
	DeletedAt   *time.Time // of assets: set for those in the trash
}

// Facts reads them from the resource of e.
func (e *Event) Facts() (f EventFacts, err error) {
	if err := json.Unmarshal(e.Data, &f); err != nil {
		return f, fmt.Errorf("event %s: %w", e.UUID, err)
	}
	return f, nil
}

// Change is one entry of the index queue: that an asset changed. An asset has
// at most one entry, the latest; Seq grows with every change in the library,
// so a reader that remembers the last Seq it has seen can always ask for what
// came since.
type Change struct {
	Seq     int64
	AssetID int64
	Asset   *Asset // as it is now; nil when it was deleted for good
}
