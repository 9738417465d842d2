package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
)

// SimilarAssets are the assets similar to another, most similar first.
type SimilarAssets struct {
	Data []SimilarItem `json:"data"`
	Meta SimilarMeta   `json:"meta"`
}

// SimilarMeta describes the search for similar assets.
type SimilarMeta struct {
	Meaning dam.Meaning `json:"meaning" example:"ready"`
}

// SimilarItem is an asset similar to another.
type SimilarItem struct {
	AssetFields
	MatchedOn []string `json:"matched_on" doc:"Reasons: picture for a near duplicate; meaning for a similar subject." example:"[\"picture\"]"`
	Distance  *int     `json:"distance" doc:"For a near duplicate: number of differing bits of the 64-bit hashes." example:"2"`
	Cosine    *float64 `json:"cosine" doc:"Similarity of meaning, up to 1; null if unknown." example:"0.83"`
	Truncated []string `json:"truncated,omitempty" example:"[\"metadata\"]"`
}

type (
	similarInput struct {
		GAIDInput
		PerPage int `query:"per_page" minimum:"1" maximum:"100" default:"24" doc:"Maximum number of assets." example:"12"`
	}
	similarOutput struct{ Body SimilarAssets }
)

func (s *Server) similarAssets(ctx context.Context, in *similarInput) (*similarOutput, error) {
	found, meaning, err := s.app.Finder.Similar(ctx, requestOf(ctx).actor, in.GAID, in.PerPage)
	if err != nil {
		return nil, err
	}
	view := viewOf(ctx)
	out := &similarOutput{SimilarAssets{Meta: SimilarMeta{Meaning: meaning}}}
	out.Body.Data = orEmpty(mapped(found, func(a find.SimilarAsset) SimilarItem {
		item := SimilarItem{AssetFields: toAssetFields(view, a.Asset), MatchedOn: []string{}}
		if a.Distance >= 0 {
			item.MatchedOn, item.Distance = append(item.MatchedOn, "picture"), &a.Distance
		}
		if a.Cosine != 0 {
			item.Cosine = &a.Cosine
		}
		if a.Distance < 0 {
			item.MatchedOn = append(item.MatchedOn, "meaning")
		}
		return item
	}))
	fitAssets(out.Body.Data, func(i *SimilarItem) (*AssetFields, *[]string) { return &i.AssetFields, &i.Truncated })
	return out, nil
}
