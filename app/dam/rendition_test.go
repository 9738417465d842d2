package dam_test

import (
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// The table of renditions is in the order that those who read it rely on.
func TestRenditions(t *testing.T) {
	t.Parallel()
	list := dam.Renditions()
	for i, r := range list {
		if r.Name == "" || r.Size < 1 || r.Quality < 1 || r.Quality > 100 || i > 0 && r.Size <= list[i-1].Size {
			t.Errorf("rendition %d: %+v", i, r)
		}
	}
	names := dam.RenditionPreview.Values()
	if len(names) != len(list) || !slices.Contains(names, dam.RenditionThumbnail) || dam.LargestRendition() != list[len(list)-1].Size {
		t.Errorf("%v, %d of %v", names, dam.LargestRendition(), list)
	}
}
