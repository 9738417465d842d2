// Package matrix multiplies the matrices of models, with vector instructions if the
// processor has them. A matrix is stored in panels of 16 columns, from left to right, each
// with its rows from top to bottom, as float32 or as IEEE 754 binary16.
package matrix

import (
	"math"
	"unsafe"
)

// Panel is the number of columns multiplied together.
const Panel = 16

// block is the number of rows multiplied together, twice as many with long vectors.
const (
	block     = 4
	longBlock = 2 * block
)

// Kernels multiplies matrices: with vector instructions if Vector is set, and with vectors
// of 16 instead of 8 numbers (AVX-512) if Long is also set. Both vector kernels give
// identical results; results without vectors differ by rounding. For 12 tokens, a pass of
// package textvec takes 1.7 ms with vectors of 16, 2.5 ms with vectors of 8, and 42 ms
// without; for 128 tokens, 16 and 22 ms with vectors. With the Sgemm of gonum v0.17, which
// uses vectors of 4, the products alone took 10 ms for 12 tokens and 160 ms for 128.
type Kernels struct{ Vector, Long bool }

// Block returns the number of rows multiplied together.
func (k Kernels) Block() int {
	if k.Long {
		return longBlock
	}
	return block
}

// AddHalves is like AddProduct for a panel of halves. It requires Long, and rows must be a
// multiple of longBlock.
func (k Kernels) AddHalves(c []float32, cStride int, a []float32, aStride, rows int, b string) {
	depth := len(b) / (2 * Panel)
	if rows == 0 || depth == 0 {
		return
	}
	// The kernel relies on this bounds check.
	_, _ = c[(rows-1)*cStride+Panel-1], a[(rows-1)*aStride+depth-1]
	if rows%longBlock != 0 || len(b)%(2*Panel) != 0 {
		panic("matrix: a matrix is of the wrong size")
	}
	for i := 0; i < rows; i += longBlock {
		multiplyHalves(depth, &a[i*aStride], aStride, unsafe.StringData(b), &c[i*cStride], cStride)
	}
}

// AddProduct adds the product of a and one panel of a matrix to c. c has the given number
// of rows of Panel numbers, cStride apart; the rows of a have len(b)/Panel numbers and are
// aStride apart. rows must be a multiple of block.
func (k Kernels) AddProduct(c []float32, cStride int, a []float32, aStride, rows int, b []float32) {
	depth := len(b) / Panel
	if rows == 0 || depth == 0 {
		return
	}
	// The kernels rely on this bounds check.
	_, _ = c[(rows-1)*cStride+Panel-1], a[(rows-1)*aStride+depth-1]
	if rows%block != 0 || len(b)%Panel != 0 {
		panic("matrix: a matrix is of the wrong size")
	}
	for i := 0; i < rows; i += block {
		if k.Vector {
			multiplyVector(depth, &a[i*aStride], aStride, &b[0], &c[i*cStride], cStride)
		} else {
			multiply(depth, a[i*aStride:], aStride, b, c[i*cStride:], cStride)
		}
	}
}

// multiply adds the product of block rows and a panel to c, in squares of 4 × 4 whose sums
// fit into registers.
func multiply(depth int, a []float32, aStride int, b []float32, c []float32, cStride int) {
	a0, a1, a2, a3 := a[:depth], a[aStride:][:depth], a[2*aStride:][:depth], a[3*aStride:][:depth]
	for j := 0; j < Panel; j += 4 {
		var s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33 float32
		for p := range a0 {
			row := b[p*Panel+j:][:4:4]
			b0, b1, b2, b3 := row[0], row[1], row[2], row[3]
			x := a0[p]
			s00, s01, s02, s03 = s00+x*b0, s01+x*b1, s02+x*b2, s03+x*b3
			x = a1[p]
			s10, s11, s12, s13 = s10+x*b0, s11+x*b1, s12+x*b2, s13+x*b3
			x = a2[p]
			s20, s21, s22, s23 = s20+x*b0, s21+x*b1, s22+x*b2, s23+x*b3
			x = a3[p]
			s30, s31, s32, s33 = s30+x*b0, s31+x*b1, s32+x*b2, s33+x*b3
		}
		for i, s := range [block][4]float32{{s00, s01, s02, s03}, {s10, s11, s12, s13}, {s20, s21, s22, s23}, {s30, s31, s32, s33}} {
			row := c[i*cStride+j:][:4:4]
			row[0], row[1], row[2], row[3] = row[0]+s[0], row[1]+s[1], row[2]+s[2], row[3]+s[3]
		}
	}
}

// Expand converts the halves in src to float32 in dst, whose length must be a multiple of
// 8. Infinity and NaN are not supported: they would become large numbers.
func (k Kernels) Expand(dst []float32, src string) {
	src = src[:2*len(dst)]
	if len(dst)%8 != 0 {
		panic("matrix: a row of halves is of the wrong size")
	}
	if len(dst) == 0 {
		return
	}
	if k.Vector {
		expandVector(dst, src)
		return
	}
	for i := range dst {
		h := uint32(src[2*i]) | uint32(src[2*i+1])<<8
		// The exponent of a half is biased by 15, of a float32 by 127.
		abs := math.Float32frombits(h&0x7fff<<13) * 0x1p112
		dst[i] = math.Float32frombits(math.Float32bits(abs) | h&0x8000<<16)
	}
}
