package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
)

type pageInput struct {
	GAIDInput
	Page int `path:"page" minimum:"1" maximum:"100000" doc:"Page number, starting at 1." example:"1"`
}

// AssetPage is the text of a page of a file.
type AssetPage struct {
	Page   int        `json:"page" doc:"Page number, starting at 1." example:"1"`
	Pages  int        `json:"pages" doc:"Number of pages of the file." example:"12"`
	Width  int        `json:"width" doc:"Width of the page, in pixels, or in points for a document." example:"595"`
	Height int        `json:"height" doc:"Height of the page, in the unit of width." example:"842"`
	Lines  []PageLine `json:"lines" maxItems:"5000"`
	Words  []PageWord `json:"words" maxItems:"5000" doc:"Recognised words. Empty for a page with a text layer."`
}

// PageWord is a word recognized in the picture of a page, with its position.
type PageWord struct {
	PageLine
	Line       int `json:"line" minimum:"1" doc:"Number of the line that contains the word, starting at 1." example:"1"`
	Confidence int `json:"confidence" minimum:"0" maximum:"100" doc:"Confidence of the recognition in per cent." example:"96"`
}

// PageLine is a piece of the text of a page, with its position.
type PageLine struct {
	Text   string  `json:"text" doc:"Text of the line or word." example:"Harbour master"`
	X      float64 `json:"x" minimum:"0" maximum:"1" doc:"Left edge." example:"0.12"`
	Y      float64 `json:"y" minimum:"0" maximum:"1" doc:"Top edge." example:"0.08"`
	Width  float64 `json:"width" minimum:"0" maximum:"1" doc:"Width." example:"0.31"`
	Height float64 `json:"height" minimum:"0" maximum:"1" doc:"Height." example:"0.02"`
}

func (s *Server) showPage(ctx context.Context, in *pageInput) (*oneOutput[AssetPage], error) {
	p, err := s.app.Uploads.PageText(ctx, requestOf(ctx).actor, in.GAID, in.Page)
	if err != nil {
		return nil, err
	}
	lines := mapped(p.Lines, func(l ingest.PageLine) PageLine { return PageLine(l) })
	words := mapped(p.Words, func(w dam.RecognizedWord) PageWord {
		return PageWord{PageLine{w.Text, w.X, w.Y, w.Width, w.Height}, w.Line, w.Confidence}
	})
	return &oneOutput[AssetPage]{one[AssetPage]{AssetPage{p.Page, p.Pages, p.Width, p.Height, lines, words}}}, nil
}
