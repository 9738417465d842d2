package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

const (
	partMissing = "The file ends too early: a part of the picture is missing."
	endMissing  = "The file ends too early, but the picture is complete."
	lessDetail  = "The file ends too early: the picture lacks detail."
	endsEarly   = "The file ends too early."
	badSum      = "A checksum is wrong, of a part that the picture does not need."
)

// withChunk inserts a chunk after the header of a PNG.
func withChunk(pic []byte, kind string, data []byte) []byte {
	return append(append(bytes.Clone(pic[:33]), pngChunk(kind, data)...), pic[33:]...)
}

// withEnd appends an end marker to a truncated JPEG.
func withEnd(pic []byte) []byte { return append(bytes.Clone(pic), 0xff, 0xd9) }

// broken corrupts the checksum of the first chunk of a kind.
func broken(pic []byte, kind string) []byte {
	out := bytes.Clone(pic)
	at := bytes.Index(out, []byte(kind))
	out[at+4+int(binary.BigEndian.Uint32(out[at-4:]))+3] ^= 1
	return out
}

// Damaged pictures show their readable part, with a warning.
func TestDamagedPictures(t *testing.T) {
	t.Parallel()
	pic, picPNG := jpegOf(t, scene(400, 300)), pngOf(t, noise(200, 100))
	progressive, small := sample(t, "progressive.jpg"), gifOf(3)
	paletted := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{red, blue})
	pal := pngOf(t, paletted)
	pal = append(append(bytes.Clone(pal[:33]), pngChunk("gAMA", []byte{0, 0, 1, 2})...), pal[33:]...)
	for _, tt := range []struct {
		name, warning string
		data          []byte
	}{
		{"no end.jpg", endMissing, pic[:len(pic)-2]},
		{"half an end.jpg", endMissing, pic[:len(pic)-1]},
		{"last bytes.jpg", partMissing, pic[:len(pic)-40]},
		{"half.jpg", partMissing, pic[:len(pic)/2]},
		{"half cmyk.jpg", partMissing, sample(t, "cmyk.jpg")[:len(sample(t, "cmyk.jpg"))-12]},
		{"half cmyk without Adobe's mark.jpg", partMissing, sample(t, "inks.jpg")[:len(sample(t, "inks.jpg"))-12]},
		{"half, with an end mark.jpg", partMissing, withEnd(pic[:len(pic)/2])},
		{"half cmyk, with an end mark.jpg", partMissing, withEnd(sample(t, "cmyk.jpg")[:len(sample(t, "cmyk.jpg"))-12])},
		{"half without Adobe's mark, with an end mark.jpg", partMissing, withEnd(sample(t, "inks.jpg")[:len(sample(t, "inks.jpg"))-12])},
		{"last scan, with an end mark.jpg", lessDetail, withEnd(progressive[:len(progressive)-200])},
		{"last scan.jpg", lessDetail, progressive[:len(progressive)-200]},
		{"no end.png", endMissing, picPNG[:len(picPNG)-12]},
		{"half an end.png", endMissing, picPNG[:len(picPNG)-6]},
		{"half.png", partMissing, picPNG[:len(picPNG)/2]},
		{"half, interlaced.png", partMissing, rawPNG(300, 200, 8, 2, true, nil)[:100]},
		{"bad addition.png", badSum, broken(withChunk(picPNG, "gAMA", []byte{0, 0, 1, 2}), "gAMA")},
		{"bad addition before the palette.png", badSum, broken(pal, "gAMA")},
		{"no end.gif", endsEarly, small[:len(small)-1]},
		{"half.gif", endsEarly, small[:len(small)/2]},
		{"half a frame.gif", partMissing, noiseGIF(t)[:500]},
	} {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := fact(r.Technical, "warning"); got != tt.warning {
			t.Errorf("%s: told %v, want %s", tt.name, got, tt.warning)
		}
	}
	for name, data := range map[string][]byte{
		"whole.jpg": pic, "whole.png": picPNG, "whole.gif": small, "motion.jpg": append(bytes.Clone(pic), make([]byte, 100_000)...),
	} {
		if r, err := extract(data, name); err != nil || fact(r.Technical, "warning") != nil {
			t.Errorf("%s: %v, %v", name, err, r.Technical)
		}
	}
}

// The available part of a truncated picture is in its place, and the rest is grey.
func TestHalfOfAPicture(t *testing.T) {
	t.Parallel()
	pic := plain(320, 320, red)
	for y := range 160 {
		for x := range 160 {
			pic.SetNRGBA(x, y, blue)
		}
	}
	for i := 320 * 320 * 2; i < len(pic.Pix); i++ { // so that half of the file is about half of the picture
		if i%4 != 3 && i%16 < 4 {
			pic.Pix[i] ^= byte(i * i >> 7)
		}
	}
	grey := color.NRGBA{128, 128, 128, 255}
	inJPEG := jpegOf(t, pic)
	for name, tt := range map[string]struct {
		data   []byte
		bottom color.NRGBA
	}{
		"half.jpg": {inJPEG[:len(inJPEG)/2], grey},
		"half.png": {pngOf(t, pic)[:len(pngOf(t, pic))/2], white},
	} {
		r, err := extract(tt.data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		if img.Bounds().Dx() != 320 || img.Bounds().Dy() != 320 || !near(img, 20, 20, blue, 10) || !near(img, 300, 20, red, 10) {
			t.Errorf("%s: %v, %v, %v", name, img.Bounds(), img.At(20, 20), img.At(300, 20))
		}
		if name == "half.jpg" && !near(img, 160, 315, tt.bottom, 4) {
			t.Errorf("%s: %v below", name, img.At(160, 315))
		}
	}
}

// A file truncated at any byte is rejected or accepted with a warning, and never causes an
// internal error.
func TestCutOffAnywhere(t *testing.T) {
	t.Parallel()
	small := scene(24, 16)
	for name, data := range map[string][]byte{
		"a.jpg": withEXIF(jpegOf(t, small), exif(nil, nil, arezzo())), "b.jpg": oriented(jpegOf(t, plain(16, 16, red)), 6),
		"a.png": pngOf(t, small), "a.gif": gifOf(3), "a.tif": tiffOf(small),
		"a.webp": sample(t, "lossy.webp"), "b.webp": sample(t, "alpha.webp"), "c.webp": sample(t, "animated.webp"),
	} {
		for n := range len(data) {
			r, err := extract(data[:n], name)
			if _, ok := errors.AsType[*dam.FileError](err); err != nil && !ok {
				t.Fatalf("%s at %d of %d bytes: %v", name, n, len(data), err)
			}
			if err == nil && fact(r.Technical, "warning") == nil && n < len(data)-16 && name[0] != 'b' {
				t.Errorf("%s at %d of %d bytes comes in without a word", name, n, len(data))
			}
		}
	}
}

// mutable returns files of every format that are large enough to be damaged in many ways.
func mutable(t *testing.T) map[string][]byte {
	icc := append([]byte("ICC_PROFILE\x00\x01\x01"), displayP3()...)
	pic := withEXIF(jpegOf(t, scene(90, 60)), exif([]tag{ascii(0x13b, "Ada")}, nil, arezzo()))
	pic = withXMP(withIPTC(pic, record{5, "Title"}), xmpPacket)
	return map[string][]byte{
		"a.jpg":  segment(pic, 0xe2, icc),
		"b.jpg":  sample(t, "progressive.jpg"),
		"a.png":  chunk(pngOf(t, noise(40, 30)), "iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+xmpPacket)),
		"a.gif":  noiseGIF(t),
		"a.webp": sample(t, "animated.webp"),
		"b.webp": sample(t, "alpha.webp"),
		"a.tif":  tiffOf(scene(60, 40), tag{0x8773, 7, displayP3()}),
		"a.bmp":  append(bmpOf(8, 8, 24, 0), make([]byte, 200)...),
	}
}

// Corrupted files are read or rejected, within the resource limits.
func TestMutations(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	for name, data := range mutable(t) {
		mutate(t, name, data, 1000)
	}
}

// mutate reads a file many times, each time with some of its bytes changed.
func mutate(t *testing.T, name string, data []byte, times int) {
	t.Helper()
	p := media.New(media.Limits{MaxPixels: 1 << 19, MaxFrames: 50, MemoryBudget: 8 << 20, Timeout: 20 * time.Second})
	seed := uint32(7)
	random := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	for i := range times {
		changed := bytes.Clone(data)
		for range 1 + i%5 {
			at := random(len(changed))
			if i%2 == 0 {
				at = random(min(len(changed), 600)) // most decisions depend on the headers
			}
			changed[at] = byte(random(256))
		}
		if i%10 == 9 {
			changed = changed[:random(len(changed))]
		}
		_, err := p.Extract(t.Context(), bytes.NewReader(changed), int64(len(changed)), "")
		if fault, ok := errors.AsType[*dam.FileError](err); err != nil && (!ok || fault.Message == "") {
			t.Fatalf("%s, %d: %v", name, i, err)
		}
	}
}

// Files of a realistic size, truncated after each KiB, are read or rejected.
func TestCutAtEachKiB(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"a.jpg": jpegOf(t, noise(300, 200)), "b.jpg": sample(t, "progressive.jpg"), "a.png": pngOf(t, noise(130, 100)),
		"a.tif": tiffOf(noise(120, 90)), "a.gif": noiseGIF(t),
	} {
		taken := 0
		for n := 1 << 10; n < len(data); n += 1 << 10 {
			r, err := extract(data[:n], name)
			if _, ok := errors.AsType[*dam.FileError](err); err != nil && !ok {
				t.Fatalf("%s at %d of %d bytes: %v", name, n, len(data), err)
			}
			if err == nil {
				taken++
				if fact(r.Technical, "warning") == nil {
					t.Errorf("%s at %d of %d bytes comes in without a word", name, n, len(data))
				}
			}
		}
		if taken == 0 && name != "a.tif" {
			t.Errorf("%s: nothing of it is ever shown", name)
		}
	}
}
