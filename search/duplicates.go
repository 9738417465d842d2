package search

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/bits"
	"slices"
	"sync"
)

// Group is a group of near duplicates.
type Group struct {
	Assets   []int64 // oldest first
	Distance int     // maximum number of bits by which a hash differs from the first one
}

// groups caches the latest near duplicates, because images rarely change.
type groups struct {
	mu       sync.Mutex // held during the search, so that concurrent callers share its result
	of       uint64     // hash of the images that were compared
	distance int
	list     []Group
}

// Duplicates returns the groups of near duplicates outside the trash, in which each asset
// is within distance bits of another. The caller must not change them.
func (e *Engine) Duplicates(ctx context.Context, distance int) ([]Group, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	g := &e.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	pictures, hashes, of := e.pictures()
	if g.list != nil && g.of == of && g.distance == distance {
		return g.list, nil
	}
	found, err := nearDuplicates(ctx, pictures, distance)
	if err != nil {
		return nil, err
	}
	list := make([]Group, len(found))
	for i, ids := range found {
		list[i].Assets = ids
		for _, id := range ids[1:] {
			list[i].Distance = max(list[i].Distance, bits.OnesCount64(hashes[id]^hashes[ids[0]]))
		}
	}
	g.of, g.distance, g.list = of, distance, list
	return list, nil
}

// pictures returns the perceptual hashes of the assets outside the trash, as a list and
// by asset, and a hash of all of them.
func (e *Engine) pictures() (list []picture, hashes []uint64, of uint64) {
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	hashes = slices.Clone(e.columns.phash)
	all := fnv.New64a()
	var b [12]byte
	each(e.columns.live, func(id uint32) {
		if h := hashes[id]; h != 0 {
			list = append(list, picture{h, int64(id)})
			binary.LittleEndian.PutUint32(b[:], id)
			binary.LittleEndian.PutUint64(b[4:], h)
			all.Write(b[:])
		}
	})
	return list, hashes, all.Sum64()
}
