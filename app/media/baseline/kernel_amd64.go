//go:build amd64 && !purego

package baseline

import "golang.org/x/sys/cpu"

//go:noescape
func inverseAVX2(to *byte, stride int, coefficients *[64]int16, quantization *[64]int32, scale *[64]float32) int32

func inverse(to []byte, stride int, coefficients *[64]int16, quantization *[64]int32) int32 {
	if !cpu.X86.HasAVX2 {
		return inverseGo(to, stride, coefficients, quantization)
	}
	_ = to[7*stride+7]
	return inverseAVX2(&to[0], stride, coefficients, quantization, &scale)
}
