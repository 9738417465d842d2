package planar

import "encoding/binary"

// turn describes how to make a picture upright: transpose it, and then mirror it. leftRight
// and topDown report whether that mirrors the sides of the original picture.
type turn struct {
	transpose, mirror, flip bool // mirror swaps left and right, flip top and bottom
	leftRight, topDown      bool
}

// turnOf returns the turn of an EXIF orientation (EXIF 2.3, tag 274).
func turnOf(orientation int) turn {
	if orientation < 2 || orientation > 8 {
		return turn{}
	}
	t := turn{
		transpose: orientation >= 5,
		mirror:    orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7,
		flip:      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8,
	}
	t.leftRight, t.topDown = t.mirror, t.flip
	if t.transpose {
		t.leftRight, t.topDown = t.flip, t.mirror
	}
	return t
}

func (p *Picture) turned(t turn) *Picture {
	if t == (turn{}) {
		return p
	}
	return &Picture{p.Y.turned(t), p.Cb.turned(t), p.Cr.turned(t), p.across, p.down}
}

func (p Plane) turned(t turn) Plane {
	if t.transpose {
		p = transpose(p)
	}
	if !t.mirror && !t.flip {
		return p
	}
	out := newPlane(p.W, p.H)
	for y := range p.H {
		src, dst := p.row(y), out.row(y)
		if t.flip {
			src = p.row(p.H - 1 - y)
		}
		if !t.mirror {
			copy(dst, src)
			continue
		}
		for i, v := range src {
			dst[len(dst)-1-i] = v
		}
	}
	return out
}

// transpose mirrors a plane along its diagonal.
func transpose(p Plane) Plane {
	out := newPlane(p.H, p.W)
	const strip = 64 // rows that fit into the cache
	for y := 0; y < p.H; y += strip {
		transposeInto(out, y, Plane{p.Pix[y*p.Stride:], p.W, min(strip, p.H-y), p.Stride})
	}
	return out
}

// transposeInto writes the rows of p into the columns of out, starting at column at.
func transposeInto(out Plane, at int, p Plane) {
	w, h := p.W&^7, p.H&^7
	for y := transpose16(out, at, p); y < h; y += 8 {
		for x := 0; x < w; x += 8 {
			transpose8(out.Pix[x*out.Stride+at+y:], out.Stride, p.Pix[y*p.Stride+x:], p.Stride)
		}
	}
	for y := range p.H {
		from := w // columns after the last whole block
		if y >= h {
			from = 0
		}
		row := p.row(y)
		for x := from; x < p.W; x++ {
			out.Pix[x*out.Stride+at+y] = row[x]
		}
	}
}

// transpose8 transposes 8 × 8 bytes: it swaps halves, quarters and bytes of eight words.
func transpose8(dst []byte, to int, src []byte, from int) {
	le := binary.LittleEndian
	_, _ = src[7*from+7], dst[7*to+7]
	a0, a1, a2, a3 := le.Uint64(src), le.Uint64(src[from:]), le.Uint64(src[2*from:]), le.Uint64(src[3*from:])
	a4, a5, a6, a7 := le.Uint64(src[4*from:]), le.Uint64(src[5*from:]), le.Uint64(src[6*from:]), le.Uint64(src[7*from:])
	const m4, m2, m1 = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	a0, a4 = a0&m4|a4<<32, a0>>32|a4&^m4
	a1, a5 = a1&m4|a5<<32, a1>>32|a5&^m4
	a2, a6 = a2&m4|a6<<32, a2>>32|a6&^m4
	a3, a7 = a3&m4|a7<<32, a3>>32|a7&^m4
	a0, a2 = a0&m2|a2&m2<<16, a0>>16&m2|a2&^m2
	a1, a3 = a1&m2|a3&m2<<16, a1>>16&m2|a3&^m2
	a4, a6 = a4&m2|a6&m2<<16, a4>>16&m2|a6&^m2
	a5, a7 = a5&m2|a7&m2<<16, a5>>16&m2|a7&^m2
	a0, a1 = a0&m1|a1&m1<<8, a0>>8&m1|a1&^m1
	a2, a3 = a2&m1|a3&m1<<8, a2>>8&m1|a3&^m1
	a4, a5 = a4&m1|a5&m1<<8, a4>>8&m1|a5&^m1
	a6, a7 = a6&m1|a7&m1<<8, a6>>8&m1|a7&^m1
	for i, v := range [8]uint64{a0, a1, a2, a3, a4, a5, a6, a7} {
		le.PutUint64(dst[i*to:], v)
	}
}
