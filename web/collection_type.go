package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

type (
	// CollectionTypeInput names a collection type in the path.
	CollectionTypeInput struct {
		CollectionType int64 `path:"collection_type" doc:"The collection type's id." example:"1"`
	}
	createCollectionTypeInput struct {
		Body NameBody `contentType:"application/json"`
	}
	updateCollectionTypeInput struct {
		CollectionTypeInput
		ReturnedInput
		Body RenameBody `contentType:"application/json"`
	}
)

func (s *Server) collectionTypeRoutes() {
	types := group{tag: "Collections", path: "/collection-types"}
	register(s, types.route("listCollectionTypes", "GET", "", "List collection types", dam.CollectionsRead), s.listCollectionTypes)
	register(s, types.route("createCollectionType", "POST", "", "Create a collection type", dam.CollectionsWrite).creating().forAdmins(),
		s.createCollectionType)
	rename := types.route("updateCollectionType", "PUT", "/{collection_type}", "Rename a collection type", dam.CollectionsWrite)
	register(s, types.route("showCollectionType", "GET", "/{collection_type}", "Show a collection type", dam.CollectionsRead),
		s.showCollectionType)
	registerPut(s, rename.forAdmins(), s.collectionTypeAsShown, s.updateCollectionType)
	remove := types.route("deleteCollectionType", "DELETE", "/{collection_type}", "Delete a collection type", dam.CollectionsDelete)
	registerChange(s, remove.forAdmins().failing(409), shownBy(s.showCollectionType), s.deleteCollectionType)
}

func (s *Server) listCollectionTypes(ctx context.Context, in *PageInput) (*listOutput[NamedItem], error) {
	return pageAnswer(ctx, in, toNamed)(s.app.Definitions.CollectionTypes(ctx, requestOf(ctx).actor, in.page()))
}

func (s *Server) createCollectionType(ctx context.Context, in *createCollectionTypeInput) (*created[NamedItem], error) {
	return putNamed(s.app.Definitions.PutCollectionType).create(ctx, "/collection-types", in.Body.Name)
}

func (s *Server) showCollectionType(ctx context.Context, in *CollectionTypeInput) (*oneOutput[NamedItem], error) {
	return answer(toNamed)(s.app.Definitions.CollectionType(ctx, in.CollectionType))
}

func (s *Server) collectionTypeAsShown(ctx context.Context, in *updateCollectionTypeInput) (any, error) {
	return shownBy(s.showCollectionType)(ctx, &in.CollectionTypeInput)
}

func (s *Server) updateCollectionType(ctx context.Context, in *updateCollectionTypeInput) (*oneOutput[NamedItem], error) {
	return putNamed(s.app.Definitions.PutCollectionType).rename(ctx, in.CollectionType, in.Body.Name)
}

func (s *Server) deleteCollectionType(ctx context.Context, in *CollectionTypeInput) (*messageOutput, error) {
	return done("Collection type deleted.", s.app.Definitions.DeleteCollectionType(ctx, requestOf(ctx).actor, in.CollectionType))
}
