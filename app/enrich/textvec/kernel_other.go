//go:build !amd64

package textvec

func fastest() kernels { return kernels{} }

func multiplyVector(depth int, a *float32, aStride int, b, c *float32, cStride int) {
	panic("textvec: there are no vector kernels")
}

func multiplyHalves(depth int, a *float32, aStride int, b *byte, c *float32, cStride int) {
	panic("textvec: there are no vector kernels")
}

func expandVector(dst []float32, src string) {
	panic("textvec: there are no vector kernels")
}
