package search

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Picks contains the assets that guests have picked, by share; other shares do not exist
// for the query.
type Picks map[int64][]int64

// Found is the caller's result for a rule on records that the engine does not follow,
// ignoring its negation; see dam.Filter.Outside.
type Found struct {
	Assets []int64
	Others bool // the rule matches all assets but these
}

// outsideRule evaluates a rule by the caller's result. It is not cached, like pickRule.
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

// NumberTest returns a test for an operator without negation that compares numbers.
func NumberTest(op dam.FilterOperator, want []float64) func(float64) bool {
	return numberTest(op, want)
}

// pickRule evaluates a rule about the picks of guests. It is not cached, because picks do
// not change assets.
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
