package web

import (
	"context"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
)

// Suggestion is a completion of the typed text.
type Suggestion struct {
	Type  dam.SuggestionType `json:"type" doc:"Type of the suggestion." example:"keyword"`
	Text  string             `json:"text" doc:"Title, keyword or name." example:"harbour"`
	GAID  dam.GAID           `json:"gaid,omitempty" doc:"For a title: its asset." example:"01JAB3DEFGHJKMNPQRSTVWXYZ0"`
	ID    int64              `json:"id,omitempty" doc:"For a collection or a saved search: its id."`
	Count int                `json:"count,omitempty" doc:"For a keyword: number of assets with it." example:"23"`
}

// DuplicateGroup is a group of near duplicates.
type DuplicateGroup struct {
	Assets      []AssetItem `json:"assets" doc:"Assets of the group, oldest first: up to 50, and up to 1000 per page."`
	AssetsCount int         `json:"assets_count" minimum:"2" doc:"Number of assets in the group." example:"2"`
	Distance    int         `json:"distance" minimum:"0" doc:"Maximum number of differing bits of the 64-bit hashes." example:"2"`
}

// AssetCounts counts the values of a selection's assets.
type AssetCounts struct {
	Total  int                     `json:"total" minimum:"0" doc:"Number of selected assets." example:"23"`
	Facets map[string][]FacetValue `json:"facets" doc:"Values by field, most frequent first; up to 100 per field."`
	Query  *ParsedQuery            `json:"query,omitempty"`
}

type (
	suggestionsInput struct {
		Q     string             `query:"q" maxLength:"500" doc:"Text typed so far." example:"harb"`
		Type  dam.SuggestionType `query:"type" doc:"Suggestions of this type only." example:"keyword"`
		Limit int                `query:"limit" minimum:"1" maximum:"50" default:"10" doc:"Maximum number of suggestions." example:"10"`

		Page    int `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Page number, starting at 1." example:"1"`
		PerPage int `query:"per_page" minimum:"1" maximum:"100" default:"50" doc:"Maximum number of items per page." example:"50"`
		url     url.URL
	}
	duplicatesInput struct {
		PageInput
		Distance int `query:"distance" minimum:"0" maximum:"6" default:"6" doc:"Maximum number of differing bits of two hashes." example:"6"`
	}
	countAssetsInput struct {
		Body struct {
			Selection Selection `json:"selection" doc:"Selection of assets, as in an operation."`
			Facets    []string  `json:"facets" minItems:"1" maxItems:"20" doc:"Fields, as in facets of GET /assets." example:"[\"keywords\"]"`
		} `contentType:"application/json" nameHint:"CountAssets"`
	}
)

func (s *Server) finderRoutes() {
	suggestions := group{tag: "Assets", path: "/suggestions"}
	register(s, suggestions.route("listSuggestions", "GET", "", "List suggestions for a search text", dam.AssetsRead).searching(),
		s.listSuggestions)
	duplicates := group{tag: "Assets", path: "/duplicates"}
	register(s, duplicates.route("listDuplicates", "GET", "", "List near duplicates", dam.AssetsRead).searching(), s.listDuplicates)
	count := group{tag: "Assets", path: "/assets"}.route("countAssets", "POST", "/facets", "Count field values of selected assets",
		dam.AssetsRead)
	count.maxBody = operationBody
	register(s, count.searching().reading(), s.countAssets)
}

// Resolve stores the request's URL.
func (in *suggestionsInput) Resolve(ctx huma.Context) []error {
	in.url = listURL(ctx)
	return nil
}

func (s *Server) listSuggestions(ctx context.Context, in *suggestionsInput) (*listOutput[Suggestion], error) {
	list, err := s.app.Finder.Suggest(ctx, requestOf(ctx).actor, in.Q, in.Type, in.Limit)
	page := PageInput{Page: in.Page, PerPage: in.PerPage, url: in.url}
	return pageAnswer(ctx, &page, func(v dam.Suggestion) Suggestion { return Suggestion(v) })(partOf(list, page.page()), len(list), err)
}

func (s *Server) listDuplicates(ctx context.Context, in *duplicatesInput) (*listOutput[DuplicateGroup], error) {
	groups, total, err := s.app.Finder.DuplicateGroups(ctx, requestOf(ctx).actor, in.Distance, in.page())
	if err != nil {
		return nil, err
	}
	view := viewOf(ctx)
	var all []AssetItem
	for _, g := range groups {
		all = append(all, mapped(g.Assets, func(a *dam.Asset) AssetItem { return AssetItem{AssetFields: toAssetFields(view, a)} })...)
	}
	fitAssets(all, func(i *AssetItem) (*AssetFields, *[]string) { return &i.AssetFields, &i.Truncated })
	return pageAnswer(ctx, &in.PageInput, func(g find.DuplicateGroup) DuplicateGroup {
		to := DuplicateGroup{Assets: all[:len(g.Assets):len(g.Assets)], AssetsCount: g.Count, Distance: g.Distance}
		all = all[len(g.Assets):]
		return to
	})(groups, total, nil)
}

func (s *Server) countAssets(ctx context.Context, in *countAssetsInput) (*oneOutput[AssetCounts], error) {
	selection := in.Body.Selection.dam()
	found, err := s.app.Finder.Facets(ctx, requestOf(ctx).actor, &selection, in.Body.Facets)
	if err != nil {
		return nil, err
	}
	return &oneOutput[AssetCounts]{one[AssetCounts]{AssetCounts{found.Total, toFacets(found.Facets), toParsedQuery(found.Query)}}}, nil
}

// toFacets converts facets by field.
func toFacets(all map[string][]find.Facet) map[string][]FacetValue {
	to := map[string][]FacetValue{}
	for field, values := range all {
		to[field] = mapped(values, func(f find.Facet) FacetValue { return FacetValue{f.Value, f.Label, f.Count} })
	}
	return to
}
