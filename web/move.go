package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/schema"
)

type (
	moveCollectionInput struct {
		CollectionInput
		Body struct {
			ParentID Opt[int64] `json:"parent_id,omitempty" minimum:"0" example:"1"`
			After    Opt[int64] `json:"after,omitempty" minimum:"0" example:"3"`
		} `contentType:"application/json" nameHint:"CollectionMove"`
	}
	moveTermInput struct {
		TermInput
		Body struct {
			ParentID Opt[int64] `json:"parent_id,omitempty" minimum:"0" example:"3"`
			After    Opt[int64] `json:"after,omitempty" minimum:"0" example:"16"`
		} `contentType:"application/json" nameHint:"TermMove"`
	}
	moveFieldInput struct {
		FieldInput
		Body struct {
			After Opt[string] `json:"after,omitempty" maxLength:"64" pattern:"^[a-z][a-z0-9_]*$" example:"campaign"`
		} `contentType:"application/json" nameHint:"MetadataFieldMove"`
	}
)

func (s *Server) moveRoutes() {
	collections := group{tag: "Collections", path: "/collections"}
	register(s, collections.route("moveCollection", "POST", "/{collection}/move", "Move a collection", dam.CollectionsWrite),
		s.moveCollection)
	metadata := group{tag: "Metadata", path: "/metadata"}
	register(s, metadata.route("moveMetadataField", "POST", "/fields/{key}/move", "Move a metadata field", dam.MetadataWrite).forAdmins(),
		s.moveField)
	term := metadata.route("moveTerm", "POST", "/vocabularies/{vocabulary}/terms/{term}/move", "Move a term", dam.MetadataWrite)
	register(s, term.forAdmins(), s.moveTerm)
}

func (s *Server) moveCollection(ctx context.Context, in *moveCollectionInput) (*collectionOutput, error) {
	to := collection.CollectionPlace{ParentID: in.Body.ParentID.Opt, After: in.Body.After.Value}
	return collectionAnswer(ctx)(s.app.Collections.Move(ctx, requestOf(ctx).actor, in.Collection, to))
}

func (s *Server) moveField(ctx context.Context, in *moveFieldInput) (*oneOutput[MetadataField], error) {
	return answer(toMetadataField)(s.app.Definitions.MoveField(ctx, requestOf(ctx).actor, in.Key, in.Body.After.Value))
}

func (s *Server) moveTerm(ctx context.Context, in *moveTermInput) (*oneOutput[Term], error) {
	to := schema.TermPlace{ParentID: in.Body.ParentID.Opt, After: in.Body.After.Value}
	return answer(toTerm)(s.app.Definitions.MoveTerm(ctx, requestOf(ctx).actor, in.ref(), in.Term, to))
}
