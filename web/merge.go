package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

type mergeInput struct {
	GAIDInput
	Body struct {
		GAIDs []dam.GAID `json:"gaids" minItems:"1" maxItems:"100" doc:"Assets to merge into it." example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1N\"]"`
	} `contentType:"application/json" nameHint:"MergeAssets"`
}

func (s *Server) mergeAssets(ctx context.Context, in *mergeInput) (*assetOutput, error) {
	d, err := s.app.Uploads.MergeAssets(ctx, requestOf(ctx).actor, in.GAID, in.Body.GAIDs)
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}
