//go:build !amd64

package matrix

func Fastest() Kernels { return Kernels{} }

func multiplyVector(depth int, a *float32, aStride int, b, c *float32, cStride int) {
	panic("matrix: there are no vector kernels")
}

func multiplyHalves(depth int, a *float32, aStride int, b *byte, c *float32, cStride int) {
	panic("matrix: there are no vector kernels")
}

func expandVector(dst []float32, src string) {
	panic("matrix: there are no vector kernels")
}
