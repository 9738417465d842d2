//go:build !amd64 || purego

package baseline

func inverse(to []byte, stride int, coefficients *[64]int16, quantization *[64]int32) int32 {
	return inverseGo(to, stride, coefficients, quantization)
}
