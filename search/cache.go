package search

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// The limits of ruleCache.
const (
	maxCachedRules = 1024
	maxCachedBytes = 32 << 20
)

// version identifies a state of the rows. Replacing the library creates new columns.
type version struct {
	of  *columns
	seq int64
}

func (c *columns) version() version { return version{c, c.seq} }

// ruleCache caches the results of rules until the library changes.
type ruleCache struct {
	mu    sync.Mutex
	at    version
	sets  map[string]*roaring.Bitmap
	bytes uint64
}

func (c *ruleCache) get(at version, key string) *roaring.Bitmap {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at != at {
		return nil
	}
	return c.sets[key]
}

func (c *ruleCache) put(at version, key string, set *roaring.Bitmap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := set.GetSizeInBytes() + uint64(len(key))
	if c.at != at || len(c.sets) >= maxCachedRules || c.bytes+size > maxCachedBytes {
		c.at, c.sets, c.bytes = at, map[string]*roaring.Bitmap{}, 0
	}
	c.sets[key] = set
	c.bytes += size
}
