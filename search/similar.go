package search

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Similar is an asset that is like another.
type Similar struct {
	AssetID int64
	// Distance is how many of the 64 bits of the perceptual hashes differ, up to
	// NearDuplicate; -1 if only the meaning is near.
	Distance int
	// Cosine of the angle between the meanings; 0 if unknown.
	Cosine float64
}

// NearDuplicate is how many bits the perceptual hashes of two versions of a picture
// differ by at most: scaled, recompressed or slightly retouched.
const NearDuplicate = 6

// Similar returns up to n assets outside the trash that are like one: first its
// near duplicates, then what means the same.
func (e *Engine) Similar(ctx context.Context, asset int64, n int) ([]Similar, dam.Meaning, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, "", fmt.Errorf("refresh columns: %w", err)
	}
	e.colMu.RLock()
	live := e.columns.all(dam.TrashedWithout)
	var list []Similar
	if id := uint32(asset); e.columns.known(id) && e.columns.rows[id].phash != 0 {
		hash := e.columns.rows[id].phash
		for it := live.Iterator(); it.HasNext(); {
			other := it.Next()
			h := e.columns.rows[other].phash
			if d := bits.OnesCount64(h ^ hash); h != 0 && d <= NearDuplicate && other != id {
				list = append(list, Similar{AssetID: int64(other), Distance: d})
			}
		}
	}
	e.colMu.RUnlock()
	slices.SortStableFunc(list, func(a, b Similar) int { return cmp.Compare(a.Distance, b.Distance) })
	list = list[:min(n, len(list))]
	live.Remove(uint32(asset))
	state := e.vectors.state()
	e.vectors.mu.RLock()
	own := e.vectors.of(uint32(asset))
	background := e.vectors.background
	e.vectors.mu.RUnlock()
	if !state.Searches() || own == nil {
		return list, state, nil
	}
	for _, s := range list {
		live.Remove(uint32(s.AssetID))
	}
	if background == nil {
		var err error
		if background, err = e.vectors.unrelated(ctx); err != nil {
			e.vectors.failed(ctx, err, e.log)
			return list, dam.MeaningUnavailable, nil
		}
	}
	if len(background.mean) != len(own) { // the model has changed
		return list, state, nil
	}
	close := e.vectors.nearest(likeProbe(own, background), n, live)
	for i := range list {
		e.vectors.mu.RLock()
		if v := e.vectors.of(uint32(list[i].AssetID)); len(v) == len(own) {
			list[i].Cosine = float64(dot(own, v))
		}
		e.vectors.mu.RUnlock()
	}
	close = slices.DeleteFunc(close, func(x near) bool { return !x.enough })
	for _, m := range close[:min(len(close), n-len(list))] {
		list = append(list, Similar{AssetID: int64(m.id), Distance: -1, Cosine: float64(m.product)})
	}
	return list, state, nil
}

// NearDuplicates groups pictures that are the same or nearly so, given the
// perceptual hashes of assets, 0 for none: in a group each is within distance bits
// of another. The oldest assets come first.
func NearDuplicates(ctx context.Context, pictures map[int64]uint64, distance int) ([][]int64, error) {
	var hashes []uint64
	same := map[uint64][]int64{} // the assets of each
	for id, h := range pictures {
		if h == 0 {
			continue
		}
		if same[h] = append(same[h], id); len(same[h]) == 1 {
			hashes = append(hashes, h)
		}
	}

	// Of distance+1 parts of two hashes at least one is the same: only pictures
	// that share a part have to be compared.
	parent := make([]int, len(hashes))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	parts := distance + 1
	for p := range parts {
		from, to := 64*p/parts, 64*(p+1)/parts
		buckets := map[uint64][]int{}
		for i, h := range hashes {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			part := h << (64 - to) >> (64 - to + from)
			for _, j := range buckets[part] {
				if bits.OnesCount64(h^hashes[j]) <= distance {
					if a, b := root(i), root(j); a != b {
						parent[max(a, b)] = min(a, b)
					}
				}
			}
			buckets[part] = append(buckets[part], i)
		}
	}
	groups := map[int][]int64{}
	for i, h := range hashes {
		groups[root(i)] = append(groups[root(i)], same[h]...)
	}
	var out [][]int64
	for _, g := range groups {
		if len(g) > 1 {
			slices.Sort(g)
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
	return out, nil
}
