// Package planar makes renditions of pictures without leaving Y'CbCr: each plane is scaled
// separately with integer arithmetic, and the encoder takes planes as input.
//
// A rendition has the same bytes on every machine. The kernels accelerated by AVX2 have an
// equivalent version in Go that computes the same numbers; the build tag purego disables
// the assembly.
package planar

import "image"

// Plane is one channel of a picture. Pictures may share planes, so finished planes are
// never modified.
type Plane struct {
	Pix          []byte
	W, H, Stride int
}

func newPlane(w, h int) Plane { return Plane{make([]byte, w*h), w, h, w} }

func (p Plane) row(y int) []byte { return p.Pix[y*p.Stride:][:p.W] }

// Picture is a full-range Y'CbCr picture (JFIF 1.02). Cb and Cr are empty in a grey
// picture.
type Picture struct {
	Y, Cb, Cr    Plane
	across, down int // samples of Y per sample of Cb or Cr
}

// grey reports whether the picture has no colours.
func (p *Picture) grey() bool { return len(p.Cb.Pix) == 0 }

// Of returns the planes of a decoded picture without copying them. It reports false for a
// picture that is neither Y'CbCr nor grey.
func Of(img image.Image) (*Picture, bool) {
	switch m := img.(type) {
	case *image.Gray:
		return &Picture{Y: Plane{m.Pix, m.Rect.Dx(), m.Rect.Dy(), m.Stride}, across: 1, down: 1}, true
	case *image.YCbCr:
		across, down := sampling(m.SubsampleRatio)
		if across == 0 || m.Rect.Min.X%across != 0 || m.Rect.Min.Y%down != 0 {
			return nil, false
		}
		w, h := m.Rect.Dx(), m.Rect.Dy()
		y, c := m.YOffset(m.Rect.Min.X, m.Rect.Min.Y), m.COffset(m.Rect.Min.X, m.Rect.Min.Y)
		cw, ch := (w+across-1)/across, (h+down-1)/down
		return &Picture{
			Plane{m.Y[y:], w, h, m.YStride}, Plane{m.Cb[c:], cw, ch, m.CStride}, Plane{m.Cr[c:], cw, ch, m.CStride}, across, down,
		}, true
	}
	return nil, false
}

func sampling(r image.YCbCrSubsampleRatio) (across, down int) {
	switch r {
	case image.YCbCrSubsampleRatio444:
		return 1, 1
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 0, 0
}

// Fit returns the picture in 4:2:0, scaled to a longest side of at most size and rotated
// according to its EXIF orientation. Planes that need no change are shared; a picture that
// needs none is returned itself.
func (p *Picture) Fit(size, orientation int) *Picture {
	w, h := fitted(p.Y.W, p.Y.H, size)
	t := turnOf(orientation)
	if w == p.Y.W && h == p.Y.H && t == (turn{}) && (p.grey() || p.across == 2 && p.down == 2) {
		return p
	}
	sx, sy := float64(p.Y.W)/float64(w), float64(p.Y.H)/float64(h)
	out := &Picture{Y: newScaler(p.Y, axis{w, sx, 0}, axis{h, sy, 0}).scale(p.Y), across: 2, down: 2}
	if !p.grey() {
		// A chroma sample covers two pixels in each direction. The scale is that of the whole
		// picture, so that colours do not drift if a side is odd.
		x := axis{(w + 1) / 2, 2 * sx / float64(p.across), pairing(w, t.leftRight)}
		y := axis{(h + 1) / 2, 2 * sy / float64(p.down), pairing(h, t.topDown)}
		s := newScaler(p.Cb, x, y)
		out.Cb, out.Cr = s.scale(p.Cb), s.scale(p.Cr)
	}
	return out.turned(t)
}

// pairing returns the shift of chroma samples, in samples, that makes them cover pixels in
// pairs from the far end if a side is odd and will be mirrored.
func pairing(side int, mirrored bool) float64 {
	if mirrored && side%2 == 1 {
		return -0.5
	}
	return 0
}

// fitted returns the sides of a picture, reduced so that neither exceeds size.
func fitted(w, h, size int) (int, int) {
	if long := max(w, h); long > size {
		w, h = max(1, (w*size+long/2)/long), max(1, (h*size+long/2)/long)
	}
	return w, h
}

// Brightness returns the brightness of the picture scaled to w × h pixels, regardless of
// its proportions.
func (p *Picture) Brightness(w, h int) []byte {
	x, y := axis{w, float64(p.Y.W) / float64(w), 0}, axis{h, float64(p.Y.H) / float64(h), 0}
	return newScaler(p.Y, x, y).scale(p.Y).packed()
}

// packed returns the pixels of a plane without gaps.
func (p Plane) packed() []byte {
	if p.Stride == p.W {
		return p.Pix[:p.W*p.H]
	}
	out := make([]byte, 0, p.W*p.H)
	for y := range p.H {
		out = append(out, p.row(y)...)
	}
	return out
}

// Crop returns a part of the picture, which shares its planes. The left and top edges are
// aligned to chroma samples, and the part has at least one pixel.
func (p *Picture) Crop(r image.Rectangle) *Picture {
	r = r.Intersect(image.Rect(0, 0, p.Y.W, p.Y.H))
	x, y := r.Min.X/p.across*p.across, r.Min.Y/p.down*p.down
	x, y = min(x, (p.Y.W-1)/p.across*p.across), min(y, (p.Y.H-1)/p.down*p.down)
	w, h := min(max(r.Dx(), 1), p.Y.W-x), min(max(r.Dy(), 1), p.Y.H-y)
	out := &Picture{Y: p.Y.part(x, y, w, h), across: p.across, down: p.down}
	if !p.grey() {
		cw, ch := (w+p.across-1)/p.across, (h+p.down-1)/p.down
		out.Cb, out.Cr = p.Cb.part(x/p.across, y/p.down, cw, ch), p.Cr.part(x/p.across, y/p.down, cw, ch)
	}
	return out
}

func (p Plane) part(x, y, w, h int) Plane { return Plane{p.Pix[y*p.Stride+x:], w, h, p.Stride} }
