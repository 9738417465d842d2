package matrix

import "golang.org/x/sys/cpu"

// Fastest returns the kernels whose instructions this processor has.
func Fastest() Kernels {
	vector := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C
	return Kernels{Vector: vector, Long: vector && cpu.X86.HasAVX512F}
}

// multiplyVector does as multiply, on the same conditions, and checks none.
//
//go:noescape
func multiplyVector(depth int, a *float32, aStride int, b, c *float32, cStride int)

// multiplyHalves does as multiply, for longBlock rows and a panel of halves, and
// checks no conditions.
//
//go:noescape
func multiplyHalves(depth int, a *float32, aStride int, b *byte, c *float32, cStride int)

// expandVector turns the halves in src into float32. src has two bytes for each
// number in dst, of which there are 8 at least and a multiple of 8.
//
//go:noescape
func expandVector(dst []float32, src string)
