package planar

import "math"

// transformGo transforms a block of 8 × 8 samples to frequencies, scales each coefficient,
// rounds it to the nearest integer (half to even), and returns a bit for each one that is
// not zero. The output is transposed: vertical frequencies are adjacent.
func transformGo(out *[64]int16, src []byte, stride int, scale *[64]float32) (nonzero uint64) {
	var b [64]float32
	for y := range 8 {
		for x, v := range src[y*stride:][:8] {
			b[y*8+x] = float32(int32(v) - 128)
		}
	}
	for x := range 8 {
		cosines(&b, x, 8)
	}
	for y := range 8 {
		cosines(&b, 8*y, 1)
	}
	for u := range 8 {
		for v := range 8 {
			i := u*8 + v
			// Adding 1.5 × 2²³ leaves the rounded number in the low bits.
			x := float32(b[v*8+u]*scale[i]) + 12582912
			q := int16(int32(math.Float32bits(x)) - 0x4b400000)
			out[i] = q
			if q != 0 {
				nonzero |= 1 << i
			}
		}
	}
	return nonzero
}

// cosines is the cosine transform of eight numbers with 5 multiplications, except for the
// factors of dctScale. The conversions prevent compilers from fusing operations, so every
// machine computes the same numbers. Source: Arai, Agui and Nakajima, "A fast DCT-SQ scheme
// for images", 1988.
func cosines(b *[64]float32, at, step int) {
	x0, x1, x2, x3 := b[at&63], b[(at+step)&63], b[(at+2*step)&63], b[(at+3*step)&63]
	x4, x5, x6, x7 := b[(at+4*step)&63], b[(at+5*step)&63], b[(at+6*step)&63], b[(at+7*step)&63]
	s0, d0, s1, d1 := x0+x7, x0-x7, x1+x6, x1-x6
	s2, d2, s3, d3 := x2+x5, x2-x5, x3+x4, x3-x4

	e0, e3, e1, e2 := s0+s3, s0-s3, s1+s2, s1-s2
	z := float32((e2 + e3) * 0.707106781)
	b[at&63], b[(at+4*step)&63] = e0+e1, e0-e1
	b[(at+2*step)&63], b[(at+6*step)&63] = e3+z, e3-z

	o0, o1, o2 := d3+d2, d2+d1, d1+d0
	z5 := float32((o0 - o2) * 0.382683433)
	z2, z4 := float32(0.541196100*o0)+z5, float32(1.306562965*o2)+z5
	z3 := float32(o1 * 0.707106781)
	z11, z13 := d0+z3, d0-z3
	b[(at+5*step)&63], b[(at+3*step)&63] = z13+z2, z13-z2
	b[(at+step)&63], b[(at+7*step)&63] = z11+z4, z11-z4
}

// dctScale contains the factors that cosines leaves to the quantization.
var dctScale = [8]float64{1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.541196100, 0.275899379}
