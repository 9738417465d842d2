package media_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"testing"
)

// pngProfile adds a profile to a PNG.
func pngProfile(t *testing.T, pic, profile []byte) []byte {
	z := encoded(t, func(w io.Writer) error {
		zw := zlib.NewWriter(w)
		zw.Write(profile)
		return zw.Close()
	})
	return withChunk(pic, "iCCP", append([]byte("a profile\x00\x00"), z...))
}

// cmykTIFF returns a TIFF of a single ink colour, given in percent, with a profile.
func cmykTIFF(profile []byte, ink ...byte) []byte {
	const w, h = 16, 16
	var pixels []byte
	for range w * h {
		for _, v := range ink {
			pixels = append(pixels, byte(int(v)*255/100))
		}
	}
	tags := func(at uint32) []tag {
		return []tag{
			short(0x100, w), short(0x101, h), short(0x102, 8, 8, 8, 8), short(0x103, 1), short(0x106, 5),
			long(0x111, at), short(0x115, 4), short(0x116, h), long(0x117, uint32(len(pixels))), {0x8773, 7, profile},
		}
	}
	at := 8 + len(directory(8, tags(0)...))
	return append(append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, tags(uint32(at))...)...), pixels...)
}

// Table profiles are applied to the pictures they are made for; the expected colours are
// those of LittleCMS 2.14.
func TestProfilesWithTables(t *testing.T) {
	t.Parallel()
	cmyk, rgb := sample(t, "icc/cmyk-mft2.icc"), sample(t, "icc/rgb-mft2.icc")
	deep := image.NewNRGBA64(image.Rect(0, 0, 16, 16))
	eight := plain(16, 16, color.NRGBA{255, 255, 255, 255})
	for i := range deep.Pix {
		deep.Pix[i] = 255
	}
	none := color.NRGBA{254, 255, 255, 255} // the profile's paper white
	for _, tt := range []struct {
		name string
		data []byte
		want color.NRGBA
		note any
	}{
		{"paper.tif", cmykTIFF(cmyk, 0, 0, 0, 0), none, "converted to sRGB"},
		{"inks.tif", cmykTIFF(cmyk, 50, 20, 10, 5), color.NRGBA{129, 189, 196, 255}, "converted to sRGB"},
		{"cyan.tif", cmykTIFF(cmyk, 100, 0, 0, 0), color.NRGBA{0, 183, 184, 255}, "converted to sRGB"},
		{"black.tif", cmykTIFF(cmyk, 0, 0, 0, 100), color.NRGBA{47, 49, 49, 255}, "converted to sRGB"},
		{"for rgb.tif", cmykTIFF(rgb, 0, 0, 0, 100), color.NRGBA{0, 0, 0, 255}, "unsupported: the profile is for RGB"},
		{"ycck.jpg", segment(sample(t, "cmyk.jpg"), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), cmyk...)),
			color.NRGBA{175, 94, 105, 255}, "converted to sRGB"},
		{"for cmyk.png", pngProfile(t, pngOf(t, eight), cmyk), white, "unsupported: the profile is for CMYK"},
		{"rgb.png", pngProfile(t, pngOf(t, eight), rgb), color.NRGBA{255, 255, 255, 255}, "converted to sRGB"},
		{"rgb 16.png", pngProfile(t, pngOf(t, deep), rgb), color.NRGBA{255, 255, 255, 255}, "converted to sRGB"},
		{"rgb.jpg", segment(jpegOf(t, plain(16, 16, red)), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), rgb...)),
			color.NRGBA{115, 0, 49, 255}, "converted to sRGB"},
	} {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		if !near(img, 8, 8, tt.want, 3) {
			t.Errorf("%s: %v, want %v", tt.name, img.At(8, 8), tt.want)
		}
		if note := fact(r.Technical, "color_profile"); note != tt.note {
			t.Errorf("%s: the note is %v, want %v", tt.name, note, tt.note)
		}
	}
}

// linearProfile is sRGB without its tone curve.
func linearProfile() []byte {
	return rgbProfile([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x00"),
		[3][3]float64{{0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.7141}})
}

// A dark ramp in 16-bit linear light keeps all of its steps, some of which an intermediate
// 8-bit picture would lose.
func TestDeepPicturesHaveNoBands(t *testing.T) {
	t.Parallel()
	ramp := image.NewNRGBA64(image.Rect(0, 0, 640, 32))
	gray := image.NewGray16(ramp.Rect)
	for x := range 640 {
		v := uint16(math.Round(65535 * 0.02 * float64(x) / 639))
		for y := range 32 {
			ramp.SetNRGBA64(x, y, color.NRGBA64{v, v, v, 65535})
			gray.SetGray16(x, y, color.Gray16{v})
		}
	}
	for name, data := range map[string][]byte{
		"ramp.png": pngProfile(t, pngOf(t, ramp), linearProfile()),
		"gray.png": pngProfile(t, pngOf(t, gray), icc("GRAY", "XYZ ", iccTag{"kTRC", []byte("curv\x00\x00\x00\x00\x00\x00\x00\x00")})),
	} {
		r, err := extract(data, name)
		if err != nil {
			t.Fatal(name, err)
		}
		img := decodeJPEG(t, preview(r))
		seen := map[uint8]bool{}
		for x := range 640 {
			got := color.GrayModel.Convert(img.At(x, 16)).(color.Gray).Y
			seen[got] = true
			light := 0.02 * float64(x) / 639
			want := 12.92 * light * 255
			if light > 0.0031308 {
				want = (1.055*math.Pow(light, 1/2.4) - 0.055) * 255
			}
			if math.Abs(float64(got)-want) > 3 {
				t.Fatalf("%s: %d at %d, want %.1f", name, got, x, want)
			}
		}
		if len(seen) < 32 { // of 39; an 8-bit intermediate has 6
			t.Errorf("%s: only %d tones are left", name, len(seen))
		}
	}
}

// 16-bit samples are rounded, not truncated.
func TestDeepPicturesAreRounded(t *testing.T) {
	t.Parallel()
	for v, want := range map[uint16]uint8{0: 0, 128: 0, 129: 1, 0x7fff: 127, 0x80ff: 128, 0x8130: 129, 65535: 255, 65534: 255} {
		img := image.NewGray16(image.Rect(0, 0, 16, 16))
		for i := range 256 {
			img.SetGray16(i%16, i/16, color.Gray16{v})
		}
		r, err := extract(pngOf(t, img), "a.png")
		if err != nil {
			t.Fatal(err)
		}
		got, err := jpeg.Decode(bytes.NewReader(preview(r)))
		if err != nil || !near(got, 8, 8, color.NRGBA{want, want, want, 255}, 0) {
			t.Errorf("%d is %v, want %d", v, got.At(8, 8), want)
		}
	}
}
