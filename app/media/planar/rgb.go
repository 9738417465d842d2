package planar

import "image"

// OfRGBA converts an opaque picture to planes, in 4:4:4.
func OfRGBA(img *image.RGBA) *Picture {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	p := &Picture{newPlane(w, h), newPlane(w, h), newPlane(w, h), 1, 1}
	for y := range h {
		src := img.Pix[y*img.Stride:][:4*w]
		luma, cb, cr := p.Y.row(y), p.Cb.row(y), p.Cr.row(y)
		for x := range luma {
			px := src[4*x : 4*x+4 : 4*x+4]
			r, g, b := int32(px[0]), int32(px[1]), int32(px[2])
			luma[x] = lumaOf(r, g, b)
			cb[x], cr[x] = chromaOf(r, g, b, 0)
		}
	}
	return p
}

// RGBA returns the picture in RGB, opaque.
func (p *Picture) RGBA() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, p.Y.W, p.Y.H))
	for y := range p.Y.H {
		dst := img.Pix[y*img.Stride:]
		for x, v := range p.Y.row(y) {
			px := dst[4*x : 4*x+4 : 4*x+4]
			px[0], px[1], px[2], px[3] = v, v, v, 255
			if !p.grey() {
				c := tintOf(p.Cb.row(y / p.down)[x/p.across], p.Cr.row(y / p.down)[x/p.across])
				px[0], px[1], px[2] = c.rgb(v)
			}
		}
	}
	return img
}

// Image returns the picture in RGB, or in grey, sharing its plane.
func (p *Picture) Image() image.Image {
	if p.grey() {
		return &image.Gray{Pix: p.Y.Pix, Stride: p.Y.Stride, Rect: image.Rect(0, 0, p.Y.W, p.Y.H)}
	}
	return p.RGBA()
}

// The conversions are those of JFIF 1.02, with 16 fractional bits.

func lumaOf(r, g, b int32) uint8 { return uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16) }

// chromaOf returns the chroma of the sum of 1<<shift pixels.
func chromaOf(r, g, b int32, shift uint) (cb, cr uint8) {
	const half = 128<<16 + 1<<15
	return clamp((-11056*r-21712*g+32768*b)>>shift + half), clamp((32768*r-27440*g-5328*b)>>shift + half)
}

// tint is the contribution of chroma to each RGB channel.
type tint struct{ r, g, b int32 }

func tintOf(cb, cr uint8) tint {
	b, r := int32(cb)-128, int32(cr)-128
	return tint{91881 * r, -22554*b - 46802*r, 116130 * b}
}

func (t tint) rgb(luma uint8) (r, g, b uint8) {
	v := int32(luma)<<16 + 1<<15
	return clamp(v + t.r), clamp(v + t.g), clamp(v + t.b)
}

// clamp converts a number with 16 fractional bits to a byte.
func clamp(v int32) uint8 {
	if uint32(v)&0xff000000 != 0 {
		return uint8(^(v >> 31))
	}
	return uint8(v >> 16)
}
