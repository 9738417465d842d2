package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// The files of testdata/tiff were made with ImageMagick 6.9 and tiffcp 4.5, from a flag of
// 64 × 48 as in TestSubsampling, a picture with a black left half, or a plain red one.
func TestTIFFs(t *testing.T) {
	t.Parallel()
	black := color.NRGBA{0, 0, 0, 255}
	flag := [3]color.NRGBA{green, red, blue}
	halves := [3]color.NRGBA{black, black, white}
	pale := func(c color.NRGBA) color.NRGBA { return color.NRGBA{c.R/2 + 128, c.G/2 + 128, c.B/2 + 128, 255} }
	grey := func(v uint8) color.NRGBA { return color.NRGBA{v, v, v, 255} }
	for name, want := range map[string][3]color.NRGBA{
		"be": flag, "big": flag, "big-be": flag, "cmyk": flag, "cmyk16": flag, "cmyk-jpeg": flag, "cmyk-planar": flag,
		"deflate-predictor": flag, "fill": flag, "jpeg-rgb": flag, "jpeg-ycbcr": flag, "lzw-predictor": flag, "palette": flag,
		"planar-lzw": flag, "rgb16": flag, "rgb16-be-lzw": flag, "tiled": flag, "tiled-jpeg": flag,
		"packbits": {red, red, red}, "planar": {red, red, red}, "ycbcr": {red, red, red},
		"g3-1d": halves, "g3-fill": halves, "g4": halves, "g4-lsb": halves, "g4-min-is-black": halves, "bw-min-is-white": halves,
		"pages": halves, "alpha": {pale(green), pale(red), pale(blue)}, "gray16": {grey(147), grey(88), grey(73)},
	} {
		r, err := extract(sample(t, "tiff/"+name+".tif"), name+".tif")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		w, h := img.Bounds().Dx(), img.Bounds().Dy()
		for i, p := range []image.Point{{w / 16, h / 12}, {w / 4, 3 * h / 4}, {3 * w / 4, 3 * h / 4}} {
			if !near(img, p.X, p.Y, want[i], 12) {
				t.Errorf("%s: %v at %v, want %v", name, img.At(p.X, p.Y), p, want[i])
			}
		}
		if name == "pages" && (r.PageCount != 3 || fact(r.Technical, "frames") != 3) {
			t.Errorf("%s: %d pages, %v frames", name, r.PageCount, fact(r.Technical, "frames"))
		}
	}
}

// A TIFF that only other programs can read is reported as unsupported.
func TestUnusualTIFFs(t *testing.T) {
	t.Parallel()
	with := func(tags ...tag) []byte { return tiffOf(scene(16, 16), tags...) }
	for name, data := range map[string][]byte{
		"g3-2d.tif":  sample(t, "tiff/g3-2d.tif"),
		"floats.tif": with(short(0x153, 3)),
		"signed.tif": with(short(0x153, 2)),
	} {
		_, err := extract(data, name)
		wantFault(t, name, err, dam.CodeUnsupportedFormat, "This is an unusual kind of TIFF file that the library cannot read.")
	}
	for name, data := range map[string][]byte{
		"offsets beyond.tif": replaced(with(), "\x11\x01\x04\x00\x01\x00\x00\x00", "\x11\x01\x04\x00\x01\x00\x00\x7f"),
		"no strips.tif":      replaced(with(), "\x11\x01\x04\x00", "\x12\x01\x04\x00"),
	} {
		if _, err := extract(data, name); code(err) != string(dam.CodeCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The engine can read TIFFs that dal itself cannot.
func TestTIFFsByEngine(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	lab := replaced(tiffOf(plain(40, 30, color.NRGBA{200, 0, 0, 255})), "\x06\x01\x03\x00\x01\x00\x00\x00\x02",
		"\x06\x01\x03\x00\x01\x00\x00\x00\x08")
	for name, data := range map[string][]byte{"g3-2d.tif": sample(t, "tiff/g3-2d.tif"), "lab.tif": lab, "float.tif": floatTIFF(40, 30)} {
		if _, err := extract(data, name); code(err) != string(dam.CodeUnsupportedFormat) {
			t.Errorf("%s without engines: %v", name, err)
		}
		r, err := extractBy(t, p, data, name)
		if err != nil || r.Picture == nil || r.Type.Name != "TIFF" || r.Width == 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
			continue
		}
		want := map[string]uint32{"g3-2d.tif": 0, "lab.tif": 194, "float.tif": 128}[name]
		for _, v := range colorsAt(t, r, 25, 50) {
			if v > want+4 || v+4 < want {
				t.Errorf("%s: %d, not %d", name, v, want)
			}
		}
	}
}

func colorsAt(t *testing.T, r *media.Result, x, y int) []uint32 {
	red, green, blue := at(t, r, x, y)
	return []uint32{red, green, blue}
}

// floatTIFF returns a grey TIFF of floating-point samples, all 0.5.
func floatTIFF(w, h int) []byte {
	tags := func(strip uint32) []tag {
		return []tag{short(0x100, uint16(w)), short(0x101, uint16(h)), short(0x102, 32), short(0x103, 1), short(0x106, 1),
			long(0x111, strip), short(0x115, 1), short(0x116, uint16(h)), long(0x117, uint32(4*w*h)), short(0x153, 3)}
	}
	strip := 8 + len(directory(8, tags(0)...))
	out := append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, tags(uint32(strip))...)...)
	return append(out, bytes.Repeat([]byte{0, 0, 0, 0x3f}, w*h)...)
}

// A BigTIFF has the same metadata as a TIFF.
func TestMetadataOfBigTIFF(t *testing.T) {
	t.Parallel()
	pic := sample(t, "tiff/big.tif")
	at := binary.LittleEndian.Uint64(pic[8:])
	n := binary.LittleEndian.Uint64(pic[at:])
	dir := bytes.Clone(pic[at+8 : at+8+20*n])
	for i := range int(n) { // replace PageNumber with Artist
		if e := dir[20*i:]; binary.LittleEndian.Uint16(e) == 0x129 {
			binary.LittleEndian.PutUint16(e, 0x13b)
			binary.LittleEndian.PutUint16(e[2:], 2)
			binary.LittleEndian.PutUint64(e[4:], 4)
			copy(e[12:], "Ada\x00")
		}
	}
	copy(pic[at+8:], dir)
	if r, err := extract(pic, "a.tif"); err != nil || r.Creator != "Ada" {
		t.Errorf("%v, %v", r, err)
	}
}

// Corrupted TIFFs are read or rejected.
func TestMutationsOfTIFF(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tiff", "*.tif"))
	if err != nil || len(files) < 25 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mutate(t, filepath.Base(path), data, 200)
	}
}
