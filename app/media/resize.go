package media

import (
	"image"
	"image/draw"
)

// reduce returns an opaque copy of a picture, on white. If the picture is larger than size,
// the copy's longest side is at least size and less than twice that: each pixel is the mean
// of a block of pixels, a square unless the picture is thinner than that. It never
// allocates a second full-size picture.
func reduce(img image.Image, size int) *image.RGBA {
	b := img.Bounds()
	f := max(1, max(b.Dx(), b.Dy())/size)
	bw, bh := min(f, b.Dx()), min(f, b.Dy())
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/bw, b.Dy()/bh))
	w, h := out.Rect.Dx(), out.Rect.Dy()
	strip := image.NewRGBA(image.Rect(0, 0, w*bw, bh))
	n := uint32(bw * bh)
	sums := make([]uint32, 3*w)
	for oy := range h {
		draw.Draw(strip, strip.Rect, img, image.Pt(b.Min.X, b.Min.Y+oy*bh), draw.Src)
		clear(sums)
		for y := range bh {
			row := strip.Pix[y*strip.Stride:]
			for ox := range w {
				s := sums[3*ox : 3*ox+3 : 3*ox+3]
				for p := row[4*ox*bw : 4*(ox+1)*bw]; len(p) >= 4; p = p[4:] {
					white := uint32(255 - p[3]) // colours are premultiplied
					s[0] += uint32(p[0]) + white
					s[1] += uint32(p[1]) + white
					s[2] += uint32(p[2]) + white
				}
			}
		}
		row := out.Pix[oy*out.Stride:]
		for ox := range w {
			p, s := row[4*ox:4*ox+4:4*ox+4], sums[3*ox:3*ox+3]
			p[0], p[1], p[2], p[3] = uint8((s[0]+n/2)/n), uint8((s[1]+n/2)/n), uint8((s[2]+n/2)/n), 255
		}
	}
	return out
}

// turned reports whether an orientation swaps width and height.
func turned(orientation int) bool { return orientation >= 5 }
