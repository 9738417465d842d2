package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxFacetValues is how many values a facet has at most: the most frequent.
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
	return f == fieldKeywords || f == fieldAITags || f == fieldCollections || strings.HasPrefix(f, "metadata.")
}

// count counts each value in a set.
func (col *valueColumn) count(set *roaring.Bitmap) []int {
	counts := make([]int, len(col.values))
	for it := set.Iterator(); it.HasNext(); {
		if id := it.Next(); int(id) < len(col.of) {
			for _, n := range col.of[id] {
				counts[n]++
			}
		}
	}
	return counts
}

func countValues(col *valueColumn, set *roaring.Bitmap) []dam.FacetValue {
	return mostFrequent(col.count(set), func(n int) (raw, key any) { return col.values[n].raw, col.values[n].key() })
}

func (c *columns) countWords(field string, set *roaring.Bitmap) []dam.FacetValue {
	d := c.words[field]
	counts := make([]int, len(d.texts))
	for it := set.Iterator(); it.HasNext(); {
		if id := it.Next(); c.known(id) {
			counts[d.of[id]]++
		}
	}
	if n, ok := d.num[""]; ok {
		counts[n] = 0
	}
	return mostFrequent(counts, func(n int) (raw, key any) { return d.texts[n], d.folded[n] })
}

func (c *columns) countNumbers(field string, set *roaring.Bitmap, b *Batches) []dam.FacetValue {
	num := map[int64]int{}
	var numbers []int64
	var counts []int
	for it := set.Iterator(); it.HasNext(); {
		id := it.Next()
		if !c.known(id) {
			continue
		}
		x, ok := b.number(&c.rows[id], field)
		if !ok {
			continue
		}
		n, ok := num[int64(x)]
		if !ok {
			n = len(numbers)
			num[int64(x)] = n
			numbers, counts = append(numbers, int64(x)), append(counts, 0)
		}
		counts[n]++
	}
	return mostFrequent(counts, func(n int) (raw, key any) { return numbers[n], numbers[n] })
}

// mostFrequent adds up counts with the same key and returns the largest.
func mostFrequent(counts []int, value func(n int) (raw, key any)) []dam.FacetValue {
	at := map[any]int{}
	list := []dam.FacetValue{}
	most := []int{} // counts of the spellings shown
	for n, count := range counts {
		if count == 0 {
			continue
		}
		raw, key := value(n)
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list, most = append(list, dam.FacetValue{Value: raw}), append(most, count)
		}
		list[i].Count += count
		if count > most[i] {
			list[i].Value, most[i] = raw, count
		}
	}
	slices.SortStableFunc(list, func(a, b dam.FacetValue) int { return cmp.Compare(b.Count, a.Count) })
	return list[:min(len(list), maxFacetValues)]
}
