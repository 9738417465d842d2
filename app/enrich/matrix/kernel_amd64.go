package matrix

import "golang.org/x/sys/cpu"

// Fastest returns the fastest kernels that this processor supports.
func Fastest() Kernels {
	vector := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C
	return Kernels{Vector: vector, Long: vector && cpu.X86.HasAVX512F}
}

// multiplyVector is like multiply, without checking its conditions.
//
//go:noescape
func multiplyVector(depth int, a *float32, aStride int, b, c *float32, cStride int)

// multiplyHalves is like multiply, for longBlock rows and a panel of halves, without
// checking any conditions.
//
//go:noescape
func multiplyHalves(depth int, a *float32, aStride int, b *byte, c *float32, cStride int)

// expandVector converts the halves in src to float32. src has two bytes for each number in
// dst, whose length must be a positive multiple of 8.
//
//go:noescape
func expandVector(dst []float32, src string)
