//go:build !linux

package engine

// resident returns 0: the value is not available on this system.
func resident(int) int64 { return 0 }
