package media

import (
	"context"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

// A Scan is a page of a file prepared for text recognition: the brightness of its pixels,
// upright.
type Scan struct {
	Pixels        []byte // row by row
	Width, Height int
	Text          bool // the file contains the text of the page
	Likely        bool // the page probably contains text
}

// Scannable reports whether text can be recognized in files of a MIME type. Vector graphics
// contain their text as such, and the pictures of documents other than PDF show only their
// beginning.
func Scannable(mime string) bool {
	f, ok := formatOf(mime)
	return ok && (f.Category == dam.CategoryImage && !f.scales || f.paged) && (f.decode != nil || f.engine != nil)
}

// Scan renders a page, starting at 1, scaled so that its longest side has at most the given
// number of pixels; files without pages have only page 1. Engines run it at background priority.
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
