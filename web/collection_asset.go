package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
)

// AddedAssets is the result of adding assets to a collection.
type AddedAssets struct {
	Added     int        `json:"added" doc:"Number of assets added." example:"23"`
	Unchanged int        `json:"unchanged" doc:"Number of assets that were already in the collection." example:"1"`
	NotFound  []dam.GAID `json:"not_found" doc:"Assets that do not exist or are in the trash."`
}

// RemovedAssets is the result of removing assets from a collection.
type RemovedAssets struct {
	Removed   int        `json:"removed" doc:"Number of assets removed." example:"23"`
	Unchanged int        `json:"unchanged" doc:"Number of assets that were not in the collection." example:"1"`
	NotFound  []dam.GAID `json:"not_found" doc:"Assets that do not exist."`
}

type (
	collectionAssetsInput struct {
		CollectionInput
		AssetsQuery
		SortBy dam.Sort `query:"sort_by" example:"position"`
	}
	membersInput struct {
		CollectionInput
		Body struct {
			GAIDs []dam.GAID `json:"gaids" minItems:"1" maxItems:"1000" example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
		} `contentType:"application/json" nameHint:"CollectionAssets"`
	}
	orderInput struct {
		CollectionInput
		Body struct {
			GAIDs []dam.GAID    `json:"gaids" minItems:"1" maxItems:"1000" example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
			After Opt[dam.GAID] `json:"after,omitempty" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1N"`
		} `contentType:"application/json" nameHint:"CollectionOrder"`
	}
)

func (s *Server) collectionAssetRoutes() {
	members := group{tag: "Collections", path: "/collections/{collection}/assets"}
	list := members.route("listCollectionAssets", "GET", "", "Search and list the assets of a collection",
		dam.CollectionsRead, dam.AssetsRead)
	register(s, list.searching(), s.listCollectionAssets)
	outline := members.route("outlineCollectionAssets", "GET", "/outline", "Show the layout index of the assets of a collection",
		dam.CollectionsRead, dam.AssetsRead)
	register(s, outline.searching(), s.outlineCollectionAssets)
	register(s, members.route("addCollectionAssets", "POST", "", "Add assets to a collection", dam.CollectionsWrite).failing(409),
		s.addCollectionAssets)
	register(s, members.route("removeCollectionAssets", "DELETE", "", "Remove assets from a collection", dam.CollectionsWrite).failing(409),
		s.removeCollectionAssets)
	register(s, members.route("takeCollectionAssets", "POST", "/remove", "Remove assets from a collection with POST", dam.CollectionsWrite).
		failing(409), s.removeCollectionAssets)
	order := members.route("orderCollectionAssets", "PUT", "/order", "Reorder the assets of a collection", dam.CollectionsWrite)
	register(s, order.failing(409), s.orderCollectionAssets)
}

func (s *Server) listCollectionAssets(ctx context.Context, in *collectionAssetsInput) (*assetsOutput, error) {
	return s.assets(ctx, &in.AssetsQuery, in.SortBy, dam.SortPosition,
		func(ctx context.Context, actor dam.Actor, q dam.Query) (*find.AssetList, error) {
			return s.app.Finder.CollectionAssets(ctx, actor, in.Collection, q)
		})
}

func (s *Server) addCollectionAssets(ctx context.Context, in *membersInput) (*oneOutput[AddedAssets], error) {
	m, err := s.app.Collections.Add(ctx, requestOf(ctx).actor, in.Collection, in.Body.GAIDs)
	if err != nil {
		return nil, err
	}
	return &oneOutput[AddedAssets]{one[AddedAssets]{AddedAssets{m.Changed, m.Unchanged, orEmpty(m.NotFound)}}}, nil
}

func (s *Server) removeCollectionAssets(ctx context.Context, in *membersInput) (*oneOutput[RemovedAssets], error) {
	m, err := s.app.Collections.Remove(ctx, requestOf(ctx).actor, in.Collection, in.Body.GAIDs)
	if err != nil {
		return nil, err
	}
	return &oneOutput[RemovedAssets]{one[RemovedAssets]{RemovedAssets{m.Changed, m.Unchanged, orEmpty(m.NotFound)}}}, nil
}

func (s *Server) orderCollectionAssets(ctx context.Context, in *orderInput) (*messageOutput, error) {
	return done("Collection ordered.", s.app.Collections.Order(ctx, requestOf(ctx).actor, in.Collection, in.Body.GAIDs, in.Body.After.Value))
}
