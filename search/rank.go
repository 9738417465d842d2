package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// ranking is what the two legs of a search found.
type ranking struct {
	text    *matches
	meaning []near          // best first
	within  *roaring.Bitmap // all that was found and fits the rest of the query
	fused   bool
	weight  map[uint32]float32 // of a query without a text
}

// has reports whether there is something to be relevant to.
func (k *ranking) has() bool { return k.text != nil || len(k.weight) > 0 }

// isName reports whether the text is the GAID of an asset.
func (k *ranking) isName(m *matches) bool {
	return m.ids.GetCardinality() == 1 && m.fields[m.ids.Minimum()] == 1<<gaidBit
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
	if slices.ContainsFunc(k.meaning, func(n near) bool { return n.id == id }) {
		names = append(names, "meaning")
	}
	return names
}

// points is how well an asset matches, without what is found by meaning.
func (k *ranking) points(id uint32) float32 {
	switch {
	case k.text == nil:
		return k.weight[id]
	case int(id) < len(k.text.points) && k.text.ids.Contains(id):
		return k.text.points[id]
	}
	return 0
}

// fuse is the score of an asset by its places in both lists, from 1, or 0 for a
// list without it: from 0 to 1, the score of the first in both.
func fuse(byWords, byMeaning int) float64 {
	var sum float64
	if byWords > 0 {
		sum = textWeight / (fusionK + float64(byWords))
	}
	if byMeaning > 0 {
		sum += meaningWeight / (fusionK + float64(byMeaning))
	}
	return sum / ((textWeight + meaningWeight) / (fusionK + 1))
}

// order returns the first n assets of a set, best first; of equally good ones the
// newest first.
func (k *ranking) order(set *roaring.Bitmap, n int) []uint32 {
	if k.text == nil || len(k.meaning) == 0 {
		return best(set, n, k.points)
	}
	// What is not among the first n by words is among the first n of all only if
	// it is found by meaning too.
	words := roaring.And(set, k.text.ids)
	all := best(words, n, k.points)
	byWords, byMeaning := make(map[uint32]int, len(all)), make(map[uint32]int, len(k.meaning))
	for i, id := range all {
		byWords[id] = i + 1
	}
	var below []uint32
	for i, m := range k.meaning {
		byMeaning[m.id] = i + 1
		if byWords[m.id] == 0 && set.Contains(m.id) {
			if all = append(all, m.id); words.Contains(m.id) {
				below = append(below, m.id)
			}
		}
	}
	if len(below) > 0 {
		for i, place := range k.ranks(words, below) {
			byWords[below[i]] = place
		}
	}
	slices.SortFunc(all, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(fuse(byWords[b], byMeaning[b]), fuse(byWords[a], byMeaning[a])), cmp.Compare(b, a))
	})
	return all[:min(n, len(all))]
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

// scores returns the scores of assets: their points if there are only words, else
// the fusion of both lists.
func (k *ranking) scores(set *roaring.Bitmap, ids []uint32) []float64 {
	list := make([]float64, len(ids))
	if !k.fused {
		for i, id := range ids {
			list[i] = float64(k.points(id))
		}
		return list
	}
	ranks := k.ranks(roaring.And(set, k.text.ids), ids)
	for i, id := range ids {
		if !k.text.ids.Contains(id) {
			ranks[i] = 0
		}
		list[i] = fuse(ranks[i], 1+slices.IndexFunc(k.meaning, func(n near) bool { return n.id == id }))
	}
	return list
}

// key is one number to sort assets by points and then by ID; points are never
// negative.
func key(points float32, id uint32) uint64 { return uint64(math.Float32bits(points))<<32 | uint64(id) }

// ranks returns the places that assets have in a set, from 1.
func (k *ranking) ranks(set *roaring.Bitmap, ids []uint32) []int {
	sorted := make([]uint64, len(ids))
	for i, id := range ids {
		sorted[i] = key(k.points(id), id)
	}
	slices.Sort(sorted)
	better := make([]int, len(ids)+1) // counts assets of the set by how many of these they beat
	for it := set.Iterator(); it.HasNext(); {
		id := it.Next()
		n, _ := slices.BinarySearch(sorted, key(k.points(id), id))
		better[n]++
	}
	list := make([]int, len(ids))
	for i, id := range ids {
		n, _ := slices.BinarySearch(sorted, key(k.points(id), id))
		for _, b := range better[n+1:] {
			list[i] += b
		}
		list[i]++
	}
	return list
}

// best returns the n assets of a set with the most points, best first; of equally
// good ones the newest first.
func best(set *roaring.Bitmap, n int, points func(uint32) float32) []uint32 {
	room := max(2*n, 1024)
	keys := make([]uint64, 0, min(room, int(set.GetCardinality())))
	var least uint64
	cut := func() {
		slices.Sort(keys)
		slices.Reverse(keys)
		if len(keys) > n {
			keys = keys[:n]
			least = keys[n-1]
		}
	}
	for it := set.Iterator(); it.HasNext(); {
		id := it.Next()
		next := key(points(id), id)
		if next <= least {
			continue
		}
		if keys = append(keys, next); len(keys) >= room {
			cut()
		}
	}
	cut()
	ids := make([]uint32, len(keys))
	for i, key := range keys {
		ids[i] = uint32(key)
	}
	return ids
}
