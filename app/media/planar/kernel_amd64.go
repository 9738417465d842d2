//go:build amd64 && !purego

package planar

import "golang.org/x/sys/cpu"

// sumAVX2 is weightedSum for n columns, a multiple of 16, and pairs of rows.
//
//go:noescape
func sumAVX2(dst, src *byte, stride int, weights *int16, pairs, n int)

//go:noescape
func transformAVX2(out *[64]int16, src *byte, stride int, scale *[64]float32) uint64

func weightedSum(dst, src []byte, stride int, weights []int16) {
	n, taps := len(dst), len(weights)
	if !cpu.X86.HasAVX2 || n < 16 || taps < 2 || taps%2 != 0 {
		weightedSumGo(dst, src, stride, weights)
		return
	}
	_ = src[(taps-1)*stride+n-1]
	sumAVX2(&dst[0], &src[0], stride, &weights[0], taps/2, n&^15)
	if n%16 != 0 { // the last ones, with some of those before once more
		sumAVX2(&dst[n-16], &src[n-16], stride, &weights[0], taps/2, 16)
	}
}

func transform(out *[64]int16, src []byte, stride int, scale *[64]float32) uint64 {
	if !cpu.X86.HasAVX2 {
		return transformGo(out, src, stride, scale)
	}
	_ = src[7*stride+7]
	return transformAVX2(out, &src[0], stride, scale)
}
