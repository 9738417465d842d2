package search

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Picks are the assets that guests have picked, by the share; shares that are not in it do
// not exist for the query.
type Picks map[int64][]int64

// pickRule answers a rule about what guests have picked. It is not cached: what they pick is
// no change of the assets.
func (e *evaluation) pickRule(f *dam.Filter) *roaring.Bitmap {
	picked := roaring.New()
	for _, share := range f.Value.IDs {
		for _, asset := range e.picks[share] {
			picked.Add(uint32(asset))
		}
	}
	set := e.all()
	if _, negative := f.Operator.Positive(); negative {
		return roaring.AndNot(set, picked)
	}
	return roaring.And(set, picked)
}
