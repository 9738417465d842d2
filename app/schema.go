package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Schema returns the current metadata definitions.
func (a *App) Schema(ctx context.Context) (*dam.Schema, error) { return a.Finder.schema(ctx) }

// Definitions is Schema for an actor, who must be allowed to read it.
func (a *App) Definitions(ctx context.Context, actor dam.Actor) (*dam.Schema, error) {
	if err := mayReadDefinitions(actor); err != nil {
		return nil, err
	}
	return a.Schema(ctx)
}
