package search

import (
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// ranking is what the two legs of a search found.
type ranking struct {
	text    *matches
	meaning map[uint32]float32 // points of what is near in meaning; see meaningWeight
	alike   map[uint32]bool    // has none of the words, but others that stand for each
	within  *roaring.Bitmap    // all that was found and fits the rest of the query
	weight  []float32          // of a query without a text, by asset ID; empty if there is nothing to be relevant to
}

// has reports whether there is something to be relevant to.
func (k *ranking) has() bool { return k.text != nil || len(k.weight) > 0 }

// free gives back its memory. Nobody may look at it afterwards.
func (k *ranking) free() {
	if k.text != nil {
		k.text.free()
	}
}

// isName reports whether the text is the GAID of an asset.
func (k *ranking) isName() bool {
	m := k.text
	return m.ids.GetCardinality() == 1 && m.fields[m.ids.Minimum()] == 1<<gaidBit
}

// mean adds what is near in meaning, in a library of so many assets: to what has the
// words too, and to the rest if it is near enough or has words that stand for all of
// them, and wordsOnly does not keep it out.
func (k *ranking) mean(found []near, wordsOnly bool, assets uint64) {
	weight := meaningWeight * float32(math.Log(1+float64(assets)))
	k.meaning, k.alike = make(map[uint32]float32, len(found)), map[uint32]bool{}
	for _, n := range found {
		points := weight * n.over
		if !k.text.ids.Contains(n.id) {
			alike, more := k.text.alike(n.id)
			if wordsOnly || !n.enough && !alike {
				continue
			}
			k.alike[n.id] = alike
			points += more
		}
		k.meaning[n.id] = points
		k.within.Add(n.id)
	}
}

// matchedOn names the fields of an asset that matched.
func (k *ranking) matchedOn(id uint32) []string {
	if k.text == nil {
		return nil
	}
	var names []string
	if int(id) < len(k.text.fields) {
		names = fieldNames(k.text.fields[id])
	}
	if k.alike[id] {
		names = append(names, "synonym")
	}
	if _, ok := k.meaning[id]; ok {
		names = append(names, "meaning")
	}
	return names
}

// words is how well an asset matches, without what is found by meaning.
func (k *ranking) words(id uint32) float32 {
	switch {
	case k.text == nil && int(id) < len(k.weight):
		return k.weight[id]
	case k.text == nil:
		return 0
	case int(id) < len(k.text.points):
		return k.text.points[id] // 0 of what does not match; what is forbidden is not asked for
	}
	return 0
}

// points is how well an asset matches by its words and its meaning.
func (k *ranking) points(id uint32) float32 { return k.words(id) + k.meaning[id] }

// order returns the first n assets of a set, best first; of equally good ones the
// newest first.
func (k *ranking) order(set *roaring.Bitmap, n int) []uint32 {
	if len(k.meaning) == 0 {
		return best(set, n, k.words)
	}
	// Meaning only adds points: what is not among the first n by words is among the
	// first n of all only if it is near in meaning.
	first := roaring.BitmapOf(best(roaring.And(set, k.text.ids), n, k.words)...)
	for id := range k.meaning {
		if set.Contains(id) {
			first.Add(id)
		}
	}
	return best(first, n, k.points)
}

// page returns a part of a set by relevance.
func (k *ranking) page(set *roaring.Bitmap, desc bool, offset, limit int) []uint32 {
	if desc {
		return k.order(set, offset+limit)[offset:]
	}
	all := k.order(set, int(set.GetCardinality()))
	slices.Reverse(all)
	return all[offset : offset+limit]
}

// key is one number to sort assets by points and then by ID; points are never
// negative.
func key(points float32, id uint32) uint64 { return uint64(math.Float32bits(points))<<32 | uint64(id) }

// best returns the n assets of a set with the most points, best first; of equally
// good ones the newest first.
func best(set *roaring.Bitmap, n int, points func(uint32) float32) []uint32 {
	first := newTop(n, int(set.GetCardinality()))
	each(set, func(id uint32) { first.add(key(points(id), id)) })
	keys := first.sorted()
	ids := make([]uint32, len(keys))
	for i, key := range keys {
		ids[i] = uint32(key)
	}
	return ids
}

// top keeps the n largest keys of many.
type top struct {
	n, room int
	keys    []uint64
	least   uint64 // that keys have to be above
}

// newTop returns a top for n keys of about most.
func newTop(n, most int) *top {
	room := max(2*n, 1024)
	return &top{n: n, room: room, keys: make([]uint64, 0, min(room, most))}
}

// add takes a key, unless it is none of the largest for certain.
func (t *top) add(key uint64) {
	if key <= t.least {
		return
	}
	if t.keys = append(t.keys, key); len(t.keys) >= t.room {
		t.sorted()
	}
}

// sorted returns the largest keys, the largest first. It is the top's.
func (t *top) sorted() []uint64 {
	slices.Sort(t.keys)
	slices.Reverse(t.keys)
	if len(t.keys) > t.n {
		t.keys = t.keys[:t.n]
		t.least = t.keys[t.n-1]
	}
	return t.keys
}
