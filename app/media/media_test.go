package media_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// scene returns a picture with a dark corner at the top left that reveals its orientation.
func scene(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(100 + 100*x/w), uint8(150 + 50*y/h), 80, 255}
			if x < w/3 && y < h/3 {
				c = color.NRGBA{10, 10, 60, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func encoded(t testing.TB, fn func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := fn(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 92}) })
}

func pngOf(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return png.Encode(w, img) })
}

// segment inserts a segment after the start of a JPEG.
func segment(pic []byte, marker byte, content []byte) []byte {
	out := append([]byte{}, pic[:2]...)
	out = append(out, 0xff, marker, byte((len(content)+2)>>8), byte(len(content)+2))
	return append(append(out, content...), pic[2:]...)
}

func oriented(pic []byte, n byte) []byte {
	return segment(pic, 0xe1, []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00"+
		"\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"+string(rune(n))+"\x00\x00\x00\x00\x00\x00\x00"))
}

// chunk inserts a chunk before the end of a PNG.
func chunk(pic []byte, kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	c := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	c = binary.BigEndian.AppendUint32(append(c, body...), crc32.ChecksumIEEE(body))
	end := len(pic) - 12
	return append(append(append([]byte{}, pic[:end]...), c...), pic[end:]...)
}

func extract(data []byte, name string) (*media.Result, error) {
	return media.New(media.DefaultLimits()).Extract(context.Background(), bytes.NewReader(data), int64(len(data)), name)
}

func thumbnail(r *media.Result) []byte { return r.Picture.Renditions[dam.RenditionThumbnail] }

func preview(r *media.Result) []byte { return r.Picture.Renditions[dam.RenditionPreview] }

func decodeJPEG(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// near reports whether a pixel is close to a colour.
func near(img image.Image, x, y int, want color.NRGBA, by int) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	d := func(a uint32, w uint8) int { return max(int(a>>8)-int(w), int(w)-int(a>>8)) }
	return d(r, want.R) <= by && d(g, want.G) <= by && d(b, want.B) <= by
}

func TestFormats(t *testing.T) {
	t.Parallel()
	img := scene(2400, 1200)
	gray := image.NewGray(img.Rect)
	for i := range gray.Pix {
		gray.Pix[i] = 128
	}
	wide := image.NewNRGBA64(image.Rect(0, 0, 60, 30))
	for i := range wide.Pix {
		wide.Pix[i] = 0xff
	}
	tests := []struct {
		name, mime string
		data       []byte
		w, h       int
	}{
		{"a.jpg", "image/jpeg", jpegOf(t, img), 2400, 1200},
		{"gray.jpeg", "image/jpeg", jpegOf(t, gray), 2400, 1200},
		{"a.png", "image/png", pngOf(t, img), 2400, 1200},
		{"16 bit.png", "image/png", pngOf(t, wide), 60, 30},
		{"a.gif", "image/gif", encoded(t, func(w io.Writer) error { return gif.Encode(w, img, nil) }), 2400, 1200},
		{"a.tiff", "image/tiff", encoded(t, func(w io.Writer) error {
			return tiff.Encode(w, img, &tiff.Options{Compression: tiff.Deflate})
		}), 2400, 1200},
		{"a.bmp", "image/bmp", encoded(t, func(w io.Writer) error { return bmp.Encode(w, img) }), 2400, 1200},
		{"small.jpg", "image/jpeg", jpegOf(t, scene(30, 20)), 30, 20},
		{"line.png", "image/png", pngOf(t, scene(3000, 1)), 3000, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := extract(tt.data, tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if r.Type.MIME != tt.mime || r.Width != tt.w || r.Height != tt.h {
				t.Errorf("%s %d × %d", r.Type.MIME, r.Width, r.Height)
			}
			for size, data := range map[int][]byte{320: thumbnail(r), 1600: preview(r)} {
				b := decodeJPEG(t, data).Bounds()
				if long := max(b.Dx(), b.Dy()); long != min(size, tt.w) || b.Dx() < b.Dy() {
					t.Errorf("%d px: %v", size, b)
				}
			}
			share := 0.0
			for _, c := range r.Picture.Colors {
				share += c.Share
			}
			if len(r.Picture.Colors) == 0 || len(r.Picture.Colors) > 5 || math.Abs(share-1) > 0.01 || len(r.Picture.ThumbHash) < 5 {
				t.Errorf("colours %v, thumbhash %x", r.Picture.Colors, r.Picture.ThumbHash)
			}
			again, err := extract(tt.data, tt.name)
			if err != nil || !bytes.Equal(preview(again), preview(r)) || again.Picture.PHash != r.Picture.PHash {
				t.Errorf("the second time differs: %v", err)
			}
		})
	}
}

func TestOrientation(t *testing.T) {
	t.Parallel()
	up := scene(90, 60)
	turned := func(n int) image.Image { // stored so that orientation n shows it upright
		w, h := 90, 60
		if n >= 5 {
			w, h = 60, 90
		}
		out := image.NewNRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				var sx, sy int
				switch n {
				case 1:
					sx, sy = x, y
				case 2:
					sx, sy = 89-x, y
				case 3:
					sx, sy = 89-x, 59-y
				case 4:
					sx, sy = x, 59-y
				case 5:
					sx, sy = y, x
				case 6:
					sx, sy = 89-y, x
				case 7:
					sx, sy = 89-y, 59-x
				case 8:
					sx, sy = y, 59-x
				}
				out.Set(x, y, up.At(sx, sy))
			}
		}
		return out
	}
	for n := 1; n <= 8; n++ {
		r, err := extract(oriented(jpegOf(t, turned(n)), byte(n)), "a.jpg")
		if err != nil {
			t.Fatal(n, err)
		}
		img := decodeJPEG(t, preview(r))
		if r.Width != 90 || r.Height != 60 || img.Bounds().Dx() != 90 {
			t.Errorf("%d: %d × %d", n, r.Width, r.Height)
		}
		if !near(img, 5, 5, color.NRGBA{10, 10, 60, 0}, 30) ||
			!near(img, 80, 5, up.NRGBAAt(80, 5), 30) || !near(img, 5, 50, up.NRGBAAt(5, 50), 30) {
			t.Errorf("orientation %d is not upright", n)
		}
	}
}

func TestAlphaIsWhite(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40)) // transparent
	for x := range 20 {
		for y := range 40 {
			img.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 128})
		}
	}
	r, err := extract(pngOf(t, img), "a.png")
	if err != nil {
		t.Fatal(err)
	}
	p := decodeJPEG(t, preview(r))
	if !near(p, 35, 20, color.NRGBA{255, 255, 255, 0}, 4) || !near(p, 5, 20, color.NRGBA{255, 127, 127, 0}, 6) {
		t.Errorf("%v %v", p.At(35, 20), p.At(5, 20))
	}
}

// profile encodes a matrix ICC profile with a gamma curve.
func profile(gamma float64, columns [3][3]float64) []byte {
	var tags, data []byte
	add := func(name string, b []byte) {
		tags = append(tags, name...)
		tags = binary.BigEndian.AppendUint32(tags, uint32(128+4+12*6+len(data)))
		tags = binary.BigEndian.AppendUint32(tags, uint32(len(b)))
		data = append(data, b...)
	}
	for i, c := range []string{"r", "g", "b"} {
		xyz := []byte("XYZ \x00\x00\x00\x00")
		for _, v := range columns[i] {
			xyz = binary.BigEndian.AppendUint32(xyz, uint32(int32(v*65536)))
		}
		add(c+"XYZ", xyz)
		add(c+"TRC", append([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), byte(int(gamma*256)>>8), byte(int(gamma*256)), 0, 0))
	}
	b := make([]byte, 128)
	copy(b[16:], "RGB XYZ ")
	copy(b[36:], "acsp")
	b = binary.BigEndian.AppendUint32(b, 6)
	return append(append(b, tags...), data...)
}

// adobeRGB returns Adobe RGB (1998), adapted to D50.
func adobeRGB() []byte {
	return profile(2.19921875, [3][3]float64{{0.60974, 0.31111, 0.01947}, {0.20528, 0.62567, 0.06087}, {0.14919, 0.06322, 0.74457}})
}

func TestColorProfile(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []byte{100, 150, 120, 255})
	}
	icc := append([]byte("ICC_PROFILE\x00\x01\x01"), adobeRGB()...)
	r, err := extract(segment(jpegOf(t, img), 0xe2, icc), "a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	// LittleCMS converts Adobe RGB 100, 150, 120 to this (relative colorimetric).
	if p := decodeJPEG(t, preview(r)); !near(p, 16, 16, color.NRGBA{70, 151, 120, 0}, 6) {
		t.Errorf("Adobe RGB in JPEG is %v", p.At(16, 16))
	}
	if got := r.Technical["file"].(map[string]any)["color_profile"]; got != "converted to sRGB" {
		t.Errorf("color_profile: %v", got)
	}
	z := encoded(t, func(w io.Writer) error {
		zw := zlib.NewWriter(w)
		zw.Write(adobeRGB())
		return zw.Close()
	})
	withProfile := pngOf(t, img)
	// iCCP precedes the pixels: it follows IHDR, which ends at byte 33.
	c := chunk(withProfile, "iCCP", append([]byte("Adobe RGB\x00\x00"), z...))
	at, n := len(withProfile)-12, len(c)-len(withProfile)
	withProfile = append(append(append([]byte{}, c[:33]...), c[at:at+n]...), c[33:at]...)
	withProfile = append(withProfile, c[at+n:]...)
	if r, err = extract(withProfile, "a.png"); err != nil {
		t.Fatal(err)
	}
	if p := decodeJPEG(t, preview(r)); !near(p, 16, 16, color.NRGBA{70, 151, 120, 0}, 6) {
		t.Errorf("Adobe RGB in PNG is %v", p.At(16, 16))
	}
}

// xmpHead begins an XMP packet and is followed by the description of the picture.
const xmpHead = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`

const xmpPacket = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>` + xmpHead + `
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
	`xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreateDate="2020-02-03T04:05:06+02:00">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Harbour</rdf:li></rdf:Alt></dc:title>` +
	`<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© Ada</rdf:li></rdf:Alt></dc:rights>` +
	`<dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></dc:subject>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

func TestXMP(t *testing.T) {
	t.Parallel()
	z := encoded(t, func(w io.Writer) error {
		zw := zlib.NewWriter(w)
		zw.Write([]byte(xmpPacket))
		return zw.Close()
	})
	const key = "XML:com.adobe.xmp\x00"
	plain := []byte(key + "\x00\x00\x00\x00" + xmpPacket)
	for name, data := range map[string][]byte{
		"a.jpg":            segment(jpegOf(t, scene(20, 20)), 0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00"+xmpPacket)),
		"plain.png":        chunk(pngOf(t, scene(20, 20)), "iTXt", plain),
		"compressed.png":   chunk(pngOf(t, scene(20, 20)), "iTXt", append([]byte(key+"\x01\x00\x00\x00"), z...)),
		"other chunks.png": chunk(chunk(pngOf(t, scene(20, 20)), "tEXt", []byte("Comment\x00hi")), "iTXt", plain),
	} {
		r, err := extract(data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := time.Date(2020, 2, 3, 2, 5, 6, 0, time.UTC)
		if r.Title != "Harbour" || r.Creator != "Ada" || r.Copyright != "© Ada" || strings.Join(r.Keywords, ",") != "sea,boat" ||
			r.CaptureDate == nil || !r.CaptureDate.Equal(want) {
			t.Errorf("%s: %q %q %q %v %v %v", name, r.Title, r.Creator, r.Copyright, r.Keywords, r.CaptureDate, r.Technical)
		}
	}
	bomb := encoded(t, func(w io.Writer) error {
		zw := zlib.NewWriter(w)
		zw.Write(make([]byte, 64<<20))
		return zw.Close()
	})
	r, err := extract(chunk(pngOf(t, scene(20, 20)), "iTXt", append([]byte(key+"\x01\x00\x00\x00"), bomb...)), "bomb.png")
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := r.Technical["file"].(map[string]any)["metadata_error"].(string); !strings.Contains(e, "limit") {
		t.Errorf("a bomb in XMP: %q", e)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	data := jpegOf(t, scene(2000, 2000))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := media.New(media.DefaultLimits()).Extract(ctx, bytes.NewReader(data), int64(len(data)), "a.jpg")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, err = media.New(media.DefaultLimits()).Extract(t.Context(), failingReader{bytes.NewReader(data)}, int64(len(data)), "a.jpg")
	if _, ok := errors.AsType[*dam.FileError](err); ok || err == nil {
		t.Errorf("a disk that fails is taken for a fault of the file: %v", err)
	}
}

// failingReader is a disk that fails after the beginning of the file.
type failingReader struct{ io.ReaderAt }

func (f failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > 20_000 {
		return 0, os.ErrDeadlineExceeded
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestPerceptualHash(t *testing.T) {
	t.Parallel()
	hash := func(img image.Image) uint64 {
		r, err := extract(jpegOf(t, img), "a.jpg")
		if err != nil {
			t.Fatal(err)
		}
		return r.Picture.PHash
	}
	a, smaller := hash(scene(800, 400)), hash(scene(400, 200))
	other := image.NewNRGBA(image.Rect(0, 0, 400, 200))
	for y := range 200 {
		for x := range 400 {
			v := uint8(128 + 127*math.Sin(float64(x)/9)*math.Cos(float64(y)/7))
			other.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	if d := bits.OnesCount64(a ^ smaller); d > 6 {
		t.Errorf("the same picture at another size differs in %d bits", d)
	}
	if d := bits.OnesCount64(a ^ hash(other)); d < 16 {
		t.Errorf("another picture differs in %d bits only", d)
	}
}

// Photos from many cameras, if available.
func TestPhotos(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "shared", "corpora", "photos")
	files, _ := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if len(files) == 0 {
		t.Skip("there is no folder of photos at ../shared/corpora/photos")
	}
	hashes := map[string]uint64{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		r, err := extract(data, name)
		if err != nil {
			if _, ok := errors.AsType[*dam.FileError](err); !ok {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if strings.HasPrefix(name, "gps-") {
			gps, _ := r.Technical["gps"].(map[string]any)
			lat, _ := gps["latitude"].(float64)
			long, _ := gps["longitude"].(float64)
			if lat < 43 || lat > 44 || long < 11 || long > 12 { // all were taken around Arezzo
				t.Errorf("%s: %v", name, gps)
			}
		}
		if kind, _, ok := strings.Cut(name, "_"); ok && strings.HasPrefix(name, "orientation-") {
			if first, ok := hashes[kind]; ok && bits.OnesCount64(first^r.Picture.PHash) > 8 {
				t.Errorf("%s is not upright: %d bits differ", name, bits.OnesCount64(first^r.Picture.PHash))
			} else if !ok {
				hashes[kind] = r.Picture.PHash
			}
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add(jpegOf(f, scene(16, 16)))
	f.Add(oriented(jpegOf(f, scene(16, 16)), 6))
	f.Add(segment(jpegOf(f, scene(8, 8)), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), adobeRGB()...)))
	f.Add(chunk(pngOf(f, scene(8, 8)), "iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+xmpPacket)))
	f.Add(encoded(f, func(w io.Writer) error { return gif.Encode(w, scene(8, 8), nil) }))
	f.Add(encoded(f, func(w io.Writer) error { return tiff.Encode(w, scene(8, 8), nil) }))
	f.Add(encoded(f, func(w io.Writer) error { return bmp.Encode(w, scene(8, 8)) }))
	f.Add(os2Array(os2Entry{kind: "CI", side: 8, bits: 4}, os2Entry{kind: "PT", side: 16, long: true},
		os2Entry{kind: "BM", side: 9, bits: 24}))
	f.Add([]byte("1")) // is stored without a picture
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	p := media.New(media.Limits{MaxPixels: 1 << 16, MaxFrames: 50, MemoryBudget: 1 << 20, Timeout: 10 * time.Second})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := p.Extract(context.Background(), bytes.NewReader(data), int64(len(data)), "")
		if err != nil {
			if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Message == "" {
				t.Fatalf("%v is not a fault of the file", err)
			}
			return
		}
		if r.Picture == nil {
			if r.Warning == "" {
				t.Fatal("there is no picture, and no warning says so")
			}
			return
		}
		if r.Width <= 0 || r.Height <= 0 || len(preview(r)) == 0 || len(thumbnail(r)) == 0 {
			t.Fatalf("%d × %d, a preview of %d bytes and a thumbnail of %d", r.Width, r.Height, len(preview(r)), len(thumbnail(r)))
		}
	})
}

// photo24 returns a JPEG of 24 megapixels with the detail of a photo.
func photo24(b *testing.B) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 6000, 4000))
	seed := uint32(1)
	for y := range 4000 {
		for x := range 6000 {
			seed = seed*1664525 + 1013904223
			v := 128 + 80*math.Sin(float64(x)/97)*math.Cos(float64(y)/61) + float64(seed>>28)
			p := img.Pix[img.PixOffset(x, y):]
			p[0], p[1], p[2], p[3] = uint8(v), uint8(v*0.8+float64(y)/200), uint8(v*0.5+float64(x)/100), 255
		}
	}
	return jpegOf(b, img)
}

func BenchmarkExtract24MP(b *testing.B) {
	data := photo24(b)
	if path := os.Getenv("DAL_BENCH_PHOTO"); path != "" { // for timing other programs
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := extract(data, "a.jpg"); err != nil {
			b.Fatal(err)
		}
	}
}
