package search

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Similar is an asset that is similar to another.
type Similar struct {
	AssetID int64
	// Distance is the number of the 64 bits in which the perceptual hashes differ, up to
	// NearDuplicate; -1 if only the meaning is similar.
	Distance int
	// Cosine of the angle between the embeddings; 0 if unknown.
	Cosine float64
}

// NearDuplicate is the maximum number of bits by which the perceptual hashes of two
// versions of an image differ: scaled, recompressed or slightly retouched.
const NearDuplicate = 6

// Similar returns up to n assets outside the trash that are similar to one: first its
// near duplicates, then those with a similar meaning.
func (e *Engine) Similar(ctx context.Context, asset int64, n int) ([]Similar, dam.Meaning, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, "", fmt.Errorf("refresh columns: %w", err)
	}
	e.colMu.RLock()
	live := e.columns.all(dam.TrashedWithout)
	var list []Similar
	if id := uint32(asset); e.columns.known(id) && e.columns.phash[id] != 0 {
		hash := e.columns.phash[id]
		for it := live.Iterator(); it.HasNext(); {
			other := it.Next()
			h := e.columns.phash[other]
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
		list[i].Cosine = float64(e.vectors.cosine(own, uint32(list[i].AssetID)))
	}
	close = slices.DeleteFunc(close, func(x near) bool { return !x.enough })
	for _, m := range close[:min(len(close), n-len(list))] {
		list = append(list, Similar{AssetID: int64(m.id), Distance: -1, Cosine: float64(m.product)})
	}
	return list, state, nil
}
