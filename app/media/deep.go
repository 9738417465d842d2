package media

import (
	"image"
	"sync"
)

// sRGBBytes tabulates sRGBByte over the square root of light in equal steps, which gives
// enough precision in the shadows.
var sRGBBytes = sync.OnceValue(func() *[1 << 13]uint8 {
	t := new([1 << 13]uint8)
	for i := range t {
		root := float64(i) / float64(len(t)-1)
		t[i] = sRGBByte(root * root)
	}
	return t
})

// raster is a picture of 16-bit samples: grey, RGB or CMYK.
type raster struct {
	w, h, n int
	pix     []uint16
}

// isDeep reports whether 8-bit RGBA would lose information of a picture.
func isDeep(img image.Image) bool {
	switch img.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64, *image.CMYK:
		return true
	}
	return false
}

// reduceDeep is reduce for deep pictures.
func reduceDeep(img image.Image, size int) raster {
	b := img.Bounds()
	f := max(1, max(b.Dx(), b.Dy())/size)
	bw, bh := min(f, b.Dx()), min(f, b.Dy())
	out := raster{w: b.Dx() / bw, h: b.Dy() / bh, n: 3}
	switch img.(type) {
	case *image.Gray16:
		out.n = 1
	case *image.CMYK:
		out.n = 4
	}
	out.pix = make([]uint16, out.w*out.h*out.n)
	sums := make([]uint64, out.w*out.n)
	n := uint64(bw * bh)
	for y := range out.h {
		clear(sums)
		for dy := range bh {
			addRow(sums, img, y*bh+dy, bw, out.w)
		}
		for i, s := range sums {
			out.pix[y*out.w*out.n+i] = uint16((s + n/2) / n)
		}
	}
	return out
}

// addRow adds each run of across pixels in a row to its sum, composited on white.
func addRow(sums []uint64, img image.Image, y, across, w int) {
	at := func(p []byte, i int) uint64 { return uint64(p[i])<<8 | uint64(p[i+1]) }
	switch m := img.(type) {
	case *image.Gray16:
		row := m.Pix[y*m.Stride:]
		for x := range w * across {
			sums[x/across] += at(row, 2*x)
		}
	case *image.CMYK:
		row := m.Pix[y*m.Stride:]
		for x := range w * across {
			for k := range 4 {
				sums[x/across*4+k] += uint64(row[4*x+k]) * 257
			}
		}
	case *image.RGBA64:
		row := m.Pix[y*m.Stride:]
		for x := range w * across {
			white := 65535 - at(row, 8*x+6)
			for k := range 3 {
				sums[x/across*3+k] += min(65535, at(row, 8*x+2*k)+white)
			}
		}
	case *image.NRGBA64:
		row := m.Pix[y*m.Stride:]
		for x := range w * across {
			a := at(row, 8*x+6)
			for k := range 3 {
				sums[x/across*3+k] += (at(row, 8*x+2*k)*a+32767)/65535 + 65535 - a
			}
		}
	}
}

// toRGBA converts the picture to sRGB: with its profile if that applies to such samples,
// otherwise without colour management.
func (p raster) toRGBA(c colors) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, p.w, p.h))
	one := p.pixel(c)
	var r, g, b uint8
	var last []uint16
	for i := 0; i < len(p.pix); i += p.n {
		px := p.pix[i : i+p.n]
		if last == nil || !same(px, last) {
			r, g, b = one(px)
			last = px
		}
		to := out.Pix[i/p.n*4:]
		to[0], to[1], to[2], to[3] = r, g, b, 255
	}
	return out
}

func same(a, b []uint16) bool {
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return true
}

// pixel returns a function that converts one pixel to sRGB.
func (p raster) pixel(c colors) func([]uint16) (r, g, b uint8) {
	eight := func(v uint16) uint8 { return uint8((uint32(v)*255 + 32767) / 65535) }
	switch {
	case c.space != nil && p.n == 1:
		return func(px []uint16) (r, g, b uint8) { return c.space.RGB(px[0]>>4, px[0]>>4, px[0]>>4) }
	case c.space != nil && p.n == 3:
		return func(px []uint16) (r, g, b uint8) { return c.space.RGB(px[0]>>4, px[1]>>4, px[2]>>4) }
	case c.table != nil && c.table.inputs == p.n:
		return func(px []uint16) (r, g, b uint8) {
			var in [4]float64
			for i, v := range px {
				in[i] = float64(v) / 65535
			}
			return c.table.rgb(&in)
		}
	case p.n == 4:
		return func(px []uint16) (r, g, b uint8) {
			k := 65535 - uint32(px[3])
			ink := func(v uint16) uint8 { return eight(uint16((65535 - uint32(v)) * k / 65535)) }
			return ink(px[0]), ink(px[1]), ink(px[2])
		}
	case c.matrix != nil:
		light := c.matrix.deepCurves(p.n)
		m := xyzToSRGB.mul(c.matrix.matrix)
		return func(px []uint16) (r, g, b uint8) {
			in := [3]float64{float64(light[0][px[0]])}
			in[1], in[2] = in[0], in[0]
			if p.n == 3 {
				in[1], in[2] = float64(light[1][px[1]]), float64(light[2][px[2]])
			}
			var out [3]uint8
			for i, row := range m {
				out[i] = lightByte(row[0]*in[0] + row[1]*in[1] + row[2]*in[2])
			}
			return out[0], out[1], out[2]
		}
	case p.n == 1:
		return func(px []uint16) (r, g, b uint8) { v := eight(px[0]); return v, v, v }
	}
	return func(px []uint16) (r, g, b uint8) { return eight(px[0]), eight(px[1]), eight(px[2]) }
}

// deepCurves tabulates the first n curves for 16-bit input.
func (p *iccProfile) deepCurves(n int) [3][]float32 {
	var out [3][]float32
	for i := range n {
		out[i] = make([]float32, 65536)
		for v := range out[i] {
			out[i][v] = float32(p.curves[i](float64(v) / 65535))
		}
	}
	return out
}
