package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media/planar"
)

// Encodes reports whether pictures can be encoded in a format.
func (p *Processor) Encodes(f dam.PictureFormat) bool {
	return f == dam.PictureJPEG || f == dam.PicturePNG || p.engines.Has(encoder)
}

// encoder is the engine for formats that Go cannot encode.
const encoder = "magick"

// Transform renders a picture of a file. The dimensions in seen are those of the picture, 0
// if unknown; the focal point may be nil. The name may be any that matches the type. The
// error may be ErrNoEngine or ErrNoPicture.
func (p *Processor) Transform(
	ctx context.Context, r io.ReaderAt, size int64, filename string, t dam.Transform, seen dam.Seen,
) (data []byte, err error) {
	s := source{ctx: ctx, file: r, size: size, name: filename}
	err = p.read(s, func(s source, f format, h header) error {
		if f.paged && f.engine != nil {
			s.page = 1 // without metadata of the whole file
		}
		if f.scales || seen.Width < 1 || seen.Height < 1 {
			seen.Width, seen.Height = 0, 0
		}
		s.longest = t.Longest(seen)
		pic, _, err := p.picture(s, f, h)
		if err != nil {
			return err
		}
		planes := pic.planes.Fit(s.longest, 0)
		c := t.Crop(planes.Y.W, planes.Y.H, seen.Focal)
		planes = planes.Fit(c.Longest, 0)
		if c.Width > 0 {
			planes = planes.Crop(image.Rect(c.X, c.Y, c.X+c.Width, c.Y+c.Height))
		}
		data, err = p.encode(s, planes, t)
		return err
	})
	return data, err
}

// encode encodes a picture.
func (p *Processor) encode(s source, planes *planar.Picture, t dam.Transform) ([]byte, error) {
	switch t.Format {
	case dam.PictureJPEG:
		return planes.Encode(t.Quality), s.ctx.Err()
	case dam.PicturePNG:
		var out bytes.Buffer
		err := png.Encode(&out, planes.RGBA())
		return out.Bytes(), err
	}
	if !p.Encodes(t.Format) {
		return nil, &readError{fmt.Errorf("%s: %w", encoder, ErrNoEngine)}
	}
	raw := rawPicture(planes.RGBA())
	look, err := p.engines.Look(s.ctx, engine.Job{
		Engine: encoder, Format: "PPM", Side: dam.MaxTransformSide, Pixels: dam.MaxTransformPixels, Bytes: int64(len(raw)),
		Write: string(t.Format), Quality: t.Quality,
	}, bytes.NewReader(raw), s.limits.Timeout)
	if err != nil {
		return nil, &readError{err} // not a fault of the file
	}
	return look.Still, nil
}

// rawPicture encodes a picture as a portable pixmap
// (https://netpbm.sourceforge.net/doc/ppm.html).
func rawPicture(m *image.RGBA) []byte {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := append(make([]byte, 0, 3*w*h+32), fmt.Sprintf("P6 %d %d 255\n", w, h)...)
	for y := range h {
		for row := m.Pix[y*m.Stride:][:4*w]; len(row) > 0; row = row[4:] {
			out = append(out, row[:3]...)
		}
	}
	return out
}
