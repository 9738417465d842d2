package web

import (
	"context"
	"net/http"

	"github.com/digital-asset-library/dal/app/dam"
)

// NamedItem is what has an id and a name.
type NamedItem struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"Default"`
}

type (
	namedInput struct {
		PageInput
	}
	// CollectionTypeInput names a type of collections in the path.
	CollectionTypeInput struct {
		CollectionType int64 `path:"collection_type" doc:"The collection type's id." example:"1"`
	}
	// NameBody is a name and nothing else.
	NameBody struct {
		Name string `json:"name" minLength:"1" maxLength:"255" doc:"Unique in any case." example:"Campaign"`
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
	namedOutput  struct{ Body one[NamedItem] }
	namedsOutput struct{ Body list[NamedItem] }
)

func toNamed(n dam.NamedID) NamedItem { return NamedItem(n) }

func (s *Server) collectionTypeRoutes() {
	op := func(id, method, path, summary, doc string, ability dam.Ability) route {
		return route{id: id, method: method, path: "/collection-types" + path, tag: "Collections", summary: summary, doc: doc,
			abilities: []dam.Ability{ability}, admin: method != http.MethodGet}
	}
	register(s, op("listCollectionTypes", "GET", "", "List collection types", "By name.", dam.CollectionsRead).huma(), s.listCollectionTypes)
	create := op("createCollectionType", "POST", "", "Create a collection type", "There can be 500.", dam.CollectionsWrite)
	create.status = http.StatusCreated
	register(s, create.huma(), s.createCollectionType)
	registerPut(s, op("updateCollectionType", "PUT", "/{collection_type}", "Rename a collection type", "The name is unique in any case.", dam.CollectionsWrite).huma(), s.collectionTypeAsShown, s.updateCollectionType)
	remove := op("deleteCollectionType", "DELETE", "/{collection_type}", "Delete a collection type", "One that collections have answers 409.", dam.CollectionsDelete)
	remove.errors = []int{409}
	register(s, remove.huma(), s.deleteCollectionType)
}

func (s *Server) listCollectionTypes(ctx context.Context, in *namedInput) (*namedsOutput, error) {
	types, total, err := s.app.CollectionTypes(ctx, requestOf(ctx).actor, in.page())
	if err != nil {
		return nil, err
	}
	return &namedsOutput{*paginate(ctx, &in.PageInput, mapped(types, toNamed), total)}, nil
}

func (s *Server) createCollectionType(ctx context.Context, in *createCollectionTypeInput) (*created[NamedItem], error) {
	n := dam.NamedID{Name: in.Body.Name}
	if err := s.app.PutCollectionType(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return made(ctx, "/collection-types/"+itoa(n.ID), toNamed(n)), nil
}

// collectionTypeAsShown has all that is known of a type beside its name.
func (s *Server) collectionTypeAsShown(_ context.Context, in *updateCollectionTypeInput) (any, error) {
	return NamedItem{ID: in.CollectionType}, nil
}

func (s *Server) updateCollectionType(ctx context.Context, in *updateCollectionTypeInput) (*namedOutput, error) {
	n := dam.NamedID{ID: in.CollectionType, Name: in.Body.Name}
	if err := s.app.PutCollectionType(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return &namedOutput{one[NamedItem]{toNamed(n)}}, nil
}

func (s *Server) deleteCollectionType(ctx context.Context, in *CollectionTypeInput) (*messageOutput, error) {
	if err := s.app.DeleteCollectionType(ctx, requestOf(ctx).actor, in.CollectionType); err != nil {
		return nil, err
	}
	return &messageOutput{message{"Collection type deleted."}}, nil
}
