package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
)

// AssetHistoryEntry is a change to an asset.
type AssetHistoryEntry struct {
	ID          int64           `json:"id" minimum:"0" doc:"Id of the change; 0 for the creation." example:"17"`
	Type        AssetChangeType `json:"type" doc:"Type of the change." example:"asset.updated"`
	Version     int64           `json:"version" doc:"Version of the asset after the change." example:"2"`
	At          Time            `json:"at"`
	Actor       Null[Person]    `json:"actor"`
	TokenName   *string         `json:"token_name" doc:"Name of the token that was used; null for a session." example:"scanner"`
	OperationID *int64          `json:"operation_id" doc:"Operation that made the change; null if there was none." example:"7"`
	Changes     []ChangedField  `json:"changes" doc:"Changed fields; empty if the type describes the whole change."`
}

// Person names a user.
type Person struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"Ada Lovelace"`
}

// ChangedField is the change of a field.
type ChangedField struct {
	Field     string     `json:"field" doc:"Name of the field; metadata.{key} for a custom field." example:"title"`
	From      FieldValue `json:"from" doc:"Value before the change; null if there was none."`
	To        FieldValue `json:"to" doc:"Value after the change; null if there is none."`
	Shortened bool       `json:"is_shortened" doc:"Whether the values are truncated." example:"false"`
}

// AssetChangeType is a kind of change to an asset.
type AssetChangeType dam.EventType

// Values lists the kinds of changes.
func (AssetChangeType) Values() []AssetChangeType {
	return mapped([]dam.EventType{dam.AssetCreated, dam.AssetUpdated, dam.AssetDeleted, dam.AssetRestored},
		func(t dam.EventType) AssetChangeType { return AssetChangeType(t) })
}

type historyInput struct {
	GAIDInput
	PageInput
}

func (s *Server) assetHistory(ctx context.Context, in *historyInput) (*listOutput[AssetHistoryEntry], error) {
	return pageAnswer(ctx, &in.PageInput, toAssetHistoryEntry)(s.app.Assets.History(ctx, requestOf(ctx).actor, in.GAID, in.page()))
}

func toAssetHistoryEntry(c asset.AssetChange) AssetHistoryEntry {
	return AssetHistoryEntry{ID: c.ID, Type: AssetChangeType(c.Type), Version: c.Version, At: Time{c.At},
		Actor:     null(c.User, func(u *dam.User) Person { return Person{u.ID, u.Name} }),
		TokenName: text(c.TokenName), OperationID: number(c.OperationID),
		Changes: mapped(c.Changes, func(f dam.HistoryChange) ChangedField {
			return ChangedField{f.Field, FieldValue{f.From}, FieldValue{f.To}, f.Shortened}
		})}
}
