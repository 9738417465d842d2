//go:build !amd64 || purego

package planar

func weightedSum(dst, src []byte, stride int, weights []int16) {
	weightedSumGo(dst, src, stride, weights)
}

func transform(out *[64]int16, src []byte, stride int, scale *[64]float32) uint64 {
	return transformGo(out, src, stride, scale)
}

func transpose16(Plane, int, Plane) int { return 0 }
