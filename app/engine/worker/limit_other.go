//go:build !linux

package worker

import "runtime/debug"

// limit makes the garbage collector return the memory of a worker eagerly. This system has
// no limit beyond that of the engine's memory, which applies everywhere.
func limit(int64) error {
	debug.SetMemoryLimit(512 << 20)
	return nil
}
