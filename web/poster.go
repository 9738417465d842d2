package web

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
)

// posterInput has no body for huma to read: the handler streams it.
type posterInput struct {
	GAIDInput
	ConditionInput
}

func (s *Server) posterRoutes() {
	assets := group{tag: "Assets", path: "/assets"}
	set := assets.route("setAssetPoster", "PUT", "/{gaid}/poster", "Set the poster of an asset", dam.AssetsWrite)
	set.body = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
	for _, kind := range ingest.PosterTypes() {
		set.body.Content[kind] = &huma.MediaType{Schema: binary}
	}
	register(s, set, s.setPoster)
	register(s, assets.route("deleteAssetPoster", "DELETE", "/{gaid}/poster", "Delete the poster of an asset", dam.AssetsWrite),
		s.deletePoster)
}

func (s *Server) setPoster(ctx context.Context, in *posterInput) (*assetOutput, error) {
	r := requestOf(ctx)
	kind, _, err := mime.ParseMediaType(r.raw.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(ingest.PosterTypes(), kind) {
		return nil, &apiError{status: http.StatusUnsupportedMediaType,
			Message: "The request body must be a picture: image/jpeg, image/png or image/webp."}
	}
	if r.raw.ContentLength > ingest.MaxPoster {
		return nil, dam.Errorf(dam.TooLarge, "The picture may have up to %d MB.", ingest.MaxPoster>>20)
	}
	d, err := s.app.Uploads.SetPoster(ctx, r.actor, in.GAID, r.body, assetCheck(ctx))
	if known, ok := errors.AsType[*dam.Error](err); ok { // the picture may be truncated even if the body is not
		return nil, known
	}
	if err != nil {
		return nil, bodyError(err, cutOffBody)
	}
	return assetAnswer(ctx, d), nil
}

func (s *Server) deletePoster(ctx context.Context, in *posterInput) (*assetOutput, error) {
	d, err := s.app.Uploads.DeletePoster(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}
