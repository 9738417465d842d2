package matrix

import "math"

// Half rounds v to the nearest IEEE 754 binary16, ties to even. ok is false for infinities,
// overflow and NaN.
func Half(v float32) (h uint16, ok bool) {
	sign := uint16(math.Float32bits(v) >> 16 & 0x8000)
	a := math.Abs(float64(v))
	if !(a < 65520) {
		return 0, false
	}
	_, exp := math.Frexp(a) // a is below 2^exp
	// Distance between neighbors: at least 2^-24, otherwise for 11 bits.
	step := math.Ldexp(1, max(exp-11, -24))
	a = math.RoundToEven(a/step) * step
	if a < 0x1p-14 { // subnormal: a multiple of 2^-24
		return sign | uint16(a*0x1p24), true
	}
	frac, exp := math.Frexp(a) // 0.5 ≤ frac < 1
	return sign | uint16(exp+14)<<10 | uint16(frac*2048)&0x3ff, true
}
