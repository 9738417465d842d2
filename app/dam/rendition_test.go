package dam_test

import (
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// The tables of renditions satisfy the assumptions of their callers.
func TestRenditions(t *testing.T) {
	t.Parallel()
	list := dam.Renditions()
	largest := 0
	for i, r := range list {
		if r.Name == "" || r.Size < 1 || r.Quality < 1 || r.Quality > 100 {
			t.Errorf("rendition %d: %+v", i, r)
		}
		if spec, ok := r.Name.Spec(); !ok || spec != r {
			t.Errorf("%s is %+v", r.Name, spec)
		}
		largest = max(largest, r.Size)
	}
	standing := dam.StandingRenditions()
	for i, r := range standing {
		if !r.Name.Stands() || i > 0 && r.Size <= standing[i-1].Size {
			t.Errorf("rendition %d: %+v", i, r)
		}
	}
	names := dam.RenditionPreview.Values()
	if len(names) != len(list)+1 || !slices.Contains(names, dam.RenditionProxy) || !slices.Contains(names, dam.RenditionThumbnail) ||
		dam.LargestRendition() != largest ||
		dam.LargestStanding() != standing[len(standing)-1].Size || dam.RenditionLarge.Stands() {
		t.Errorf("%v, %d of %v", names, dam.LargestRendition(), list)
	}
	if _, ok := dam.Rendition("huge").Spec(); ok {
		t.Error("there is a rendition of any name")
	}
}
