package planar

import (
	"encoding/binary"
	"math/bits"
)

// Encode encodes a picture in 4:2:0, or a grey one, as a baseline JPEG (ITU-T T.81) without
// metadata. The quality is the same as for image/jpeg and libjpeg, from 1 to 100. No side
// may exceed 65,535.
func (p *Picture) Encode(quality int) []byte {
	e := encoder{out: make([]byte, 0, headerSize+p.Y.W*p.Y.H/4)}
	e.header(p, e.quantize(quality))
	if p.grey() {
		e.greyBlocks(p)
	} else {
		e.colorBlocks(p)
	}
	return e.end()
}

// headerSize is the approximate size of the header in bytes.
const headerSize = 700

// encoder writes the bits of a JPEG.
type encoder struct {
	out   []byte
	acc   uint64
	n     uint     // number of pending bits in acc, fewer than 32
	last  [3]int32 // DC coefficient of the previous block, by component
	scale [2][64]float32
}

// quantize sets the factors of the coefficients for luma and chroma, and returns the
// quantization tables for decoders.
func (e *encoder) quantize(quality int) (steps [2][64]uint8) {
	factor := 200 - 2*quality
	if quality < 50 {
		factor = 5000 / quality
	}
	for t := range steps {
		for i := range 64 {
			q := min(max((int(quantTables[t][i])*factor+50)/100, 1), 255)
			steps[t][i] = uint8(q)
			e.scale[t][i%8*8+i/8] = float32(1 / (float64(q) * 8 * dctScale[i/8] * dctScale[i%8]))
		}
	}
	return steps
}

func (e *encoder) header(p *Picture, steps [2][64]uint8) {
	tables, components, factors := 2, 3, "\x22\x11\x11"
	if p.grey() {
		tables, components, factors = 1, 1, "\x11"
	}
	e.out = append(e.out, 0xff, 0xd8)
	e.segment(0xdb, 65*tables)
	for t := range tables {
		e.out = append(e.out, byte(t))
		for _, at := range zigzag {
			e.out = append(e.out, steps[t][at])
		}
	}
	e.segment(0xc0, 6+3*components)
	e.out = append(e.out, 8, byte(p.Y.H>>8), byte(p.Y.H), byte(p.Y.W>>8), byte(p.Y.W), byte(components))
	for i := range components {
		e.out = append(e.out, byte(i+1), factors[i], byte(min(i, 1)))
	}
	for _, h := range huffmanTables[:2*tables] {
		e.segment(0xc4, 17+len(h.values))
		e.out = append(append(append(e.out, h.class), h.counts...), h.values...)
	}
	e.segment(0xda, 4+2*components)
	e.out = append(e.out, byte(components))
	for i := range components {
		e.out = append(e.out, byte(i+1), byte(min(i, 1)*0x11))
	}
	e.out = append(e.out, 0, 63, 0)
}

func (e *encoder) segment(marker byte, n int) {
	e.out = append(e.out, 0xff, marker, byte((n+2)>>8), byte(n+2))
}

func (e *encoder) greyBlocks(p *Picture) {
	for y := 0; y < p.Y.H; y += 8 {
		for x := 0; x < p.Y.W; x += 8 {
			e.block(&p.Y, x, y, 0)
		}
	}
}

func (e *encoder) colorBlocks(p *Picture) {
	for y := 0; y < p.Y.H; y += 16 {
		for x := 0; x < p.Y.W; x += 16 {
			e.block(&p.Y, x, y, 0)
			e.block(&p.Y, x+8, y, 0)
			e.block(&p.Y, x, y+8, 0)
			e.block(&p.Y, x+8, y+8, 0)
			e.block(&p.Cb, x/2, y/2, 1)
			e.block(&p.Cr, x/2, y/2, 2)
		}
	}
}

// block encodes 8 × 8 samples of a component.
func (e *encoder) block(p *Plane, x, y, component int) {
	table := min(component, 1)
	var q [64]int16
	var nonzero uint64
	if x+8 <= p.W && y+8 <= p.H {
		nonzero = transform(&q, p.Pix[y*p.Stride+x:], p.Stride, &e.scale[table])
	} else {
		edge := p.atEdge(x, y)
		nonzero = transform(&q, edge[:], 8, &e.scale[table])
	}
	mean := int32(q[0])
	d := mean - e.last[component]
	e.last[component] = mean
	e.number(codes[2*table][category(d)], d, category(d))
	e.others(&q, nonzero&^1, &codes[2*table+1])
}

// atEdge returns 8 × 8 samples, in which those outside of the plane repeat its edge.
func (p *Plane) atEdge(x, y int) (out [64]byte) {
	for i := range 8 {
		row := p.row(min(y+i, p.H-1))
		for j := range 8 {
			out[8*i+j] = row[min(x+j, p.W-1)]
		}
	}
	return out
}

// others encodes the AC coefficients of a block; the bits of nonzero mark those that are
// not zero.
func (e *encoder) others(q *[64]int16, nonzero uint64, code *[256]uint32) {
	var todo uint64 // the same bits in coding order
	for ; nonzero != 0; nonzero &= nonzero - 1 {
		todo |= 1 << (rank[bits.TrailingZeros64(nonzero)] & 63)
	}
	at := 0
	acc, n := e.acc, e.n
	for ; todo != 0; todo &= todo - 1 {
		i := bits.TrailingZeros64(todo)
		run := i - at - 1
		at = i
		for ; run > 15; run -= 16 {
			acc, n = acc<<(code[0xf0]&0xff)|uint64(code[0xf0]>>8), n+uint(code[0xf0]&0xff)
			if n >= 32 {
				n = e.flush(acc, n)
			}
		}
		v := int32(q[place[i&63]&63])
		size := category(v)
		acc, n = join(acc, n, code[(uint(run)<<4|size)&0xff], v, size)
		if n >= 32 {
			n = e.flush(acc, n)
		}
	}
	e.acc, e.n = acc, n
	if at < 63 {
		e.put(code[0]>>8, uint(code[0]&0xff))
	}
}

// category returns the number of bits in the magnitude of a number.
func category(v int32) uint { return uint(bits.Len32(uint32((v ^ v>>31) - v>>31))) }

// number writes a code and the additional bits of the number.
func (e *encoder) number(code uint32, v int32, size uint) {
	if e.acc, e.n = join(e.acc, e.n, code, v, size); e.n >= 32 {
		e.n = e.flush(e.acc, e.n)
	}
}

// join appends a code and the additional bits of the number, at most 27 bits, to n bits of
// acc.
func join(acc uint64, n uint, code uint32, v int32, size uint) (uint64, uint) {
	length := uint(code&0xff) + size
	extra := uint32(v+v>>31) & (1<<(size&31) - 1)
	return acc<<(length&63) | uint64(code>>8<<(size&31)|extra), n + length
}

// put appends up to 27 bits.
func (e *encoder) put(v uint32, n uint) {
	e.acc, e.n = e.acc<<(n&63)|uint64(v), e.n+n
	if e.n >= 32 {
		e.n = e.flush(e.acc, e.n)
	}
}

// flush writes the first 32 of n bits of acc, and returns the number of bits left.
func (e *encoder) flush(acc uint64, n uint) uint {
	n -= 32
	w := uint32(acc >> (n & 63))
	if w&0x80808080&(w&0x7f7f7f7f+0x01010101) == 0 { // no byte is 0xff
		e.out = binary.BigEndian.AppendUint32(e.out, w)
		return n
	}
	for shift := 24; shift >= 0; shift -= 8 {
		e.byte(byte(w >> shift))
	}
	return n
}

func (e *encoder) byte(b byte) {
	e.out = append(e.out, b)
	if b == 0xff { // escape it, as it would begin a marker
		e.out = append(e.out, 0)
	}
}

// end fills the last byte with ones and returns the JPEG.
func (e *encoder) end() []byte {
	for e.put(0x7f, 7); e.n >= 8; e.n -= 8 {
		e.byte(byte(e.acc >> (e.n - 8)))
	}
	return append(e.out, 0xff, 0xd9)
}
