package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// NamedItem is something with an id and a name.
type NamedItem struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"Default"`
}

type (
	// CollectionTypeInput names a type of collections in the path.
	CollectionTypeInput struct {
		CollectionType int64 `path:"collection_type" doc:"The collection type's id." example:"1"`
	}
	// NameBody is a name and nothing else.
	NameBody struct {
		Name string `json:"name" minLength:"1" maxLength:"255" doc:"Unique, ignoring case." example:"Campaign"`
	}
	// RenameBody is a new name.
	RenameBody struct {
		NameBody
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

func toNamed(n dam.NamedID) NamedItem { return NamedItem(n) }

func (s *Server) collectionTypeRoutes() {
	types := group{tag: "Collections", path: "/collection-types"}
	register(s, types.route("listCollectionTypes", "GET", "", "List collection types", dam.CollectionsRead), s.listCollectionTypes)
	register(s, types.route("createCollectionType", "POST", "", "Create a collection type", dam.CollectionsWrite).creating().forAdmins(),
		s.createCollectionType)
	rename := types.route("updateCollectionType", "PUT", "/{collection_type}", "Rename a collection type", dam.CollectionsWrite)
	registerPut(s, rename.forAdmins(), s.collectionTypeAsShown, s.updateCollectionType)
	remove := types.route("deleteCollectionType", "DELETE", "/{collection_type}", "Delete a collection type", dam.CollectionsDelete)
	register(s, remove.forAdmins().failing(409), s.deleteCollectionType)
}

func (s *Server) listCollectionTypes(ctx context.Context, in *PageInput) (*listOutput[NamedItem], error) {
	return pageAnswer(ctx, in, toNamed)(s.app.CollectionTypes(ctx, requestOf(ctx).actor, in.page()))
}

func (s *Server) createCollectionType(ctx context.Context, in *createCollectionTypeInput) (*created[NamedItem], error) {
	n := dam.NamedID{Name: in.Body.Name}
	if err := s.app.PutCollectionType(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return made(ctx, "/collection-types/"+itoa(n.ID), toNamed(n)), nil
}

// collectionTypeAsShown is all that there is to a type besides its name.
func (s *Server) collectionTypeAsShown(_ context.Context, in *updateCollectionTypeInput) (any, error) {
	return NamedItem{ID: in.CollectionType}, nil
}

func (s *Server) updateCollectionType(ctx context.Context, in *updateCollectionTypeInput) (*oneOutput[NamedItem], error) {
	n := dam.NamedID{ID: in.CollectionType, Name: in.Body.Name}
	if err := s.app.PutCollectionType(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return &oneOutput[NamedItem]{one[NamedItem]{toNamed(n)}}, nil
}

func (s *Server) deleteCollectionType(ctx context.Context, in *CollectionTypeInput) (*messageOutput, error) {
	return done("Collection type deleted.", s.app.DeleteCollectionType(ctx, requestOf(ctx).actor, in.CollectionType))
}
