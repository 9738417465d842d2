package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/storage"
)

// EventView turns the resource of an event of a library into what the interface
// shows of it to one reader.
type EventView func(ctx context.Context, a *App, reader dam.Actor, e *dam.Event) (any, error)

// of returns the view of the events of a library, nil for none.
func (v EventView) of(a *App) webhook.View {
	if v == nil {
		return nil
	}
	return func(ctx context.Context, reader dam.Actor, e *dam.Event) (any, error) { return v(ctx, a, reader, e) }
}

// EventAsset completes the asset of an event with the people it names and those
// of its collections that the reader may view, as they are now.
func (a *App) EventAsset(ctx context.Context, reader dam.Actor, asset *dam.Asset) (d *AssetDetail, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, reader, d, err)
}

// EventOperation completes the operation of an event with who started it.
func (a *App) EventOperation(ctx context.Context, reader dam.Actor, op *dam.Operation) error {
	ShowOperation(reader, op)
	return a.store.View(ctx, func(tx *storage.Tx) (err error) {
		op.CreatedBy, err = tx.User(op.CreatedByID)
		return err
	})
}
