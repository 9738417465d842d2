//go:build !purego

package bytevec

import "golang.org/x/sys/cpu"

// vector reports whether the processor supports the kernel's instructions.
var vector = cpu.X86.HasAVX2

// productsVector is productsGo for n rows of dimension numbers each, without any checks.
//
//go:noescape
func productsVector(sums *int32, q *int16, rows *int8, n, dimension int)
