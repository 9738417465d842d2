package search

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

func (o *order) cmp(a, b uint32) int {
	d := 0
	if o.keys != nil {
		d = cmp.Compare(o.keys.get(a), o.keys.get(b))
	} else {
		d = cmp.Compare(o.by(a), o.by(b))
	}
	if d == 0 && o.ties != nil {
		d = cmp.Compare(o.ties.get(a), o.ties.get(b))
	}
	return cmp.Or(d, cmp.Compare(a, b))
}

func (o *order) find(id uint32) (int, bool) { return slices.BinarySearchFunc(o.ids, id, o.cmp) }

func (o *order) insert(id uint32) {
	i, _ := o.find(id)
	o.ids = slices.Insert(o.ids, i, id)
}

// move moves the asset at an index to its position; all others are in order.
func (o *order) move(from int) {
	id := o.ids[from]
	before, _ := slices.BinarySearchFunc(o.ids[:from], id, o.cmp)
	if before < from {
		copy(o.ids[before+1:from+1], o.ids[before:from])
		o.ids[before] = id
		return
	}
	after, _ := slices.BinarySearchFunc(o.ids[from+1:], id, o.cmp)
	copy(o.ids[from:from+after], o.ids[from+1:from+1+after])
	o.ids[from+after] = id
}

// replace removes the assets in moved and inserts those of a list, which it sorts.
func (o *order) replace(moved []bool, back []uint32) {
	slices.SortFunc(back, o.cmp)
	stay := slices.DeleteFunc(o.ids, func(id uint32) bool { return moved[id] })
	o.ids = slices.Grow(stay, len(back))[:len(stay)+len(back)]
	for end := len(o.ids); len(back) > 0; { // from the last, each behind the remaining ones that precede it
		last := len(back) - 1
		at, _ := slices.BinarySearchFunc(stay, back[last], o.cmp)
		end -= copy(o.ids[at+len(back):end], stay[at:]) + 1
		o.ids[end] = back[last]
		stay, back = stay[:at], back[:last]
	}
}

// sorted is an asset with its sort key, which is much faster than looking it up for each
// comparison.
type sorted[K cmp.Ordered] struct {
	by K
	id uint32
}

// sort sorts a set of assets from scratch.
func (o *order) sort(all *roaring.Bitmap) {
	o.ids = all.ToArray()
	if o.keys == nil {
		sortBy(o.ids, o.by, o.cmp)
		return
	}
	sortBy(o.ids, func(id uint32) uint64 { return startOf(o.keys.get(id)) }, o.cmp)
}

// sortBy sorts assets by the key that by returns, then by same.
func sortBy[K cmp.Ordered](ids []uint32, by func(uint32) K, same func(a, b uint32) int) {
	items := make([]sorted[K], len(ids))
	for i, id := range ids {
		items[i] = sorted[K]{by(id), id}
	}
	slices.SortFunc(items, func(a, b sorted[K]) int {
		if a.by != b.by {
			return cmp.Compare(a.by, b.by)
		}
		return same(a.id, b.id)
	})
	for i, x := range items {
		ids[i] = x.id
	}
}

// startOf returns the first eight bytes of a text as a number, in the same order.
func startOf(s string) (n uint64) {
	for i := range 8 {
		n <<= 8
		if i < len(s) {
			n |= uint64(s[i])
		}
	}
	return n
}
