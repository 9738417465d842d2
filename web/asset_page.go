package web

import (
	"context"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
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
	Words  []PageWord `json:"words" maxItems:"5000" doc:"Those that were read in the picture. A page whose file has text has none."`
}

// PageWord is a word that was read in the picture of a page, with where it is.
type PageWord struct {
	PageLine
	Line       int `json:"line" minimum:"1" doc:"Which line it is in, from 1." example:"1"`
	Confidence int `json:"confidence" minimum:"0" maximum:"100" doc:"How likely it was read right." example:"96"`
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
	words := mapped(p.Words, func(w dam.RecognizedWord) PageWord {
		return PageWord{PageLine{w.Text, w.X, w.Y, w.Width, w.Height}, w.Line, w.Confidence}
	})
	return &oneOutput[AssetPage]{one[AssetPage]{AssetPage{p.Page, p.Pages, p.Width, p.Height, lines, words}}}, nil
}
