//go:build !purego

package bytevec

import "golang.org/x/sys/cpu"

// vector tells whether the processor has the kernel's instructions.
var vector = cpu.X86.HasAVX2

// productsVector does as productsGo, for n rows of dimension numbers each, and
// checks nothing.
//
//go:noescape
func productsVector(sums *int32, q *int16, rows *int8, n, dimension int)
