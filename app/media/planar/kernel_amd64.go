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
	if n%16 != 0 { // the last columns, overlapping some of the previous ones
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

// transposeAVX2 writes n × 8 rows of 16 bytes, transposed from 16 rows of n × 8 bytes at
// src.
//
//go:noescape
func transposeAVX2(dst *byte, to int, src *byte, from, n int)

// transpose16 transposes rows of p into columns of out, starting at column at, in blocks of
// 16 rows, excluding columns beyond a multiple of 8. It returns the number of rows
// processed.
func transpose16(out Plane, at int, p Plane) int {
	if !cpu.X86.HasAVX2 || p.W < 8 {
		return 0
	}
	y := 0
	for ; y+16 <= p.H; y += 16 {
		src, dst := p.Pix[y*p.Stride:], out.Pix[at+y:]
		_, _ = src[15*p.Stride+p.W-1], dst[(p.W&^7-1)*out.Stride+15]
		transposeAVX2(&dst[0], out.Stride, &src[0], p.Stride, p.W/8)
	}
	return y
}
