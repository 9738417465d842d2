package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Definitions reads and changes the fields, vocabularies, classes and presets of a library.
// Its methods are safe for concurrent use.
type Definitions struct {
	store     *storage.Store
	schemas   *schemas
	index     *index
	finder    *Finder
	followups *followups
}

// Schema returns the current metadata definitions.
func (ds *Definitions) Schema(ctx context.Context) (*dam.Schema, error) { return ds.finder.schema(ctx) }

// Definitions is Schema for an actor, who must be allowed to read it.
func (ds *Definitions) Definitions(ctx context.Context, actor dam.Actor) (*dam.Schema, error) {
	if err := mayReadDefinitions(actor); err != nil {
		return nil, err
	}
	return ds.Schema(ctx)
}
