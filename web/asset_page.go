package web

import (
	"context"

	"github.com/digital-asset-library/dal/app"
)

type pageInput struct {
	GAIDInput
	Page int `path:"page" minimum:"1" maximum:"100000" doc:"The page, from 1." example:"1"`
}

// AssetPage is the text of a page of a file.
type AssetPage struct {
	Page   int        `json:"page" doc:"Which one it is, from 1." example:"1"`
	Pages  int        `json:"pages" doc:"How many the file has." example:"12"`
	Width  int        `json:"width" doc:"Of the page, in pixels, or in points of a document." example:"595"`
	Height int        `json:"height" doc:"As width." example:"842"`
	Lines  []PageLine `json:"lines" maxItems:"5000"`
}

// PageLine is a piece of the text of a page, with where it is.
type PageLine struct {
	Text   string  `json:"text" doc:"What it says." example:"Harbour master"`
	X      float64 `json:"x" minimum:"0" maximum:"1" doc:"Its left edge." example:"0.12"`
	Y      float64 `json:"y" minimum:"0" maximum:"1" doc:"Its top edge." example:"0.08"`
	Width  float64 `json:"width" minimum:"0" maximum:"1" doc:"Its part of the width of the page." example:"0.31"`
	Height float64 `json:"height" minimum:"0" maximum:"1" doc:"Its part of the height of the page." example:"0.02"`
}

func (s *Server) showPage(ctx context.Context, in *pageInput) (*oneOutput[AssetPage], error) {
	p, err := s.app.PageText(ctx, requestOf(ctx).actor, in.GAID, in.Page)
	if err != nil {
		return nil, err
	}
	lines := mapped(p.Lines, func(l app.PageLine) PageLine { return PageLine(l) })
	return &oneOutput[AssetPage]{one[AssetPage]{AssetPage{p.Page, p.Pages, p.Width, p.Height, lines}}}, nil
}
