package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"github.com/digital-asset-library/dal/app/dam"
)

// logoSide is the longest side of a logo, in pixels.
const logoSide = 1024

// LogoTypes returns the MIME types from which a logo can be made.
func LogoTypes() []string { return []string{"image/png", "image/jpeg", "image/webp", "image/svg+xml"} }

// ErrNoLogo is returned for a file type from which no logo can be made.
var ErrNoLogo = errors.New("no logo is made of files of this type")

// Logo converts a picture to a PNG of at most 1024 × 1024 pixels. It preserves transparency
// and nothing else that the file contains. The error may be ErrNoEngine or ErrNoLogo.
func (p *Processor) Logo(ctx context.Context, r io.ReaderAt, size int64) (l *dam.Logo, err error) {
	err = p.read(source{ctx: ctx, file: r, size: size, longest: logoSide}, func(s source, f format, _ header) error {
		if !slices.Contains(LogoTypes(), f.MIME) {
			return &readError{ErrNoLogo}
		}
		img, err := p.logo(s, f)
		if err != nil {
			return err
		}
		small := fitted(img, logoSide)
		var b bytes.Buffer
		if err := png.Encode(&b, small); err != nil {
			return err
		}
		l = &dam.Logo{PNG: b.Bytes(), Width: small.Rect.Dx(), Height: small.Rect.Dy()}
		return s.ctx.Err()
	})
	return l, err
}

func (p *Processor) logo(s source, f format) (img image.Image, err error) {
	if f.engine != nil {
		look, err := p.look(s, f)
		switch {
		case err != nil:
			return nil, err
		case look == nil:
			return nil, &readError{ErrNoEngine}
		case look.Picture == nil:
			return nil, corrupt("There is nothing to see of the picture.")
		}
		return look.Picture, nil
	}
	switch f.MIME {
	case "image/png":
		img, err = png.Decode(s.buffered())
	case "image/webp":
		img, err = webp.Decode(s.buffered())
	default:
		img, err = jpeg.Decode(s.buffered())
	}
	if err != nil && s.ctx.Err() == nil {
		err = corrupt("The picture is damaged.")
	}
	return img, err
}

// fitted returns a picture scaled down to a longest side, if it is larger.
func fitted(img image.Image, side int) *image.NRGBA {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(out, out.Rect, img, b, draw.Src, nil)
	return out
}
