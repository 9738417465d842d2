//go:build unix

package host

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// reserve allocates the memory of instances that start with the context as one mapping, of
// which only touched pages use memory. Otherwise each growth copies the whole memory, and
// the copies are left to the garbage collector.
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
	allowed *atomic.Uint64 // limit in bytes
	refused *atomic.Bool   // growth above the limit was refused
}

func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) || size > m.allowed.Load() {
		m.refused.Store(true)
		return nil
	}
	m.refused.Store(false) // a smaller request after a refused larger one is sufficient
	return m.all[:size:size]
}

func (m *mapping) Free() { _ = unix.Munmap(m.all) }
