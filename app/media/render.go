package media

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
)

// ErrNoPage is returned for a page that a file does not have.
var ErrNoPage = errors.New("the file has no such page")

// ErrNoEngine is returned while the engine that reads a file is switched off or missing.
var ErrNoEngine = errors.New("the engine that reads the file is switched off or missing")

// ErrNoPicture is returned for a readable file that has no picture.
var ErrNoPicture = errors.New("there is nothing to see of the file")

// Paged reports whether the pages of files of a MIME type can be drawn.
func Paged(mime string) bool {
	f, ok := formatOf(mime)
	return ok && f.paged
}

// Scales reports whether files of a MIME type can be drawn at any size.
func Scales(mime string) bool {
	f, ok := formatOf(mime)
	return ok && f.scales
}

// Render makes one rendition of a file with a picture. The name may be any that matches the
// type. The error may be ErrNoEngine or ErrNoPicture.
func (p *Processor) Render(
	ctx context.Context, r io.ReaderAt, size int64, filename string, kind dam.Rendition,
) (data []byte, err error) {
	spec, ok := kind.Spec()
	if !ok {
		return nil, fmt.Errorf("there is no rendition %q", kind)
	}
	s := source{ctx: ctx, file: r, size: size, name: filename}
	if !kind.Stands() {
		s.longest = spec.Size
	}
	err = p.read(s, func(s source, f format, h header) error {
		if f.paged && f.engine != nil {
			s.page = 1 // without metadata of the whole file
		}
		pic, _, err := p.picture(s, f, h)
		if err != nil {
			return err
		}
		if !kind.Stands() {
			data = pic.planes.Fit(spec.Size, 0).Encode(spec.Quality)
			return s.ctx.Err()
		}
		for r, planes := range pic.renditions() {
			if r.Name == kind {
				data = planes.Encode(r.Quality)
			}
		}
		return s.ctx.Err()
	})
	return data, err
}

// Page is a page of a file.
type Page struct {
	Picture       []byte // a JPEG
	Width, Height int    // of the page, in pixels, or in points for a document
	Lines         []engine.Line
}

// Page renders a page, starting at 1, of a file with pages. The error may be ErrNoPage,
// ErrNoEngine or ErrNoPicture.
func (p *Processor) Page(ctx context.Context, r io.ReaderAt, size int64, filename string, page int) (*Page, error) {
	spec, _ := dam.RenditionPage.Spec()
	out := &Page{}
	s := source{ctx: ctx, file: r, size: size, name: filename, longest: spec.Size, page: page}
	err := p.read(s, func(s source, f format, h header) error {
		if !f.paged || page < 1 || f.engine == nil && page > h.pages {
			return &readError{ErrNoPage}
		}
		pic, look, err := p.picture(s, f, h)
		if err != nil {
			return err
		}
		out.Picture = pic.planes.Fit(spec.Size, 0).Encode(spec.Quality)
		out.Width, out.Height = h.width, h.height
		if f.turn != nil && turned(f.turn(s)) {
			out.Width, out.Height = h.height, h.width
		}
		if look != nil {
			out.Width, out.Height, out.Lines = look.Width, look.Height, look.Lines
		}
		return s.ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// picture returns the picture of a file, and the result of the engine, if one was used.
func (p *Processor) picture(s source, f format, h header) (pic picture, look *engine.Look, err error) {
	switch {
	case f.engine != nil:
		look, err := p.look(s, f)
		switch {
		case err != nil:
			return pic, nil, err
		case look == nil:
			return pic, nil, &readError{fmt.Errorf("%s: %w", f.engine.name, ErrNoEngine)}
		case s.page > max(look.Pages, 1):
			return pic, nil, &readError{ErrNoPage}
		case look.Picture == nil:
			return pic, nil, &readError{fmt.Errorf("%w: %s", ErrNoPicture, look.Note)}
		}
		pic, _ = lookedAt(look, s.side())
		return pic, look, nil
	case f.decode == nil, h.unseen != "":
		return pic, nil, &readError{ErrNoPicture}
	case s.page > 0 && f.turn != nil:
		pic, _, err = decodePicture(s, f, h, f.turn(s))
	default:
		pic, _, err = decodePicture(s, f, h, readMetadata(s, f).orientation)
	}
	return pic, nil, err
}
