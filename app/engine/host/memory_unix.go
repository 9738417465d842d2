//go:build unix

package host

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// reserve gives instances that begin with the context their memory in one mapping, of
// which only the pages count that were touched. Otherwise all of it is copied each time
// that it grows, and the copies are left to the collector.
func reserve(ctx context.Context, most uint64, allowed *atomic.Uint64, refused *atomic.Bool) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(have, limit uint64) experimental.LinearMemory {
		all, err := unix.Mmap(-1, 0, int(max(have, min(limit, most))),
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			panic(fmt.Errorf("reserve memory: %w", err))
		}
		return &mapping{all, allowed, refused}
	}))
}

type mapping struct {
	all     []byte
	allowed *atomic.Uint64 // bytes of it
	refused *atomic.Bool   // whether more was wanted
}

func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) || size > m.allowed.Load() {
		m.refused.Store(true)
		return nil
	}
	m.refused.Store(false) // a little more is enough, where much more was wanted first
	return m.all[:size:size]
}

func (m *mapping) Free() { _ = unix.Munmap(m.all) }
