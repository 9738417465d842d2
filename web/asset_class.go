package web

import (
	"context"
	"net/http"

	"github.com/digital-asset-library/dal/app/dam"
)

type (
	// AssetClassInput names a class of assets in the path.
	AssetClassInput struct {
		AssetClass int64 `path:"asset_class" doc:"The asset class's id." example:"1"`
	}
	createAssetClassInput struct {
		Body NameBody `contentType:"application/json"`
	}
	updateAssetClassInput struct {
		AssetClassInput
		ReturnedInput
		Body RenameBody `contentType:"application/json"`
	}
	deleteAssetClassInput struct {
		AssetClassInput
		Force bool `query:"force" doc:"Take the class from the assets and upload batches that have it; without it they are a conflict." example:"false"`
	}
)

func (s *Server) assetClassRoutes() {
	op := func(id, method, path, summary, doc string) route {
		o := route{id: id, method: method, path: "/asset-classes" + path, tag: "Metadata", summary: summary, doc: doc,
			abilities: []dam.Ability{dam.AssetsRead}}
		if method != http.MethodGet {
			o.abilities, o.admin = []dam.Ability{dam.MetadataWrite}, true
		}
		return o
	}
	register(s, op("listAssetClasses", "GET", "", "List asset classes", "By name. GET /metadata/fields?asset_class_id= lists the fields of one.").huma(), s.listAssetClasses)
	create := op("createAssetClass", "POST", "", "Create an asset class", "A library can have 1,000.")
	create.status = http.StatusCreated
	register(s, create.huma(), s.createAssetClass)
	registerPut(s, op("updateAssetClass", "PUT", "/{asset_class}", "Rename an asset class", "Assets and fields refer to it by its id.").huma(), s.assetClassAsShown, s.updateAssetClass)
	remove := op("deleteAssetClass", "DELETE", "/{asset_class}", "Delete an asset class",
		"One that a field is for is a conflict, and so is one that assets or upload batches have, unless force takes it from them.")
	remove.errors = []int{409}
	register(s, remove.huma(), s.deleteAssetClass)
}

func (s *Server) listAssetClasses(ctx context.Context, in *namedInput) (*namedsOutput, error) {
	classes, total, err := s.app.AssetClasses(ctx, requestOf(ctx).actor, in.page())
	if err != nil {
		return nil, err
	}
	return &namedsOutput{*paginate(ctx, &in.PageInput, mapped(classes, toNamed), total)}, nil
}

func (s *Server) createAssetClass(ctx context.Context, in *createAssetClassInput) (*created[NamedItem], error) {
	n := dam.NamedID{Name: in.Body.Name}
	if err := s.app.PutAssetClass(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return made(ctx, "/asset-classes/"+itoa(n.ID), toNamed(n)), nil
}

// assetClassAsShown has all that is known of a class beside its name.
func (s *Server) assetClassAsShown(_ context.Context, in *updateAssetClassInput) (any, error) {
	return NamedItem{ID: in.AssetClass}, nil
}

func (s *Server) updateAssetClass(ctx context.Context, in *updateAssetClassInput) (*namedOutput, error) {
	n := dam.NamedID{ID: in.AssetClass, Name: in.Body.Name}
	if err := s.app.PutAssetClass(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return &namedOutput{one[NamedItem]{toNamed(n)}}, nil
}

func (s *Server) deleteAssetClass(ctx context.Context, in *deleteAssetClassInput) (*messageOutput, error) {
	if err := s.app.DeleteAssetClass(ctx, requestOf(ctx).actor, in.AssetClass, in.Force); err != nil {
		return nil, err
	}
	return &messageOutput{message{"Asset class deleted."}}, nil
}
