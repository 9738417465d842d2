package ingest

import (
	"context"
	"fmt"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// PageText is the text of a page of a file, or of a picture.
type PageText struct {
	Page, Pages   int
	Width, Height int // of the page: in pixels, or in points for documents
	Lines         []PageLine
	Words         []dam.RecognizedWord // recognized words; none if the page has embedded text
}

// PageLine is a piece of a page's text with its position.
type PageLine = engine.Line

// PageText returns the text of a page of a file, counted from 1. A picture has only page 1.
func (ups *Uploads) PageText(ctx context.Context, actor dam.Actor, gaid dam.GAID, page int) (*PageText, error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, err
	}
	asset, err := ups.Assets.FileAsset(ctx, gaid, actor.May(dam.AssetsDelete))
	if err != nil {
		return nil, err
	}
	read, err := ups.recognizedPage(ctx, asset, page)
	if err != nil {
		return nil, err
	}
	if !media.Paged(asset.MIMEType) && media.Scannable(asset.MIMEType) && asset.HasPicture() {
		if page != 1 {
			return nil, render.NoPage(asset, page)
		}
		return recognizedText(&PageText{Page: 1, Pages: 1, Width: asset.Width, Height: asset.Height}, read), nil
	}
	p, err := ups.Renditions.Pick(ctx, asset, dam.RenditionPage, page)
	if err != nil {
		return nil, err
	}
	text, err := ups.Renditions.Text(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("read page %d of asset %s: %w", page, gaid, err)
	}
	t := &PageText{Page: p.Page, Pages: max(asset.PageCount, 1), Width: text.Width, Height: text.Height, Lines: text.Lines}
	if len(text.Lines) > 0 {
		return t, nil
	}
	return recognizedText(t, read), nil
}

// recognizedPage returns the recognized text of a page, nil for none.
func (ups *Uploads) recognizedPage(ctx context.Context, asset *dam.Asset, page int) (found *dam.RecognizedPage, err error) {
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		r, err := tx.Recognized(asset)
		if err != nil || r == nil {
			return err
		}
		for i := range r.Pages {
			if r.Pages[i].Page == page {
				found = &r.Pages[i]
			}
		}
		return nil
	})
	return found, err
}

// recognizedText adds the recognized text to a page.
func recognizedText(t *PageText, read *dam.RecognizedPage) *PageText {
	if read == nil {
		return t
	}
	t.Words = read.Words
	for i, w := range read.Words {
		if i == 0 || w.Line != read.Words[i-1].Line {
			t.Lines = append(t.Lines, PageLine{Text: w.Text, X: w.X, Y: w.Y, Width: w.Width, Height: w.Height})
			continue
		}
		l := &t.Lines[len(t.Lines)-1]
		right, bottom := max(l.X+l.Width, w.X+w.Width), max(l.Y+l.Height, w.Y+w.Height)
		l.Text += " " + w.Text
		l.X, l.Y = min(l.X, w.X), min(l.Y, w.Y)
		l.Width, l.Height = right-l.X, bottom-l.Y
	}
	return t
}
