package dam_test

import (
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Saved searches support the sorts of the asset list, but not the position in a collection.
func TestSavedSearchesAreNotSortedByPosition(t *testing.T) {
	t.Parallel()
	for _, by := range dam.Values[dam.Sort]() {
		s := dam.SavedSearch{Name: "Harbours", Query: dam.QueryParams{SortBy: by}}
		valid := s.Validate() == nil
		if want := by != dam.SortPosition; valid != want || slices.Contains(dam.ListSorts(), by) != want {
			t.Errorf("sorted by %s: valid %v, want %v", by, valid, want)
		}
	}
}
