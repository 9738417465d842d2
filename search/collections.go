package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// needed returns the smart collections whose assets a rule needs.
func (c *Collections) needed(f *dam.Filter) []int64 {
	if c == nil || len(c.Rules) == 0 {
		return nil
	}
	if op, _ := f.Operator.Positive(); op == dam.OpIsEmpty || op == dam.OpEquals {
		return c.ruled()
	}
	return slices.DeleteFunc(slices.Clone(f.Value.IDs), func(id int64) bool { return c.Rules[id] == nil })
}

// CollectionCounts returns the number of assets outside the trash in each of some
// collections.
func (e *Engine) CollectionCounts(ctx context.Context, c *Collections, ids []int64) (map[int64]int, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	held, err := e.ensure(ctx, []string{fieldCollections})
	if err != nil {
		return nil, err
	}
	counts := make(map[int64]int, len(ids))
	e.colMu.RLock()
	col := held.columns[fieldCollections]
	all := col.count(e.columns.live)
	for _, id := range ids {
		if n, ok := col.num[id]; ok {
			counts[id] = all[n]
		}
	}
	e.colMu.RUnlock()
	for _, id := range ids {
		if c == nil || c.Rules[id] == nil {
			continue
		}
		set, err := e.ruled(ctx, c, id, nil)
		if err != nil {
			return nil, err
		}
		e.colMu.RLock()
		counts[id] = int(set.AndCardinality(e.columns.live))
		e.colMu.RUnlock()
	}
	return counts, nil
}

// EachInCollections calls yield with each pair of a collection and one of the given
// assets that it contains, outside the trash.
func (e *Engine) EachInCollections(
	ctx context.Context, c *Collections, assets *roaring.Bitmap, yield func(collection, asset int64),
) error {
	if err := e.refresh(ctx); err != nil {
		return fmt.Errorf("refresh columns: %w", err)
	}
	held, err := e.ensure(ctx, []string{fieldCollections})
	if err != nil {
		return err
	}
	e.colMu.RLock()
	col := held.columns[fieldCollections]
	live := roaring.And(assets, e.columns.live)
	ids := make([]int64, len(col.values)) // 0 for those not in c
	for i := range col.values {
		if id, _ := col.values[i].raw.(int64); c.has(id) {
			ids[i] = id
		}
	}
	each(live, func(asset uint32) {
		for _, n := range col.of.get(asset) {
			if ids[n] != 0 {
				yield(ids[n], int64(asset))
			}
		}
	})
	e.colMu.RUnlock()
	for _, id := range c.ruled() {
		set, err := e.ruled(ctx, c, id, nil)
		if err != nil {
			return err
		}
		each(roaring.And(set, live), func(asset uint32) { yield(id, int64(asset)) })
	}
	return nil
}

// RuledWith returns the pairs of an asset and a smart collection that contains it.
func (e *Engine) RuledWith(ctx context.Context, c *Collections, assets []int64) (pairs [][2]int64, err error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	var only []int64
	if len(assets) == 1 {
		only = assets
	}
	for _, id := range c.ruled() {
		set, err := e.ruled(ctx, c, id, only)
		if err != nil {
			return nil, err
		}
		for _, asset := range assets {
			if set.Contains(uint32(asset)) {
				pairs = append(pairs, [2]int64{asset, id})
			}
		}
	}
	return pairs, nil
}

// collectionRule evaluates a rule about the collections of assets.
func (e *evaluation) collectionRule(f *dam.Filter) *roaring.Bitmap {
	op, negative := f.Operator.Positive()
	var set *roaring.Bitmap
	switch op {
	case dam.OpIsEmpty:
		set = e.inExactly(nil)
	case dam.OpEquals:
		set = e.inExactly(f.Value.IDs)
	default:
		set = e.inAny(f.Value.IDs)
	}
	if negative {
		return roaring.AndNot(e.all(), set)
	}
	return set
}

// inAny returns the assets in any of some collections.
func (e *evaluation) inAny(ids []int64) *roaring.Bitmap {
	known, ruled := e.sort(ids)
	set := e.cached(fmt.Sprintf("in any %d", known), func() *roaring.Bitmap {
		return e.byCollections(known, func(wanted, _ int) bool { return wanted > 0 })
	})
	for _, id := range ruled {
		set = roaring.Or(set, e.ruled[id])
	}
	return set
}

// inExactly returns the assets that are in all of some collections and in no others.
func (e *evaluation) inExactly(ids []int64) *roaring.Bitmap {
	known, ruled := e.sort(ids)
	if len(known)+len(ruled) < len(slices.Compact(slices.Sorted(slices.Values(ids)))) { // no asset is in a collection that does not exist
		return roaring.New()
	}
	set := e.cached(fmt.Sprintf("in exactly %d %q", known, e.collections.key()), func() *roaring.Bitmap {
		return e.byCollections(known, func(wanted, others int) bool { return wanted == len(known) && others == 0 })
	})
	for _, id := range e.collections.ruled() {
		if slices.Contains(ruled, id) {
			set = roaring.And(set, e.ruled[id])
		} else {
			set = roaring.AndNot(set, e.ruled[id])
		}
	}
	return set
}

// sort splits collections into manual and smart ones, each ascending and without
// duplicates.
func (e *evaluation) sort(ids []int64) (known, ruled []int64) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if e.collections.has(id) {
			known = append(known, id)
		} else if e.ruled[id] != nil {
			ruled = append(ruled, id)
		}
	}
	return known, ruled
}

// byCollections returns the assets for which fits returns true, given the number of
// wanted collections and of others in scope that contain them.
func (e *evaluation) byCollections(want []int64, fits func(wanted, others int) bool) *roaring.Bitmap {
	col := e.held.columns[fieldCollections]
	const unknown, other, wanted = 0, 1, 2
	is := make([]uint8, len(col.values))
	for i := range col.values {
		id, _ := col.values[i].raw.(int64)
		if _, ok := slices.BinarySearch(want, id); ok {
			is[i] = wanted
		} else if e.collections.has(id) {
			is[i] = other
		}
	}
	return e.where(func(id uint32) bool {
		var n [3]int
		for _, x := range col.of.get(id) {
			n[is[x]]++
		}
		return fits(n[wanted], n[other])
	})
}

// countCollections counts the collections in scope of a set of assets.
func countCollections(col *valueColumn, c *Collections, ruled map[int64]*roaring.Bitmap, set *roaring.Bitmap) []dam.FacetValue {
	var ids []int64
	for i := range col.values {
		id, _ := col.values[i].raw.(int64)
		ids = append(ids, id)
	}
	counts := col.count(set)
	for i, id := range ids {
		if !c.has(id) {
			counts[i] = 0
		}
	}
	for _, id := range c.ruled() {
		ids, counts = append(ids, id), append(counts, int(ruled[id].AndCardinality(set)))
	}
	return mostFrequent(counts, same, func(n int) any { return ids[n] })
}
