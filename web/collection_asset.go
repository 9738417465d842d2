package web

import (
	"context"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// AddedAssets is what became of assets that were to be put in a collection.
type AddedAssets struct {
	Added     int        `json:"added" doc:"How many were put in." example:"23"`
	Unchanged int        `json:"unchanged" doc:"How many were in it before." example:"1"`
	NotFound  []dam.GAID `json:"not_found" doc:"Those that are no assets, or are in the trash."`
}

// RemovedAssets is what became of assets that were to be taken out of a
// collection.
type RemovedAssets struct {
	Removed   int        `json:"removed" doc:"How many were taken out." example:"23"`
	Unchanged int        `json:"unchanged" doc:"How many were not in it." example:"1"`
	NotFound  []dam.GAID `json:"not_found" doc:"Those that are no assets."`
}

type (
	collectionAssetsInput struct {
		CollectionInput
		AssetsQuery
		SortBy dam.Sort `query:"sort_by" enum:"position,created_at,updated_at,title,original_filename,size,relevance" doc:"relevance with q and position without it when absent. A collection that fills itself has its newest assets first by position." example:"position"`
	}
	membersInput struct {
		CollectionInput
		Body struct {
			GAIDs []dam.GAID `json:"gaids" minItems:"1" maxItems:"1000" doc:"Assets; one that is there twice counts once." example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
		} `contentType:"application/json" nameHint:"CollectionAssets"`
	}
	orderInput struct {
		CollectionInput
		Body struct {
			GAIDs []dam.GAID    `json:"gaids" minItems:"1" maxItems:"1000" doc:"Assets of the collection, each once, in the order they are to have." example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
			After Opt[dam.GAID] `json:"after,omitempty" doc:"The asset of the collection right behind which they go; absent or null for the beginning." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1N"`
		} `contentType:"application/json" nameHint:"CollectionOrder"`
	}
	addedOutput   struct{ Body one[AddedAssets] }
	removedOutput struct{ Body one[RemovedAssets] }
)

func (s *Server) collectionAssetRoutes() {
	op := func(id, method, path, summary, doc string, errors []int, abilities ...dam.Ability) route {
		return route{id: id, method: method, path: "/collections/{collection}/assets" + path, tag: "Collections", summary: summary, doc: doc,
			abilities: abilities, errors: errors}
	}
	conflict := []int{409}
	list := op("listCollectionAssets", "GET", "", "Search and list the assets of a collection", "As GET /assets, but only those in the collection, in its order.",
		nil, dam.CollectionsRead, dam.AssetsRead)
	list.searches = true
	register(s, list.huma(), s.listCollectionAssets)
	register(s, op("addCollectionAssets", "POST", "", "Put assets in a collection", "At its end, in the order given. A collection that fills itself answers 409.",
		conflict, dam.CollectionsWrite).huma(), s.addCollectionAssets)
	register(s, op("removeCollectionAssets", "DELETE", "", "Take assets out of a collection", "They stay in the library. A collection that fills itself answers 409.",
		conflict, dam.CollectionsWrite).huma(), s.removeCollectionAssets)
	register(s, op("orderCollectionAssets", "PUT", "/order", "Order the assets of a collection", "Moves some of them to one place, in the order given; the others keep theirs. A collection that fills itself answers 409.",
		conflict, dam.CollectionsWrite).huma(), s.orderCollectionAssets)
}

func (s *Server) listCollectionAssets(ctx context.Context, in *collectionAssetsInput) (*assetsOutput, error) {
	return s.assets(ctx, &in.AssetsQuery, in.SortBy, dam.SortPosition,
		func(ctx context.Context, actor dam.Actor, q dam.Query) (*app.AssetList, error) {
			return s.app.Finder.CollectionAssets(ctx, actor, in.Collection, q)
		})
}

func (s *Server) addCollectionAssets(ctx context.Context, in *membersInput) (*addedOutput, error) {
	m, err := s.app.AddToCollection(ctx, requestOf(ctx).actor, in.Collection, in.Body.GAIDs)
	if err != nil {
		return nil, err
	}
	return &addedOutput{one[AddedAssets]{AddedAssets{m.Changed, m.Unchanged, orEmpty(m.NotFound)}}}, nil
}

func (s *Server) removeCollectionAssets(ctx context.Context, in *membersInput) (*removedOutput, error) {
	m, err := s.app.RemoveFromCollection(ctx, requestOf(ctx).actor, in.Collection, in.Body.GAIDs)
	if err != nil {
		return nil, err
	}
	return &removedOutput{one[RemovedAssets]{RemovedAssets{m.Changed, m.Unchanged, orEmpty(m.NotFound)}}}, nil
}

func (s *Server) orderCollectionAssets(ctx context.Context, in *orderInput) (*messageOutput, error) {
	if err := s.app.OrderCollection(ctx, requestOf(ctx).actor, in.Collection, in.Body.GAIDs, in.Body.After.Value); err != nil {
		return nil, err
	}
	return &messageOutput{message{"Collection ordered."}}, nil
}
