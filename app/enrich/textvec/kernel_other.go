//go:build !amd64

package textvec

func vectorKernels() bool { return false }

func multiplyVector(depth int, a *float32, aStride int, b, c *float32, cStride int) {
	panic("textvec: there are no vector kernels")
}

func expandVector(dst []float32, src string) {
	panic("textvec: there are no vector kernels")
}
