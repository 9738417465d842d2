package media

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	fixedpoint "golang.org/x/image/math/fixed"

	"github.com/digital-asset-library/dal/app/media/planar"
)

// markFont is the font of watermarks: Go Bold, which covers the Latin, Greek and Cyrillic
// scripts.
var markFont = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gobold.TTF) })

// CanMark reports whether a text can be drawn; if not, it returns the first character that
// cannot.
func CanMark(text string) (rune, bool) {
	f, err := markFont()
	if err != nil {
		return 0, false
	}
	var b sfnt.Buffer
	for _, r := range text {
		if i, err := f.GlyphIndex(&b, r); err != nil || i == 0 {
			return r, false
		}
	}
	return 0, true
}

// A Mark is a watermark: a text or a logo that is drawn on a picture.
type Mark struct {
	Text    string       // must pass CanMark
	Logo    *image.NRGBA // instead of a text
	LogoID  string       // identifies the logo
	Corner  bool         // draw once in the corner instead of all over the picture
	Opacity int          // percent, 1 to 100
	Quality int          // JPEG quality
}

// Marked returns a JPEG, upright and in sRGB like renditions, scaled down to a longest
// side, with the watermark if it has a text or a logo.
func Marked(data []byte, side int, m Mark) ([]byte, error) {
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	planes, ok := planar.Of(img)
	if !ok {
		return nil, errors.New("a rendition is not in Y'CbCr")
	}
	planes = planes.Fit(side, 0)
	if m.Text != "" || m.Logo != nil {
		pixels := planes.RGBA()
		if err := m.draw(pixels); err != nil {
			return nil, err
		}
		planes = planar.OfRGBA(pixels).Fit(side, 0)
	}
	return planes.Encode(m.Quality), nil
}

// The style of a watermark: white letters with a black outline, visible on light and dark,
// in rows that rise to the right.
const (
	markRise    = -math.Pi / 7
	markRows    = 18   // letter heights in the longest side
	minMarkSize = 10.0 // pixels
	maxMarkSize = 160.0
	markGap     = 1.6 // between texts and between rows, in letter heights
)

// draw draws the watermark all over a picture, with one copy centred.
func (m Mark) draw(img *image.RGBA) error {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	size := min(max(float64(max(w, h))/markRows, minMarkSize), maxMarkSize)
	if m.Corner {
		return m.inCorner(img, size)
	}
	tile, err := m.tile(size)
	if err != nil {
		return err
	}
	sin, cos := math.Sincos(markRise)
	tw, th := tile.Rect.Dx(), tile.Rect.Dy()
	for y := range h {
		row := img.Pix[y*img.Stride:][:4*w]
		for x := range w {
			dx, dy := float64(x)-float64(w)/2, float64(y)-float64(h)/2
			u, v := dx*cos+dy*sin+float64(tw)/2, -dx*sin+dy*cos+float64(th)/2
			line := math.Floor(v / float64(th))
			if int(line)%2 != 0 {
				u += float64(tw) / 2
			}
			tx, ty := int(math.Floor(u))%tw, int(math.Floor(v))%th
			if tx < 0 {
				tx += tw
			}
			if ty < 0 {
				ty += th
			}
			over(row[4*x:4*x+4:4*x+4], tile.Pix[ty*tile.Stride+4*tx:], m.Opacity)
		}
	}
	return nil
}

// over composites a pixel with straight alpha over an opaque one.
func over(dst, src []byte, percent int) {
	a := int(src[3]) * percent / 100
	for i := range 3 {
		dst[i] = byte((int(dst[i])*(255-a) + int(src[i])*a) / 255)
	}
}

// tile draws the text or the logo once, in the centre of the repeated tile.
func (m Mark) tile(size float64) (*image.NRGBA, error) {
	if m.Logo != nil {
		return m.logoTile(size), nil
	}
	f, err := markFont()
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return nil, err
	}
	defer face.Close()
	gap := int(math.Ceil(size * markGap))
	w, h := font.MeasureString(face, m.Text).Ceil()+gap, int(math.Ceil(size))+gap
	left, base := float64(gap)/2, float64(h)/2+size*0.35
	fill, rim := image.NewAlpha(image.Rect(0, 0, w, h)), image.NewAlpha(image.Rect(0, 0, w, h))
	write := func(dst *image.Alpha, dx, dy float64) {
		dot := fixedpoint.Point26_6{X: fixedpoint.Int26_6((left + dx) * 64), Y: fixedpoint.Int26_6((base + dy) * 64)}
		d := font.Drawer{Dst: dst, Src: image.Opaque, Face: face, Dot: dot}
		d.DrawString(m.Text)
	}
	for i := range rimSteps {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / rimSteps)
		write(rim, cos*size/rimPart, sin*size/rimPart)
	}
	write(fill, 0, 0)
	out := image.NewNRGBA(fill.Rect)
	for i, f := range fill.Pix { // both have a stride of w
		copy(out.Pix[4*i:], []byte{f, f, f, max(f, rim.Pix[i])})
	}
	return out, nil
}

// The outline is the text drawn rimSteps times in a circle around it, whose radius is
// 1/rimPart of the letter height.
const (
	rimSteps = 16
	rimPart  = 12
)
