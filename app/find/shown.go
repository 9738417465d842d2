package find

import (
	"sync"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Limits of shownCache.
const (
	maxShown     = 2000    // number of assets
	maxShownSize = 8 << 10 // approximate bytes per asset
)

// shownCache caches the assets most recently shown in lists, since reading them is
// most of the work of a list. Each is cached with its sequence number in the index
// queue. Every change of something displayed with an asset assigns a new number, so
// the asset is unchanged as long as its number is the same.
type shownCache struct {
	mu sync.Mutex
	// Assets in neither map are forgotten: recent becomes older once it reaches
	// half the limit.
	recent, older map[int64]shownAsset
}

// shownAsset is an asset without its recognized text and technical metadata.
type shownAsset struct {
	seq   int64
	asset *dam.Asset // immutable
}

// assets returns the existing assets with the given row IDs in that order, like
// ShortAssetsByID. The caller may modify them, but not the values that they refer
// to.
func (c *shownCache) assets(tx *storage.Tx, want []int64) ([]*dam.Asset, error) {
	if len(want) == 0 {
		return nil, nil
	}
	seqs, err := tx.ChangesOf(want)
	if err != nil {
		return nil, err
	}
	known := c.known(want, seqs)
	var missing []int64
	for _, id := range want {
		if known[id] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		read, err := tx.ShortAssetsByID(missing)
		if err != nil {
			return nil, err
		}
		c.keep(read, seqs)
		for _, a := range read {
			known[a.ID] = a
		}
	}
	list := make([]*dam.Asset, 0, len(want))
	for _, id := range want {
		if a := known[id]; a != nil {
			own := *a
			list = append(list, &own)
		}
	}
	return list, nil
}

// known returns the cached assets that have not changed.
func (c *shownCache) known(want []int64, seqs map[int64]int64) map[int64]*dam.Asset {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make(map[int64]*dam.Asset, len(want))
	for _, id := range want {
		s, ok := c.recent[id]
		if !ok {
			if s, ok = c.older[id]; ok && s.seq == seqs[id] {
				c.put(id, s)
			}
		}
		if ok && s.seq == seqs[id] {
			list[id] = s.asset
		}
	}
	return list
}

// keep caches assets read in the same transaction as seqs.
func (c *shownCache) keep(assets []*dam.Asset, seqs map[int64]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range assets {
		if seqs[a.ID] != 0 && sizeOf(a) <= maxShownSize {
			c.put(a.ID, shownAsset{seqs[a.ID], a})
		}
	}
}

func (c *shownCache) put(id int64, s shownAsset) {
	if len(c.recent) >= maxShown/2 || c.recent == nil {
		c.recent, c.older = make(map[int64]shownAsset, maxShown/2), c.recent
	}
	c.recent[id] = s
}

// sizeOf returns the approximate size in bytes of the fields of an asset that can
// be long.
func sizeOf(a *dam.Asset) int {
	return len(a.Title) + len(a.OriginalFilename) + len(a.Creator) + len(a.Copyright) + len(a.Description) + len(a.UsageTerms) +
		len(a.AICaption) + 32*len(a.Colors) + (dam.JSONAtMost(a.Keywords)+dam.JSONAtMost(a.AITags)+
		dam.JSONAtMost(a.People)+dam.JSONAtMost(a.Metadata))/3
}
