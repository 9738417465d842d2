package schema

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/storage"
)

// Definitions reads and changes the fields, vocabularies, classes and presets of a library.
// Its methods are safe for concurrent use.
type Definitions struct {
	Store     *storage.Store
	Schemas   *index.Schemas
	Index     *index.Index
	Finder    *find.Finder
	Followups *index.FollowUps
}

// Schema returns the current metadata definitions.
func (ds *Definitions) Schema(ctx context.Context) (*dam.Schema, error) { return ds.Finder.Schema(ctx) }

// Definitions is Schema for an actor, who must be allowed to read it.
func (ds *Definitions) Definitions(ctx context.Context, actor dam.Actor) (*dam.Schema, error) {
	if err := access.MayReadDefinitions(actor); err != nil {
		return nil, err
	}
	return ds.Schema(ctx)
}
