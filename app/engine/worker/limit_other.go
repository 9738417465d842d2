//go:build !linux

package worker

import "runtime/debug"

// limit makes the garbage collector of a worker run eagerly. Only the engine's memory is limited
// on this system.
func limit(int64) error {
	debug.SetMemoryLimit(512 << 20)
	return nil
}
