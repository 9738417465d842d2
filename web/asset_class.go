package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

type (
	// AssetClassInput names an asset class in the path.
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
		Force bool `query:"force" example:"false"`
	}
)

func (s *Server) assetClassRoutes() {
	classes := group{tag: "Metadata", path: "/asset-classes"}
	register(s, classes.route("listAssetClasses", "GET", "", "List asset classes", dam.AssetsRead), s.listAssetClasses)
	register(s, classes.route("createAssetClass", "POST", "", "Create an asset class", dam.MetadataWrite).creating().forAdmins(),
		s.createAssetClass)
	registerPut(s, classes.route("updateAssetClass", "PUT", "/{asset_class}", "Rename an asset class", dam.MetadataWrite).forAdmins(),
		s.assetClassAsShown, s.updateAssetClass)
	register(s, classes.route("showAssetClass", "GET", "/{asset_class}", "Show an asset class", dam.AssetsRead), s.showAssetClass)
	remove := classes.route("deleteAssetClass", "DELETE", "/{asset_class}", "Delete an asset class", dam.MetadataWrite)
	registerChange(s, remove.forAdmins().failing(409),
		func(ctx context.Context, in *deleteAssetClassInput) (any, error) {
			return shownBy(s.showAssetClass)(ctx, &in.AssetClassInput)
		},
		s.deleteAssetClass)
}

func (s *Server) listAssetClasses(ctx context.Context, in *PageInput) (*listOutput[NamedItem], error) {
	return pageAnswer(ctx, in, toNamed)(s.app.Definitions.AssetClasses(ctx, requestOf(ctx).actor, in.page()))
}

func (s *Server) createAssetClass(ctx context.Context, in *createAssetClassInput) (*created[NamedItem], error) {
	return putNamed(s.app.Definitions.PutAssetClass).create(ctx, "/asset-classes", in.Body.Name)
}

func (s *Server) showAssetClass(ctx context.Context, in *AssetClassInput) (*oneOutput[NamedItem], error) {
	return answer(toNamed)(s.app.Definitions.AssetClass(ctx, in.AssetClass))
}

func (s *Server) assetClassAsShown(ctx context.Context, in *updateAssetClassInput) (any, error) {
	return shownBy(s.showAssetClass)(ctx, &in.AssetClassInput)
}

func (s *Server) updateAssetClass(ctx context.Context, in *updateAssetClassInput) (*oneOutput[NamedItem], error) {
	return putNamed(s.app.Definitions.PutAssetClass).rename(ctx, in.AssetClass, in.Body.Name)
}

func (s *Server) deleteAssetClass(ctx context.Context, in *deleteAssetClassInput) (*messageOutput, error) {
	return done("Asset class deleted.", s.app.Definitions.DeleteAssetClass(ctx, requestOf(ctx).actor, in.AssetClass, in.Force))
}
