package media_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"io"
	"runtime"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// rawPNG returns a black PNG of any kind.
func rawPNG(w, h, depth, kind int, interlaced bool, trns []byte) []byte {
	samples := map[int]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
	type pass struct{ x0, y0, dx, dy int }
	passes := []pass{{0, 0, 1, 1}}
	if interlaced {
		passes = []pass{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	}
	var z bytes.Buffer
	zw := zlib.NewWriter(&z)
	for _, p := range passes {
		pw, ph := (w-p.x0+p.dx-1)/p.dx, (h-p.y0+p.dy-1)/p.dy
		zw.Write(make([]byte, ph*(1+(pw*depth*samples+7)/8)))
	}
	zw.Close()
	head := pngHeader(uint32(w), uint32(h))
	head[24], head[25] = byte(depth), byte(kind)
	if interlaced {
		head[28] = 1
	}
	out := append(head[:8:8], pngChunk("IHDR", head[16:29])...)
	if kind == 3 {
		out = append(out, pngChunk("PLTE", make([]byte, 3<<min(depth, 8)))...)
	}
	if trns != nil {
		out = append(out, pngChunk("tRNS", trns)...)
	}
	return append(append(out, pngChunk("IDAT", z.Bytes())...), pngChunk("IEND", nil)...)
}

func pngChunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}

// zipped returns n zero bytes, compressed with Deflate.
func zipped(n int) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	zeros := make([]byte, 1<<20)
	for ; n > 0; n -= len(zeros) {
		w.Write(zeros[:min(n, len(zeros))])
	}
	w.Close()
	return z.Bytes()
}

// blackTIFF returns a TIFF with the given bits per sample and rows per strip, in which all
// strips have the same bytes.
func blackTIFF(w, h, rows, compression int, bits []uint16, strip []byte, more ...tag) []byte {
	strips := (h + rows - 1) / rows
	photometric := uint16(1)
	if len(bits) > 2 {
		photometric = 2
	}
	tags := func(at uint32) []tag {
		offsets, counts := make([]uint32, strips), make([]uint32, strips)
		for i := range strips {
			offsets[i], counts[i] = at, uint32(len(strip))
		}
		all := []tag{
			long(0x100, uint32(w)), long(0x101, uint32(h)), short(0x102, bits...),
			short(0x103, uint16(compression)), short(0x106, photometric),
			long(0x111, offsets...), short(0x115, uint16(len(bits))), long(0x116, uint32(rows)), long(0x117, counts...),
		}
		return append(all, more...)
	}
	at := 8 + len(directory(8, tags(0)...))
	out := append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, tags(uint32(at))...)...)
	return append(out, strip...)
}

func packed(n int) []byte { // n zero bytes in PackBits
	return bytes.Repeat([]byte{0x81, 0}, n/128+1)
}

// sizing records the maximum memory in use while it is read, on the first reads and then at
// intervals.
type sizing struct {
	io.ReaderAt
	most  uint64
	reads int
}

func (s *sizing) ReadAt(p []byte, off int64) (int, error) {
	if s.reads++; s.reads < 10 || s.reads%50_000 == 0 {
		s.note()
	}
	return s.ReaderAt.ReadAt(p, off)
}

func (s *sizing) note() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.most = max(s.most, m.HeapAlloc)
}

// The memory estimate for decoding covers the memory in use and, for decoders that allocate
// everything once, the total allocated, without exceeding it by much. The test does not run
// in parallel because it measures the memory of the process.
func TestMemoryIsWhatDecodingTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which .ci/run uses with -short, allocates for itself")
	}
	const w, h = 803, 607
	rect := image.Rect(0, 0, w, h)
	paletted := image.NewPaletted(rect, palette.Plan9)
	gray, gray16, rgba, nrgba64 := image.NewGray(rect), image.NewGray16(rect), image.NewRGBA(rect), image.NewNRGBA64(rect)
	for i := 3; i < len(rgba.Pix); i += 4 {
		rgba.Pix[i] = 255
	}
	inTIFF := func(img image.Image, c tiff.CompressionType) []byte {
		return encoded(t, func(w io.Writer) error { return tiff.Encode(w, img, &tiff.Options{Compression: c}) })
	}
	inBMP := func(img image.Image) []byte {
		return encoded(t, func(w io.Writer) error { return bmp.Encode(w, img) })
	}
	adobe := segment(jpegOf(t, rgba), 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00"))
	tests := map[string][]byte{
		"jpeg 4:2:0":            jpegOf(t, rgba),
		"jpeg grey":             jpegOf(t, gray),
		"jpeg rgb":              adobe,
		"jpeg narrow":           jpegOf(t, image.NewRGBA(image.Rect(0, 0, 1, 60_000))),
		"png grey":              rawPNG(w, h, 8, 0, false, nil),
		"png 1 bit":             rawPNG(w, h, 1, 0, false, nil),
		"png 1 bit tRNS":        rawPNG(w, h, 1, 0, false, []byte{0, 1}),
		"png grey 16":           rawPNG(w, h, 16, 0, false, nil),
		"png grey 16 tRNS":      rawPNG(w, h, 16, 0, false, []byte{0, 1}),
		"png rgb":               rawPNG(w, h, 8, 2, false, nil),
		"png rgb 16":            rawPNG(w, h, 16, 2, false, nil),
		"png palette":           rawPNG(w, h, 4, 3, false, nil),
		"png grey alpha":        rawPNG(w, h, 8, 4, false, nil),
		"png rgba":              rawPNG(w, h, 8, 6, false, nil),
		"png rgba 16":           rawPNG(w, h, 16, 6, false, nil),
		"png rgb 16 interlaced": rawPNG(w, h, 16, 2, true, nil),
		"png grey interlaced":   rawPNG(w, h, 8, 0, true, nil),
		"png wide":              rawPNG(2_000_000, 1, 16, 6, false, nil),
		"jpeg progressive":      sample(t, "progressive.jpg"),
		"jpeg cmyk":             sample(t, "cmyk.jpg"),
		"jpeg 4:1:1":            sample(t, "411.jpg"),
		"jpeg 4:4:0":            sample(t, "440.jpg"),
		"gif":                   encoded(t, func(w io.Writer) error { return gif.Encode(w, paletted, nil) }),
		"bmp grey":              inBMP(gray),
		"bmp palette":           inBMP(paletted),
		"bmp rgb":               inBMP(rgba),
		"os/2 colour icon":      os2Array(os2Entry{kind: "CI", side: 2000, bits: 24}),
		"tiff grey":             inTIFF(gray, tiff.Uncompressed),
		"tiff grey 16":          inTIFF(gray16, tiff.Uncompressed),
		"tiff rgba":             inTIFF(rgba, tiff.Uncompressed),
		"tiff rgba 16":          inTIFF(nrgba64, tiff.Uncompressed),
		"tiff grey deflate":     inTIFF(gray, tiff.Deflate),
		"tiff rgba deflate":     inTIFF(rgba, tiff.Deflate),
		"tiff palette deflate":  inTIFF(paletted, tiff.Deflate),
		"tiff 1 bit":            blackTIFF(w, h, h, 1, []uint16{1}, make([]byte, (w+7)/8*h)),
		"tiff 1 bit bomb":       blackTIFF(w, h, h, 8, []uint16{1}, zipped(8*w*h)),
		"tiff packbits":         blackTIFF(w, h, h, 32773, []uint16{8}, packed(w*h)),
		"tiff packbits bomb":    blackTIFF(w, h, h, 32773, []uint16{1}, packed(7*w*h)),
		"tiff strips":           blackTIFF(w, h, 64, 8, []uint16{8, 8, 8}, zipped(3*w*64)),
		"tiff rows":             blackTIFF(w, h, 1, 1, []uint16{8, 8, 8}, make([]byte, 3*w)),
		"tiff many strips":      blackTIFF(1, 60_000, 1, 1, []uint16{8}, []byte{0}),
		"webp lossy":            sample(t, "lossy.webp"), "webp alpha": sample(t, "alpha.webp"), "webp lossless": sample(t, "lossless.webp"),
	}
	for name, data := range tests {
		need, err := media.Need(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := &sizing{ReaderAt: bytes.NewReader(data)}
		r.note()
		base := r.most
		var img image.Image
		if img, err = media.Decode(r, int64(len(data))); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.note()
		inUse := int64(r.most - base)
		runtime.KeepAlive(img)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err = media.Decode(bytes.NewReader(data), int64(len(data))); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		all := int64(after.TotalAlloc - before.TotalAlloc)
		const slack = 512 << 10 // readers, tables and the like
		if inUse > need+slack {
			t.Errorf("%s: %d bytes are in use, taken for %d", name, inUse, need)
		}
		switch name {
		case "tiff packbits", "tiff packbits bomb", "tiff rows", "tiff strips": // allocate repeatedly
		default:
			if all > need+slack {
				t.Errorf("%s: %d bytes are allocated, taken for %d", name, all, need)
			}
		}
		if need > 2*all+slack && need > 2*inUse+4<<20 {
			t.Errorf("%s: %d bytes are allocated and %d in use, taken for %d", name, all, inUse, need)
		}
		t.Logf("%-22s taken for %9d, in use %9d, allocated %9d", name, need, inUse, all)
	}
}

// The total memory estimate for a file is not much lower than its allocations: the picture
// may be collected before later allocations are made.
func TestMemoryIsWhatRenditionsTake(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which .ci/run uses with -short, allocates for itself")
	}
	for name, data := range map[string][]byte{
		"photo.jpg":   jpegOf(t, noise(2400, 1800)),
		"turned.jpg":  oriented(jpegOf(t, noise(1799, 2401)), 6),
		"small.jpg":   oriented(jpegOf(t, noise(700, 500)), 5),
		"profile.jpg": segment(jpegOf(t, noise(1700, 900)), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), displayP3()...)),
		"colours.png": rawPNG(2000, 1500, 8, 2, false, nil),
		"16 bit.png":  rawPNG(1700, 1500, 16, 6, false, nil),
		"grey.png":    rawPNG(3300, 1000, 8, 0, false, nil),
		"thin.png":    rawPNG(60_000, 2, 8, 2, false, nil),
		"small.png":   rawPNG(300, 200, 8, 6, false, nil),
	} {
		need, err := media.NeedInAll(data)
		if err != nil {
			t.Fatal(name, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := extract(data, name); err != nil {
			t.Fatal(name, err)
		}
		runtime.ReadMemStats(&after)
		all := int64(after.TotalAlloc - before.TotalAlloc)
		const slack = 1 << 20 // readers, tables and the like
		if all > 5*need/4+slack || need > 5*all/2+slack {
			t.Errorf("%s: %d bytes are allocated, taken for %d", name, all, need)
		}
		t.Logf("%-13s taken for %9d, allocated %9d", name, need, all)
	}
}

// For a TIFF, the pixels count towards the limit, not the size of the decompressed data.
func TestLargeTIFF(t *testing.T) {
	const w, h = 20_000, 1_000
	unpacks := zipped(3 * w * h)
	small := media.DefaultLimits()
	small.MemoryBudget = 128 << 20
	for _, tt := range []struct {
		name   string
		data   []byte
		limits media.Limits
		code   string
	}{
		{"1 bit, 70 megapixels", blackTIFF(10_000, 7_000, 7_000, 8, []uint16{1}, zipped(10_000/8*7_000)), media.DefaultLimits(), ""},
		{"grey, 70 megapixels", blackTIFF(10_000, 7_000, 500, 8, []uint16{8}, zipped(10_000*500)), media.DefaultLimits(), ""},
		{"grey in one", blackTIFF(w, h, h, 8, []uint16{8}, zipped(w*h)), small, ""},
		{"bomb", blackTIFF(w, h, h, 8, []uint16{1}, unpacks), small, ""}, // only partly decompressed
		{"rgb 16", blackTIFF(w, h, h, 8, []uint16{16, 16, 16}, zipped(100)), small, string(dam.CodeLimitsExceeded)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := media.New(tt.limits).Check(t.Context(), bytes.NewReader(tt.data), int64(len(tt.data)), "a.tif")
		runtime.ReadMemStats(&after)
		if code(err) != tt.code {
			t.Errorf("%s: %v", tt.name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("%s: %d bytes to find out", tt.name, n)
		}
	}
}

// FuzzNeed checks that every decodable picture has a memory estimate that covers its
// pixels.
func FuzzNeed(f *testing.F) {
	f.Add(blackTIFF(20, 10, 3, 8, []uint16{8, 8, 8}, zipped(200)))
	f.Add(blackTIFF(20, 10, 10, 32773, []uint16{1}, packed(64)))
	f.Add(rawPNG(20, 10, 16, 0, true, []byte{0, 1}))
	f.Add(jpegOf(f, plain(20, 10, color.NRGBA{200, 60, 40, 255})))
	f.Add(sample(f, "lossless.webp"))
	f.Add(sample(f, "alpha.webp"))
	f.Fuzz(func(t *testing.T, data []byte) {
		need, err := media.Need(data)
		if err != nil {
			return
		}
		if need < 0 {
			t.Fatalf("%d bytes", need)
		}
		if need > 64<<20 {
			return
		}
		img, err := media.Decode(bytes.NewReader(data), int64(len(data)))
		if err == nil && int64(img.Bounds().Dx())*int64(img.Bounds().Dy()) > need {
			t.Fatalf("%v in %d bytes", img.Bounds(), need)
		}
	})
}
