package search

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Picks are the assets that guests have picked, by the share; shares that are not in it do
// not exist for the query.
type Picks map[int64][]int64

// Found is what the caller of a query has found for a rule that is answered by records the
// engine does not follow, but for its negation; see dam.Filter.Outside.
type Found struct {
	Assets []int64
	Others bool // the rule holds for all assets but these
}

// outsideRule answers a rule by what the caller has found, and nothing else. Like pickRule it
// is not cached.
func (e *evaluation) outsideRule(f *dam.Filter) *roaring.Bitmap {
	found := e.outside[f]
	set := roaring.New()
	for _, asset := range found.Assets {
		set.Add(uint32(asset))
	}
	if _, negative := f.Operator.Positive(); negative != found.Others {
		return roaring.AndNot(e.all(), set)
	}
	return roaring.And(e.all(), set)
}

// NumberTest returns a test for what an operator without negation compares with numbers.
func NumberTest(op dam.FilterOperator, want []float64) func(float64) bool {
	return numberTest(op, want)
}

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
