package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/search/bytevec"
)

const (
	// scanPart is the number of vectors that justifies another goroutine.
	scanPart = 10_000
	// moreRescored is the number of additional candidates, nearest by their quantized
	// vectors, that are compared exactly: some may be nearer than they appear.
	moreRescored = 500
	// scanShare is the fraction, one third, of all vectors from which a scan of all is
	// faster than single lookups.
	scanShare = 3
)

// near is an asset with its similarity to a probe.
type near struct {
	id      uint32
	product float32 // of its vector and the probe's
	over    float32 // difference from the best product that no longer counts
	enough  bool    // found by meaning alone
}

// nearer orders by product, descending, then newest first.
func nearer(a, b near) int { return cmp.Or(cmp.Compare(b.product, a.product), cmp.Compare(b.id, a.id)) }

// nearest returns up to n assets of a set whose products reach p.help, best first. Their
// field over is relative to the best asset left out, or else to p.help.
func (v *vectors) nearest(p probe, n int, within *roaring.Bitmap) []near {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.table == nil || v.table.Dimension() != len(p.values) {
		return nil
	}
	q := v.table.Query(p.values)
	slack := v.table.Slack(q)
	keys := v.candidates(q, p.help-slack, n+moreRescored, within)
	var all []near
	for i, key := range keys {
		id := uint32(key)
		c := productOf(key)
		if i > n && c < productOf(keys[n])-2*slack {
			break // none of the rest is really among the first
		}
		if x := v.floats[id]; x != nil {
			c = dot(p.values, x)
		}
		if c >= p.help {
			all = append(all, near{id: id, product: c, enough: c >= p.enough})
		}
	}
	slices.SortFunc(all, nearer)
	none := p.help
	if len(all) > n {
		none = all[n].product
		all = all[:n]
	}
	for i := range all {
		all[i].over = all[i].product - none
	}
	return all
}

// candidates returns the keys of the n assets of a set that are nearest to a query by
// their quantized vectors, with a minimum product. The caller holds mu.
func (v *vectors) candidates(q bytevec.Query, least float32, n int, within *roaring.Bitmap) []uint64 {
	var ids []uint32
	size := v.table.Rows()
	each := int(within.GetCardinality()) < size/scanShare
	if each {
		ids = within.ToArray()
		size = len(ids)
	}
	found := inParts(partsOf(size, scanPart), size, func(from, to int) *top {
		found := newTop(n, size)
		if each {
			v.lookFor(ids[from:to], q, least, found)
		} else {
			v.lookThrough(from, to, q, least, within, found)
		}
		return found
	})
	for _, other := range found[1:] {
		for _, key := range other.keys {
			found[0].add(key)
		}
	}
	return found[0].sorted()
}

// lookFor compares a query with some assets.
func (v *vectors) lookFor(ids []uint32, q bytevec.Query, least float32, found *top) {
	for _, id := range ids {
		if product, ok := v.table.Of(q, id); ok && product >= least {
			found.add(productKey(product, id))
		}
	}
}

// lookThrough compares a query with some rows of the table.
func (v *vectors) lookThrough(from, to int, q bytevec.Query, least float32, within *roaring.Bitmap, found *top) {
	v.table.Scan(q, from, to, least, func(id uint32, product float32) float32 {
		if within.Contains(id) {
			found.add(productKey(product, id))
		}
		if found.least > 0 {
			return productOf(found.least)
		}
		return least
	})
}

// productKey returns a key that sorts assets by product, then by ID.
func productKey(product float32, id uint32) uint64 {
	b := math.Float32bits(product)
	if b>>31 != 0 { // the bits of negative numbers sort in reverse
		b = ^b
	} else {
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(id)
}

// productOf returns the product in a key.
func productOf(key uint64) float32 {
	b := uint32(key >> 32)
	if b>>31 != 0 {
		return math.Float32frombits(b &^ (1 << 31))
	}
	return math.Float32frombits(^b)
}

// of returns the vector of an asset, nil for none. The caller holds mu.
func (v *vectors) of(id uint32) []float32 {
	if x := v.floats[id]; x != nil || v.table == nil {
		return x
	}
	return v.table.Float(id)
}

// cosine returns the product of a vector with that of an asset, 0 if it has none.
func (v *vectors) cosine(values []float32, id uint32) float32 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if x := v.of(id); len(x) == len(values) {
		return dot(values, x)
	}
	return 0
}

// dimension returns the length of the vectors, 0 without any.
func (v *vectors) dimension() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.table == nil || v.table.Len() == 0 {
		return 0
	}
	return v.table.Dimension()
}
