package media_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/media"
)

// A picture that declares its colours by code points renders as in Chromium: the expected values
// were read back from a canvas of Chromium 156.
func TestColorsOfCodePoints(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	for _, tt := range []struct {
		name, note string
		grey, red  uint32
	}{
		{"pq.avif", "a high dynamic range, mapped to sRGB", 187, 173},
		{"hlg.avif", "a high dynamic range, mapped to sRGB", 120, 114},
		{"p3-nclx.avif", "converted to sRGB", 148, 144},
		{"srgb.avif", "", 148, 131},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "avif", tt.name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := extractBy(t, p, data, tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if note, _ := file(r)["color_profile"].(string); note != tt.note {
			t.Errorf("%s: color_profile is %q, want %q", tt.name, note, tt.note)
		}
		near := func(x, want uint32) bool { return max(x, want)-min(x, want) <= 3 }
		if r, g, b := at(t, r, 25, 50); !near(r, tt.grey) || !near(g, tt.grey) || !near(b, tt.grey) {
			t.Errorf("%s: grey is %d, %d, %d, want %d", tt.name, r, g, b, tt.grey)
		}
		if r, g, b := at(t, r, 75, 50); !near(r, tt.red) || !near(g, 0) || !near(b, 0) {
			t.Errorf("%s: red is %d, %d, %d, want %d, 0, 0", tt.name, r, g, b, tt.red)
		}
	}
}
