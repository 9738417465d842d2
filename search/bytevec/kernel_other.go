//go:build !amd64 || purego

package bytevec

const vector = false

func productsVector(sums *int32, q *int16, rows *int8, n, dimension int) {
	panic("bytevec: there are no vector kernels")
}
