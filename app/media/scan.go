package media

import (
	"context"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

// A Scan is a page of a file as the words in it are read: the brightness of its pixels, upright.
type Scan struct {
	Pixels        []byte // row by row
	Width, Height int
	Text          bool // whether the file itself has text on the page
	Likely        bool // whether it looks as if there were words
}

// Scannable reports whether words can be read in the picture of files of a MIME type. Drawings
// have their words as text, and pictures of documents other than PDF show just their beginning.
func Scannable(mime string) bool {
	f, ok := formatOf(mime)
	return ok && (f.Category == dam.CategoryImage && !f.scales || f.paged) && (f.decode != nil || f.engine != nil)
}

// Scan makes a picture of a page, from 1, of a file that has pages, or of a file without, whose
// longest side has so many pixels at most. Nobody waits for it: engines do it in the background.
// The error may be ErrNoPage, ErrNoEngine or ErrNoPicture.
func (p *Processor) Scan(ctx context.Context, r io.ReaderAt, size int64, filename string, page, side int) (*Scan, error) {
	out := &Scan{}
	s := source{ctx: ctx, file: r, size: size, name: filename, longest: side, background: true}
	err := p.read(s, func(s source, f format, h header) error {
		if f.paged {
			s.page = page
		}
		if page < 1 || page > 1 && !f.paged || f.paged && f.engine == nil && page > max(h.pages, 1) {
			return &readError{ErrNoPage}
		}
		pic, look, err := p.picture(s, f, h)
		if err != nil {
			return err
		}
		y := pic.planes.Fit(side, 0).Y
		out.Width, out.Height = y.W, y.H
		out.Pixels = make([]byte, 0, y.W*y.H)
		for row := range y.H {
			out.Pixels = append(out.Pixels, y.Pix[row*y.Stride:][:y.W]...)
		}
		out.Text = look != nil && len(look.Lines) > 0
		small := pic.planes.Fit(likelySide, 0).Y
		out.Likely = likelyText(small.Pix, small.W, small.H, small.Stride)
		return s.ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
