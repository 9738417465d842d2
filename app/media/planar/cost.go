package planar

// Cost returns the maximum number of bytes that Fit allocates in total for a picture of w ×
// h, assuming 4:4:4 and a rotation.
func Cost(w, h, size int) int64 {
	ow, oh := fitted(w, h, size)
	sx, sy := float64(w)/float64(ow), float64(h)/float64(oh)
	luma := costOf(w, h, ow, oh, sx, sy)
	colors := costOf(w, h, (ow+1)/2, (oh+1)/2, 2*sx, 2*sy)
	turn := 2 * (int64(ow)*int64(oh) + 2*int64((ow+1)/2)*int64((oh+1)/2))
	const allocations = 8 << 10 // to allow for rounding up
	return luma + 2*colors + turn + allocations
}

// costOf returns how many bytes it takes to scale a plane.
func costOf(w, h, ow, oh int, sx, sy float64) int64 {
	n := costOfWeights(ow, sx) + costOfWeights(oh, sy)
	if across, down := block(sx), block(sy); across > 1 || down > 1 {
		w, h = (w+across-1)/across, (h+down-1)/down
		n += int64(w)*int64(h) + 4*int64(w)
	}
	if ow == w && oh == h {
		return n
	}
	turned := int64(oh) * int64(w)
	if oh == h && sy == 1 {
		turned = int64(w) * int64(h)
	}
	return n + turned + int64(min(32, oh))*int64(w) + 2*int64(ow)*int64(oh)
}

func costOfWeights(to int, scale float64) int64 {
	taps := 4*max(1, scale/float64(block(scale))) + 3
	return int64(to)*(8+2*int64(taps+1)) + 8*int64(taps+1)
}
