package media_test

import (
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"testing"
	"time"

	xdraw "golang.org/x/image/draw"
)

// photos returns a folder of photos that is not part of the repository.
func photos() string { return filepath.Join("..", "..", "..", "shared", "corpora", "photos") }

// photo reads a file in photos().
func photo(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(photos(), name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("there is no folder of photos at ../shared/corpora/photos")
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The expected values are those that exiftool 12.57 reads from the photos, if they are
// available.
func TestMetadataOfPhotos(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, date string
		lat, long  any
	}{
		{"gps-DSCN0010.jpg", "2008-10-22T16:28:39Z", 43.467448, 11.885127},
		{"gps-DSCN0012.jpg", "2008-10-22T16:29:49Z", 43.467157, 11.885395},
		{"gps-DSCN0021.jpg", "2008-10-22T16:38:20Z", 43.467082, 11.884538},
		{"gps-DSCN0025.jpg", "2008-10-22T16:43:21Z", 43.468365, 11.881635},
		{"gps-DSCN0027.jpg", "2008-10-22T16:44:01Z", 43.468442, 11.881515},
		{"gps-DSCN0029.jpg", "2008-10-22T16:46:53Z", 43.468243, 11.880172},
		{"gps-DSCN0038.jpg", "2008-10-22T16:52:15Z", 43.467255, 11.879213},
		{"gps-DSCN0040.jpg", "2008-10-22T16:55:37Z", 43.466012, 11.879112},
		{"gps-DSCN0042.jpg", "2008-10-22T17:00:07Z", 43.464455, 11.881478},
		{"jpg-Kodak_CX7530.jpg", "2005-08-13T09:47:23Z", -0.3713, 36.056417},
		{"jpg-Nikon_D70.jpg", "2008-03-15T13:52:01Z", nil, nil},   // zone in XMP
		{"jpg-Pentax_K10D.jpg", "2008-05-04T07:47:24Z", nil, nil}, // zone in XMP
		{"xmp-BlueSquare.jpg", "2005-09-07T22:07:40Z", nil, nil},  // XMP only
		{"exif-org-canon-ixus.jpg", "2001-06-09T15:17:32Z", nil, nil},
	}
	for _, tt := range tests {
		r, err := extract(photo(t, tt.name), tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		gps, _ := r.Technical["gps"].(map[string]any)
		date := ""
		if r.CaptureDate != nil {
			date = r.CaptureDate.UTC().Format(time.RFC3339Nano)
		}
		if date != tt.date || gps["latitude"] != tt.lat || gps["longitude"] != tt.long {
			t.Errorf("%s: %v, %v, %v", tt.name, r.CaptureDate, gps["latitude"], gps["longitude"])
		}
	}
}

// A photo is recognized at another size and quality, others are distinguished, and all eight
// orientations look alike.
func TestPhotosAlike(t *testing.T) {
	t.Parallel()
	hashes := map[string]uint64{}
	files, _ := filepath.Glob(filepath.Join(photos(), "exif-org-*.jpg"))
	if len(files) == 0 {
		t.Skip("there is no folder of photos at ../shared/corpora/photos")
	}
	for _, path := range files[:min(len(files), 8)] {
		name := filepath.Base(path)
		data := photo(t, name)
		r, err := extract(data, name)
		if err != nil {
			t.Fatal(name, err)
		}
		full := decodeJPEG(t, data)
		small := image.NewRGBA(image.Rect(0, 0, full.Bounds().Dx()*2/3, full.Bounds().Dy()*2/3))
		xdraw.ApproxBiLinear.Scale(small, small.Rect, full, full.Bounds(), xdraw.Src, nil)
		again, err := extract(encoded(t, func(w io.Writer) error { return jpeg.Encode(w, small, &jpeg.Options{Quality: 40}) }), name)
		if err != nil {
			t.Fatal(name, err)
		}
		if d := bits.OnesCount64(r.Picture.PHash ^ again.Picture.PHash); d > 6 {
			t.Errorf("%s made smaller differs in %d bits", name, d)
		}
		for other, hash := range hashes {
			if d := bits.OnesCount64(r.Picture.PHash ^ hash); d < 14 {
				t.Errorf("%s and %s differ in %d bits only", name, other, d)
			}
		}
		hashes[name] = r.Picture.PHash
	}
	for _, kind := range []string{"landscape", "portrait"} {
		var first image.Image
		for n := range 8 {
			name := "orientation-" + kind + "_" + string(rune('1'+n)) + ".jpg"
			r, err := extract(photo(t, name), name)
			if err != nil {
				t.Fatal(name, err)
			}
			if (r.Width > r.Height) != (kind == "landscape") {
				t.Errorf("%s: %d × %d", name, r.Width, r.Height)
			}
			img := decodeJPEG(t, thumbnail(r))
			if first == nil {
				first = img
			}
			if d := difference(first, img); d > 6 {
				t.Errorf("%s differs from the first by %.1f of 255", name, d)
			}
		}
	}
}

// Libraries contain hashes from before pictures were processed as planes, which were
// computed through RGB and floating point. The hashes of photos are still close enough to
// find duplicates.
func TestPhotosHashAsBefore(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]uint64{
		"exif-org-canon-ixus.jpg":      0x5f0dd9489031f399,
		"exif-org-fujifilm-mx1700.jpg": 0x591927cc89b317ca,
		"exif-org-nikon-e950.jpg":      0x6a895852f6f488ab,
		"exif-org-ricoh-rdc5300.jpg":   0x0aa2d4d72f2cea34,
		"exif-org-sony-cybershot.jpg":  0x5cd30305f9c68cf8,
		"gps-DSCN0010.jpg":             0x080fabc9188dedb9,
		"gps-DSCN0025.jpg":             0x644ad9959e08b9b9,
		"gps-DSCN0038.jpg":             0x5cdce58d888aeac4,
		"jpg-Canon_40D.jpg":            0x7e91926c4b527525,
		"jpg-Canon_PowerShot_S40.jpg":  0x5da06f98c1b2a789,
		"jpg-Kodak_CX7530.jpg":         0x27dac222972fb324,
		"jpg-Nikon_D70.jpg":            0x2c5b9000db119f7f,
		"jpg-Panasonic_DMC-FZ30.jpg":   0x5cb8b8873007577c,
		"jpg-Ricoh_Caplio_RR330.jpg":   0x14c93796edaa12c5,
	} {
		r, err := extract(photo(t, name), name)
		if err != nil {
			t.Fatal(name, err)
		}
		if d := bits.OnesCount64(r.Picture.PHash ^ before); d > 2 {
			t.Errorf("%s differs in %d bits", name, d)
		}
	}
}

// difference returns the mean difference in brightness.
func difference(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 255
	}
	sum, n := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := color.GrayModel.Convert(a.At(x, y)).(color.Gray).Y, color.GrayModel.Convert(b.At(x, y)).(color.Gray).Y
			sum += max(int(p)-int(q), int(q)-int(p))
			n++
		}
	}
	return float64(sum) / float64(n)
}
