package search

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxFacetValues is the maximum number of values in a facet, most frequent first.
const maxFacetValues = 100

// facets counts the values of fields in a set.
func (e *Engine) facets(ctx context.Context, set *roaring.Bitmap, fields []string, in Scope) (map[string][]dam.FacetValue, error) {
	var columns []string
	ruled := map[int64]*roaring.Bitmap{}
	for _, f := range fields {
		if isValueField(f) {
			columns = append(columns, f)
		}
		if f == fieldCollections {
			for _, id := range in.Collections.ruled() {
				var err error
				if ruled[id], err = e.ruled(ctx, in.Collections, id, nil); err != nil {
					return nil, err
				}
			}
		}
	}
	held, err := e.ensure(ctx, columns)
	if err != nil {
		return nil, err
	}
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	all := map[string][]dam.FacetValue{}
	for _, f := range fields {
		switch {
		case f == fieldCollections:
			all[f] = countCollections(held.columns[f], in.Collections, ruled, set)
		case isValueField(f):
			all[f] = countValues(held.columns[f], set)
		case e.columns.words[f] != nil:
			all[f] = e.columns.countWords(f, set)
		default:
			all[f] = e.columns.countNumbers(f, set, in.Batches)
		}
	}
	return all, nil
}

func isValueField(f string) bool {
	return f == fieldCamera || f == fieldLens || f == fieldKeywords || f == fieldAITags || f == fieldPeople || f == fieldCollections ||
		strings.HasPrefix(f, "metadata.")
}

// count counts each value in a set.
func (col *valueColumn) count(set *roaring.Bitmap) []int {
	return countEach(set, len(col.values), func(id uint32, counts []int) {
		for _, n := range col.of.get(id) {
			counts[n]++
		}
	})
}

// countEach returns n counts, to which add contributes for each asset of a set. The work
// on a large set is divided among the processors.
func countEach(set *roaring.Bitmap, n int, add func(id uint32, counts []int)) []int {
	all := int(set.GetCardinality())
	parts := partsOf(all, max(assetsAPart, n))
	if parts == 1 {
		counts := make([]int, n)
		each(set, func(id uint32) { add(id, counts) })
		return counts
	}
	dense := set.ToDense()
	counts := inParts(parts, len(dense), func(from, to int) []int {
		counts := make([]int, n)
		for at := from; at < to; at++ {
			for left := dense[at]; left != 0; left &= left - 1 {
				add(uint32(at*64+bits.TrailingZeros64(left)), counts)
			}
		}
		return counts
	})
	for _, part := range counts[1:] {
		for i, count := range part {
			counts[0][i] += count
		}
	}
	return counts[0]
}

// each calls do for each asset of a set, in ascending order.
func each(set *roaring.Bitmap, do func(id uint32)) {
	var ids [1024]uint32
	for it := set.ManyIterator(); ; {
		n := it.NextMany(ids[:])
		if n == 0 {
			return
		}
		for _, id := range ids[:n] {
			do(id)
		}
	}
}

// mostFrequent returns the most frequent values. Texts that differ only in case and
// accents count as one.
func (col *valueColumn) mostFrequent(counts []int) []dam.FacetValue {
	return mostFrequent(counts, func(n int) int { return int(col.first[n]) }, func(n int) any { return col.values[n].raw })
}

func countValues(col *valueColumn, set *roaring.Bitmap) []dam.FacetValue {
	return col.mostFrequent(col.count(set))
}

func (c *columns) countWords(field string, set *roaring.Bitmap) []dam.FacetValue {
	d := c.words[field]
	counts := countEach(set, len(d.texts), func(id uint32, counts []int) {
		if c.known(id) {
			counts[d.of[id]]++
		}
	})
	if n, ok := d.num[""]; ok {
		counts[n] = 0
	}
	first := map[string]int{}
	key := func(n int) int {
		if k, ok := first[d.folded[n]]; ok {
			return k
		}
		first[d.folded[n]] = n
		return n
	}
	return mostFrequent(counts, key, func(n int) any { return d.texts[n] })
}

func (c *columns) countNumbers(field string, set *roaring.Bitmap, b *Batches) []dam.FacetValue {
	num := map[int64]int{}
	var numbers []int64
	var counts []int
	number := c.numberOf(field, b)
	each(set, func(id uint32) {
		if !c.known(id) {
			return
		}
		x, ok := number(id)
		if !ok {
			return
		}
		n, ok := num[int64(x)]
		if !ok {
			n = len(numbers)
			num[int64(x)] = n
			numbers, counts = append(numbers, int64(x)), append(counts, 0)
		}
		counts[n]++
	})
	return mostFrequent(counts, same, func(n int) any { return numbers[n] })
}

// mostFrequent sums the counts with the same key, which is less than the number of
// counts, and returns the largest sums. Each key is shown in its most frequent spelling.
func mostFrequent(counts []int, key func(n int) int, raw func(n int) any) []dam.FacetValue {
	type total struct{ count, shown, most int }
	totals := make([]total, len(counts))
	var keys []int // keys with counts, in their order
	for n, count := range counts {
		if count == 0 {
			continue
		}
		k := key(n)
		t := &totals[k]
		if t.count == 0 {
			keys = append(keys, k)
		}
		if t.count += count; count > t.most {
			t.shown, t.most = n, count
		}
	}
	largest := make([]int, 0, maxFacetValues+1)
	for _, k := range keys {
		if n := len(largest); n == maxFacetValues && totals[k].count <= totals[largest[n-1]].count {
			continue
		}
		at, _ := slices.BinarySearchFunc(largest, totals[k].count, func(x, count int) int {
			if totals[x].count >= count {
				return -1
			}
			return 1
		})
		largest = slices.Insert(largest, at, k)
		largest = largest[:min(len(largest), maxFacetValues)]
	}
	list := make([]dam.FacetValue, len(largest))
	for i, k := range largest {
		list[i] = dam.FacetValue{Value: raw(totals[k].shown), Count: totals[k].count}
	}
	return list
}

func same(n int) int { return n }
