package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/storage"
)

// EventView converts the resource of an event to its API representation for one
// reader.
type EventView func(ctx context.Context, a *App, reader dam.Actor, e *dam.Event) (any, error)

// of binds the view to a library; it returns nil for a nil view.
func (v EventView) of(a *App) webhook.View {
	if v == nil {
		return nil
	}
	return func(ctx context.Context, reader dam.Actor, e *dam.Event) (any, error) { return v(ctx, a, reader, e) }
}

// EventAsset completes an event's asset with its users and its current collections
// that the reader may view.
func (a *App) EventAsset(ctx context.Context, reader dam.Actor, asset *dam.Asset) (d *AssetDetail, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, reader, d, err)
}

// EventOperation completes an event's operation with the user who started it.
func (a *App) EventOperation(ctx context.Context, reader dam.Actor, op *dam.Operation) error {
	ShowOperation(reader, op)
	return a.store.View(ctx, func(tx *storage.Tx) (err error) {
		op.CreatedBy, err = tx.User(op.CreatedByID)
		return err
	})
}
