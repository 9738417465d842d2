package planar

import "image"

// Part returns a part of the picture scaled to w × h pixels, regardless of its proportions,
// in 4:2:0. The part must be within the picture. Pixels next to it contribute at its edges.
func (p *Picture) Part(r image.Rectangle, w, h int) *Picture {
	return p.scaled(w, h, float64(r.Dx())/float64(w), float64(r.Dy())/float64(h), float64(r.Min.X), float64(r.Min.Y))
}

// Halve returns the picture at half its size, rounded up: each pixel is computed from two
// by two pixels, counted from the top left.
func (p *Picture) Halve() *Picture { return p.scaled((p.Y.W+1)/2, (p.Y.H+1)/2, 2, 2, 0, 0) }

// scaled returns w × h pixels, each covering sx × sy pixels of the picture, starting at a
// point.
func (p *Picture) scaled(w, h int, sx, sy, x, y float64) *Picture {
	out := &Picture{Y: newScaler(p.Y, axis{w, sx, x / sx}, axis{h, sy, y / sy}).scale(p.Y), across: 2, down: 2}
	if p.grey() {
		return out
	}
	s := newScaler(p.Cb,
		axis{(w + 1) / 2, 2 * sx / float64(p.across), x / (2 * sx)}, axis{(h + 1) / 2, 2 * sy / float64(p.down), y / (2 * sy)})
	out.Cb, out.Cr = s.scale(p.Cb), s.scale(p.Cr)
	return out
}

// New returns an empty picture in 4:2:0 to be filled with Put.
func New(w, h int, grey bool) *Picture {
	p := &Picture{Y: newPlane(w, h), across: 2, down: 2}
	if !grey {
		p.Cb, p.Cr = newPlane((w+1)/2, (h+1)/2), newPlane((w+1)/2, (h+1)/2)
	}
	return p
}

// Put copies a picture in 4:2:0 to an even position of one returned by New. It reports
// whether the two are compatible.
func (p *Picture) Put(x, y int, from *Picture) bool {
	if x%2 != 0 || y%2 != 0 || x+from.Y.W > p.Y.W || y+from.Y.H > p.Y.H || from.grey() != p.grey() {
		return false
	}
	if !p.grey() && (from.across != 2 || from.down != 2) {
		return false
	}
	copyPlane(p.Y, x, y, from.Y)
	if !p.grey() {
		copyPlane(p.Cb, x/2, y/2, from.Cb)
		copyPlane(p.Cr, x/2, y/2, from.Cr)
	}
	return true
}

func copyPlane(to Plane, x, y int, from Plane) {
	for i := range from.H {
		copy(to.row(y + i)[x:], from.row(i))
	}
}

// Grey returns the picture without its colours.
func (p *Picture) Grey() *Picture { return &Picture{Y: p.Y, across: 2, down: 2} }

// Bitonal returns the picture in black and white.
func (p *Picture) Bitonal() *Picture {
	out := New(p.Y.W, p.Y.H, true)
	for y := range out.Y.H {
		to := out.Y.row(y)
		for x, v := range p.Y.row(y) {
			if v >= 128 {
				to[x] = 255
			}
		}
	}
	return out
}

// IsGrey reports whether the picture has no colours.
func (p *Picture) IsGrey() bool { return p.grey() }
