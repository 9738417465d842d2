package media_test

import (
	"image"
	"image/color"
	"image/draw"
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

// halved is a picture that is grey on the left and red on the right.
func halved(img draw.Image, grey, red byte) image.Image {
	draw.Draw(img, image.Rect(0, 0, 32, 32), image.NewUniform(color.NRGBA{grey, grey, grey, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(32, 0, 64, 32), image.NewUniform(color.NRGBA{red, 0, 0, 255}), image.Point{}, draw.Src)
	return img
}

// The code points of a PNG take precedence over its profile. The expected values are those of
// Chromium, as in TestConvert of cicp.
func TestColorsOfPNG(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	const hdr, sdr = "a high dynamic range, mapped to sRGB", "converted to sRGB"
	size := image.Rect(0, 0, 64, 32)
	twoColors := color.Palette{color.NRGBA{148, 148, 148, 255}, color.NRGBA{130, 0, 0, 255}}
	for _, tt := range []struct {
		name, code string
		img        image.Image
		note       string
		grey, red  uint32
	}{
		{"PQ", "\x09\x10\x00\x01", halved(image.NewNRGBA(size), 150, 130), hdr, 193, 173},
		{"PQ in 16 bits", "\x09\x10\x00\x01", halved(image.NewNRGBA64(size), 150, 130), hdr, 193, 173},
		{"HLG", "\x09\x12\x00\x01", halved(image.NewNRGBA(size), 150, 130), hdr, 122, 113},
		{"HLG in 16 bits", "\x09\x12\x00\x01", halved(image.NewNRGBA64(size), 150, 130), hdr, 122, 113},
		{"Display P3", "\x0c\x0d\x00\x01", halved(image.NewNRGBA(size), 148, 130), sdr, 148, 144},
		{"a palette", "\x0c\x0d\x00\x01", halved(image.NewPaletted(size, twoColors), 148, 130), sdr, 148, 144},
		{"sRGB", "\x01\x0d\x00\x01", halved(image.NewNRGBA(size), 148, 130), "sRGB", 148, 130},
		{"a short chunk", "\x09\x10\x00", halved(image.NewNRGBA(size), 148, 130), "", 148, 130},
		{"a narrow range", "\x09\x10\x00\x00", halved(image.NewNRGBA(size), 148, 130), "", 148, 130},
		{"unknown", "\x02\x02\x00\x01", halved(image.NewNRGBA(size), 148, 130), "", 148, 130},
	} {
		for _, withProfile := range []bool{false, true} {
			data := pngOf(t, tt.img)
			if withProfile && tt.note != "" {
				data = pngProfile(t, data, adobeRGB())
			}
			data = withChunk(data, "cICP", []byte(tt.code))
			r, err := extractBy(t, p, data, "a.png")
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if note, _ := file(r)["color_profile"].(string); note != tt.note {
				t.Errorf("%s: color_profile is %q, want %q", tt.name, note, tt.note)
			}
			near := func(x, want uint32) bool { return max(x, want)-min(x, want) <= 4 }
			if r, g, b := at(t, r, 25, 50); !near(r, tt.grey) || !near(g, tt.grey) || !near(b, tt.grey) {
				t.Errorf("%s: grey is %d, %d, %d, want %d", tt.name, r, g, b, tt.grey)
			}
			if r, g, b := at(t, r, 75, 50); !near(r, tt.red) || !near(g, 0) || !near(b, 0) {
				t.Errorf("%s: red is %d, %d, %d, want %d, 0, 0", tt.name, r, g, b, tt.red)
			}
		}
	}
	for name, img := range map[string]image.Image{
		"8 bits": halved(image.NewGray(size), 150, 150), "16 bits": halved(image.NewGray16(size), 150, 150),
	} {
		r, err := extractBy(t, p, withChunk(pngOf(t, img), "cICP", []byte("\x09\x10\x00\x01")), "a.png")
		if err != nil {
			t.Fatal(err)
		}
		if r, g, b := at(t, r, 25, 50); max(r, g, b) > 196 || min(r, g, b) < 190 {
			t.Errorf("grey of %s is %d, %d, %d", name, r, g, b)
		}
	}
}
