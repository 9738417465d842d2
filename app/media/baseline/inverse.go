package baseline

import "math"

// scale holds the factors for the coefficients of a block before the transform, indexed
// like natural.
var scale = func() (s [64]float32) {
	// The factors of Arai, Agui and Nakajima: √2 · cos(kπ/16), and 1 for k = 0.
	var factors [8]float64
	for k := range factors {
		factors[k] = math.Sqrt2 * math.Cos(float64(k)*math.Pi/16)
	}
	factors[0] = 1
	for u := range 8 {
		for v := range 8 {
			s[8*u+v] = float32(factors[u] * factors[v] / 8)
		}
	}
	return s
}()

// inverseGo transforms 64 coefficients, in the order of natural, to 8 × 8 samples. It
// returns the sum of their absolute values, and resets them to zero.
func inverseGo(to []byte, stride int, coefficients *[64]int16, quantization *[64]int32) (sum int32) {
	var b [64]float32
	for i, c := range coefficients {
		n := int32(c) * quantization[i]
		b[i] = float32(n) * scale[i]
		sum += max(n, -n)
	}
	*coefficients = [64]int16{}
	for v := range 8 {
		cosines(&b, v, 8)
	}
	for x := range 8 {
		cosines(&b, 8*x, 1)
	}
	for y := range 8 {
		row := to[y*stride:][:8]
		for x := range row {
			row[x] = sample(b[8*x+y])
		}
	}
	return sum
}

// sample converts a value centred on 0 to a sample.
func sample(x float32) byte {
	return byte(min(max(int32(math.RoundToEven(float64(x)))+128, 0), 255))
}

// flat is inverse for a block with only a DC coefficient.
func flat(to []byte, stride int, mean int32) (sum int32) {
	s := sample(float32(mean) * 0.125)
	for y := range 8 {
		row := to[y*stride:][:8]
		for x := range row {
			row[x] = s
		}
	}
	return max(mean, -mean)
}

// cosines is the inverse cosine transform of eight numbers with 5 multiplications, except
// for the factors in scale: the flow graph of Arai, Agui and Nakajima ("A fast DCT-SQ
// scheme for images", 1988) in reverse. The conversions prevent compilers from fusing
// operations, so every machine computes the same numbers.
func cosines(b *[64]float32, at, step int) {
	x0, x1, x2, x3 := b[at&63], b[(at+step)&63], b[(at+2*step)&63], b[(at+3*step)&63]
	x4, x5, x6, x7 := b[(at+4*step)&63], b[(at+5*step)&63], b[(at+6*step)&63], b[(at+7*step)&63]

	s04, d04, s26 := x0+x4, x0-x4, x2+x6
	d26 := float32((x2-x6)*1.414213562) - s26
	e0, e3, e1, e2 := s04+s26, s04-s26, d04+d26, d04-d26

	s53, d53, s17, d17 := x5+x3, x5-x3, x1+x7, x1-x7
	o7 := s17 + s53
	z := float32((d53 + d17) * 1.847759065)
	o6 := z - float32(d53*2.613125930) - o7
	o5 := float32((s17-s53)*1.414213562) - o6
	o4 := z - float32(d17*1.082392200) - o5

	b[at&63], b[(at+7*step)&63] = e0+o7, e0-o7
	b[(at+step)&63], b[(at+6*step)&63] = e1+o6, e1-o6
	b[(at+2*step)&63], b[(at+5*step)&63] = e2+o5, e2-o5
	b[(at+3*step)&63], b[(at+4*step)&63] = e3+o4, e3-o4
}
