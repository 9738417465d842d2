package media

import (
	"bytes"
	"image"
	"image/png"
	"math"

	"golang.org/x/image/draw"
)

// The style of a logo in a watermark: a white outline surrounded by a black one, visible on
// dark and light.
const (
	logoHeight   = 2.2  // in letter heights
	logoWidth    = 9.0  // maximum, in letter heights
	cornerHeight = 1.5  // scale of a watermark in the corner
	cornerWidth  = 0.45 // maximum share of the picture's width
	logoRim      = 10   // outline width: 1/logoRim of a letter height
)

// DecodeLogo decodes a PNG that Logo made.
func DecodeLogo(data []byte) (*image.NRGBA, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return fitted(img, logoSide), nil
}

// logoTile draws the logo once, in the centre of the repeated tile.
func (m Mark) logoTile(size float64) *image.NRGBA {
	b := m.Logo.Rect
	scale := min(size*logoHeight/float64(b.Dy()), size*logoWidth/float64(b.Dx()))
	w, h := max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))
	rim := max(1, size/logoRim)
	gap := int(math.Ceil(size*markGap + 4*rim))
	out := image.NewNRGBA(image.Rect(0, 0, w+gap, h+gap))
	small := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(small, small.Rect, m.Logo, b, draw.Src, nil)
	at := image.Pt(gap/2, gap/2)
	ring(out, small, at, 2*rim, 0)
	ring(out, small, at, rim, 255)
	draw.Draw(out, small.Rect.Add(at), small, image.Point{}, draw.Over)
	return out
}

// ring draws the shape of a picture in a single grey, expanded by rim on each side.
func ring(dst, src *image.NRGBA, at image.Point, rim float64, grey byte) {
	for i := range rimSteps {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / rimSteps)
		dx, dy := at.X+int(math.Round(cos*rim)), at.Y+int(math.Round(sin*rim))
		for y := range src.Rect.Dy() {
			for x := range src.Rect.Dx() {
				a := src.Pix[y*src.Stride+4*x+3]
				to := image.Pt(x+dx, y+dy)
				if a == 0 || !to.In(dst.Rect) {
					continue
				}
				p := dst.Pix[to.Y*dst.Stride+4*to.X:][:4:4]
				p[0], p[1], p[2], p[3] = grey, grey, grey, max(p[3], a)
			}
		}
	}
}

// inCorner draws the watermark once, at the lower right of a picture.
func (m Mark) inCorner(img *image.RGBA, size float64) error {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	tile, err := m.tile(size * cornerHeight)
	if err != nil {
		return err
	}
	if most := float64(w) * cornerWidth; float64(tile.Rect.Dx()) > most {
		small := fittedTo(tile, most/float64(tile.Rect.Dx()))
		tile = small
	}
	left, top := max(0, w-tile.Rect.Dx()), max(0, h-tile.Rect.Dy())
	for y := range min(h, tile.Rect.Dy()) {
		row := img.Pix[(top+y)*img.Stride:]
		for x := range min(w, tile.Rect.Dx()) {
			over(row[4*(left+x):4*(left+x)+4:4*(left+x)+4], tile.Pix[y*tile.Stride+4*x:], m.Opacity)
		}
	}
	return nil
}

func fittedTo(img *image.NRGBA, scale float64) *image.NRGBA {
	b := img.Rect
	out := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))))
	draw.CatmullRom.Scale(out, out.Rect, img, b, draw.Src, nil)
	return out
}
