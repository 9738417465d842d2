package web

import (
	"context"
	"net/http"

	"github.com/digital-asset-library/dal/app/dam"
)

// AssetOutline summarizes a list of assets.
type AssetOutline struct {
	Total  int                 `json:"total" minimum:"0" doc:"Number of assets in the list." example:"3"`
	Ratios Null[[]int]         `json:"ratios" example:"[150,67,100]"`
	Months Null[[]AssetMonth]  `json:"months"`
	At     Null[AssetPosition] `json:"at"`
}

// AssetMonth is a section of a list of assets that is sorted by a date.
type AssetMonth struct {
	Month *string `json:"month" doc:"Year and month; null for assets without the date." example:"2026-03"`
	Index int     `json:"index" minimum:"0" doc:"Zero-based index of its first asset." example:"0"`
	Count int     `json:"count" minimum:"1" doc:"Number of assets in the month." example:"3"`
}

// AssetPosition is the position of an asset in a list.
type AssetPosition struct {
	GAID  dam.GAID `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Index int      `json:"index" minimum:"0" doc:"Zero-based index in the list." example:"2"`
}

type (
	// OutlineInput are the parameters common to all outlines, except for the sort key.
	OutlineInput struct {
		AssetsSought
		At          dam.GAID `query:"at" maxLength:"26" doc:"Asset to locate in the list." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		IfNoneMatch string   `header:"If-None-Match" doc:"Respond with 304 if the layout index still has one of these ETags." example:"\"v1\""`
	}
	outlineInput struct {
		OutlineInput
		SortBy AssetSort `query:"sort_by" doc:"Same as sort_by of GET /assets." example:"created_at"`
	}
	collectionOutlineInput struct {
		CollectionInput
		OutlineInput
		SortBy dam.Sort `query:"sort_by" doc:"Same as sort_by of the list." example:"position"`
	}
	outlineOutput struct {
		Status int
		ETag   string `header:"ETag" doc:"Entity tag, which changes with the layout index."`
		Body   *one[AssetOutline]
	}
)

func (s *Server) outlineAssets(ctx context.Context, in *outlineInput) (*outlineOutput, error) {
	q, err := s.app.Finder.Query(ctx, in.params(dam.Sort(in.SortBy)), dam.SortCreatedAt)
	if err != nil {
		return nil, err
	}
	o, err := s.app.Finder.Outline(ctx, requestOf(ctx).actor, q, in.At)
	return outlineAnswer(ctx, in.At, o, err)
}

func (s *Server) outlineCollectionAssets(ctx context.Context, in *collectionOutlineInput) (*outlineOutput, error) {
	q, err := s.app.Finder.Query(ctx, in.params(in.SortBy), dam.SortPosition)
	if err != nil {
		return nil, err
	}
	o, err := s.app.Finder.CollectionOutline(ctx, requestOf(ctx).actor, in.Collection, q, in.At)
	return outlineAnswer(ctx, in.At, o, err)
}

func outlineAnswer(ctx context.Context, at dam.GAID, o *dam.Outline, err error) (*outlineOutput, error) {
	if err != nil {
		return nil, err
	}
	body := AssetOutline{Total: o.Total}
	if o.Ratios != nil {
		body.Ratios.Value = &o.Ratios
	}
	if o.Months != nil {
		body.Months.Value = ptr(mapped(o.Months, func(m dam.Month) AssetMonth { return AssetMonth{text(m.Month), m.Index, m.Count} }))
	}
	if o.At >= 0 {
		body.At.Value = &AssetPosition{at, o.At}
	}
	out := &outlineOutput{Status: http.StatusOK, ETag: hashTag(body), Body: &one[AssetOutline]{body}}
	if unmodified(ctx, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}
