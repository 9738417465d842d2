package asset

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// AssetChange is an entry of an asset's history with the user who made it.
type AssetChange struct {
	*dam.HistoryEntry
	User *dam.User // nil if unknown
}

// History returns the recorded changes of an asset, in the trash or not, newest
// first, and their total number. The creation is always included.
func (a *Assets) History(ctx context.Context, actor dam.Actor, gaid dam.GAID, p dam.Page) (list []AssetChange, total int, err error) {
	err = a.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		asset, err := tx.Asset(gaid)
		if err != nil {
			return err
		}
		entries, n, err := tx.History(asset.ID, p)
		if err != nil {
			return err
		}
		total = n + 1
		if last := p.Offset + len(entries); last == n && len(entries) < p.Limit && p.Offset <= n {
			entries = append(entries, created(asset))
		}
		people := map[int64]*dam.User{}
		for _, e := range entries {
			if _, known := people[e.UserID]; !known && e.UserID != 0 {
				if people[e.UserID], err = tx.User(e.UserID); err != nil {
					return err
				}
			}
			list = append(list, AssetChange{e, people[e.UserID]})
		}
		return nil
	})
	return list, total, err
}

// created returns the history entry of an asset's creation, derived from its
// record.
func created(asset *dam.Asset) *dam.HistoryEntry {
	return &dam.HistoryEntry{Type: dam.AssetCreated, Version: 1, At: asset.CreatedAt, UserID: asset.CreatedByID,
		Changes: []dam.HistoryChange{}}
}

// record adds an entry to an asset's history for a change by an actor, as part of
// an operation unless that is 0. The entry includes the changes in more.
func record(
	tx *storage.Tx, actor dam.Actor, before, after *dam.Asset, event dam.EventType, operation int64, more ...dam.HistoryChange,
) error {
	e := &dam.HistoryEntry{Type: event, Version: after.Version, UserID: actor.User.ID, OperationID: operation,
		Changes: append(dam.HistoryOf(before, after), more...)}
	if actor.Token != nil && operation == 0 {
		e.TokenName = actor.Token.Name
	}
	return tx.InsertHistory(after.ID, e)
}
