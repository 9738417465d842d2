//go:build !linux

package worker

import "runtime/debug"

// limit has the memory of a worker collected eagerly. Beyond the memory of the engine,
// which is bounded everywhere, this system bounds nothing.
func limit(int64) error {
	debug.SetMemoryLimit(512 << 20)
	return nil
}
