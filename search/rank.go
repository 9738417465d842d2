package search

import (
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// ranking combines the results of keyword search and semantic search.
type ranking struct {
	text    *matches
	meaning map[uint32]float32 // points for semantic similarity; see meaningWeight
	alike   map[uint32]bool    // matches by synonyms only, one for each word
	within  *roaring.Bitmap    // all matches that satisfy the rest of the query
	weight  []float32          // scores of a query without a text, by asset ID; empty if it has no relevance
}

// has reports whether the query has a relevance.
func (k *ranking) has() bool { return k.text != nil || len(k.weight) > 0 }

// free releases the memory of k, which must not be used afterwards.
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

// mean adds semantic results for a library with a number of assets: to those that also
// match by words, and, unless wordsOnly is set, to others that are near enough or have a
// synonym of each word.
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

// matchedOn returns the names of the fields of an asset that matched.
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

// words returns the score of an asset, without semantic similarity.
func (k *ranking) words(id uint32) float32 {
	switch {
	case k.text == nil && int(id) < len(k.weight):
		return k.weight[id]
	case k.text == nil:
		return 0
	case int(id) < len(k.text.points):
		return k.text.points[id] // 0 without a match; excluded assets are never passed
	}
	return 0
}

// points returns the score of an asset by words and meaning.
func (k *ranking) points(id uint32) float32 { return k.words(id) + k.meaning[id] }

// order returns the first n assets of a set, best first; ties are newest first.
func (k *ranking) order(set *roaring.Bitmap, n int) []uint32 {
	if len(k.meaning) == 0 {
		return best(set, n, k.words)
	}
	// Semantic similarity only adds points: an asset outside the first n by words can be
	// among the first n overall only if it is a semantic result.
	first := roaring.BitmapOf(best(roaring.And(set, k.text.ids), n, k.words)...)
	for id := range k.meaning {
		if set.Contains(id) {
			first.Add(id)
		}
	}
	return best(first, n, k.points)
}

// page returns a page of a set by relevance.
func (k *ranking) page(set *roaring.Bitmap, desc bool, offset, limit int) []uint32 {
	if desc {
		return k.order(set, offset+limit)[offset:]
	}
	all := k.order(set, int(set.GetCardinality()))
	slices.Reverse(all)
	return all[offset : offset+limit]
}

// key returns a key that sorts assets by points, then by ID; points are never negative.
func key(points float32, id uint32) uint64 { return uint64(math.Float32bits(points))<<32 | uint64(id) }

// best returns the n assets of a set with the most points, best first; ties are newest
// first.
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

// top collects the n largest of many keys.
type top struct {
	n, room int
	keys    []uint64
	least   uint64 // keys must be larger
}

// newTop returns a top for n keys of about most.
func newTop(n, most int) *top {
	room := max(2*n, 1024)
	return &top{n: n, room: room, keys: make([]uint64, 0, min(room, most))}
}

// add adds a key, unless it cannot be among the largest.
func (t *top) add(key uint64) {
	if key <= t.least {
		return
	}
	if t.keys = append(t.keys, key); len(t.keys) >= t.room {
		t.sorted()
	}
}

// sorted returns the largest keys, largest first. The top owns the slice.
func (t *top) sorted() []uint64 {
	slices.Sort(t.keys)
	slices.Reverse(t.keys)
	if len(t.keys) > t.n {
		t.keys = t.keys[:t.n]
		t.least = t.keys[t.n-1]
	}
	return t.keys
}
