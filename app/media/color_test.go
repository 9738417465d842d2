package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

var (
	red   = color.NRGBA{200, 60, 40, 255}
	blue  = color.NRGBA{40, 70, 200, 255}
	green = color.NRGBA{60, 180, 70, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// plain returns a picture of a single colour.
func plain(w, h int, c color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []byte{c.R, c.G, c.B, c.A})
	}
	return img
}

// The left half is red, the right half blue, and a tenth at the top left green, however the
// colours are stored, and also when reduced to half the size.
func TestSubsampling(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"444.jpg", "422.jpg", "420.jpg", "440.jpg", "411.jpg", "410.jpg", "progressive.jpg", "lossy.webp", "lossless.webp",
	} {
		r, err := extract(sample(t, name), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for kind, data := range map[string][]byte{"preview": preview(r), "thumbnail": thumbnail(r)} {
			img := decodeJPEG(t, data)
			w, h := img.Bounds().Dx(), img.Bounds().Dy()
			for _, p := range []struct {
				x, y int
				want color.NRGBA
			}{{w / 4, h / 2, red}, {w/2 - w/30, h - 1, red}, {w/2 + w/30, 0, blue}, {w - 1, h - 1, blue}, {w / 20, h / 5, green}} {
				if !near(img, p.x, p.y, p.want, 14) {
					t.Errorf("%s: %s at %d, %d of %d × %d is %v, want %v", name, kind, p.x, p.y, w, h, img.At(p.x, p.y), p.want)
				}
			}
		}
	}
}

func TestColorsOfKinds(t *testing.T) {
	t.Parallel()
	half := color.NRGBA{red.R, red.G, red.B, 128}
	deep := image.NewNRGBA64(image.Rect(0, 0, 32, 32))
	gray16 := image.NewGray16(deep.Rect)
	indexed := image.NewPaletted(deep.Rect, color.Palette{red, color.NRGBA{}})
	for y := range 32 {
		for x := range 32 {
			deep.Set(x, y, red)
			gray16.Set(x, y, color.Gray16{0x8080})
			indexed.SetColorIndex(x, y, uint8(x/16))
		}
	}
	tests := []struct {
		name        string
		data        []byte
		left, right color.NRGBA
	}{
		{"16 bit.png", pngOf(t, deep), red, red},
		{"gray 16 bit.png", pngOf(t, gray16), color.NRGBA{128, 128, 128, 255}, color.NRGBA{128, 128, 128, 255}},
		{"palette.png", pngOf(t, indexed), red, white},
		{"half clear.png", pngOf(t, plain(32, 32, half)), color.NRGBA{227, 157, 147, 255}, color.NRGBA{227, 157, 147, 255}},
		{"ycck.jpg", sample(t, "cmyk.jpg"), red, red},
		{"inks that nobody names.jpg", sample(t, "inks.jpg"), red, blue},
		{"alpha.webp", sample(t, "alpha.webp"), red, white},
		{"plain.tif", tiffOf(plain(32, 32, red)), red, red},
	}
	for _, tt := range tests {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		w, h := img.Bounds().Dx(), img.Bounds().Dy()
		if !near(img, 2, h/2, tt.left, 8) || !near(img, w-3, h/2, tt.right, 8) {
			t.Errorf("%s: %v and %v, want %v and %v", tt.name, img.At(2, h/2), img.At(w-3, h/2), tt.left, tt.right)
		}
	}
}

// A picture thinner than the blocks that are averaged keeps its colour.
func TestThinPictures(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"high.png": pngOf(t, plain(10, 20000, red)),
		"flat.png": pngOf(t, plain(20000, 3, red)),
		"high.jpg": jpegOf(t, plain(10, 20000, red)),
		"flat.jpg": jpegOf(t, plain(20000, 3, red)),
	} {
		r, err := extract(data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		if b := img.Bounds(); max(b.Dx(), b.Dy()) != 1600 || !near(img, b.Dx()/2, b.Dy()/2, red, 8) {
			t.Errorf("%s: %v, %v", name, b, img.At(b.Dx()/2, b.Dy()/2))
		}
	}
}

func TestDominantColors(t *testing.T) {
	t.Parallel()
	img := plain(64, 64, color.NRGBA{255, 0, 0, 255})
	for y := range 16 {
		for x := range 64 {
			img.Set(x, y, color.NRGBA{0, 0, 255, 255})
		}
	}
	r, err := extract(pngOf(t, img), "a.png")
	if err != nil {
		t.Fatal(err)
	}
	want := []dam.Color{{Hex: "#ff0000", Share: 0.75}, {Hex: "#0000ff", Share: 0.25}}
	if len(r.Picture.Colors) != 2 || r.Picture.Colors[0] != want[0] || r.Picture.Colors[1] != want[1] {
		t.Errorf("%v, want %v", r.Picture.Colors, want)
	}
}

// iccTag is a tag of an ICC profile.
type iccTag struct {
	name string
	data []byte
}

func icc(space, pcs string, tags ...iccTag) []byte {
	b := make([]byte, 128)
	copy(b[16:], space+pcs)
	copy(b[36:], "acsp")
	b = binary.BigEndian.AppendUint32(b, uint32(len(tags)))
	var data []byte
	for _, t := range tags {
		b = append(b, t.name...)
		b = binary.BigEndian.AppendUint32(b, uint32(132+12*len(tags)+len(data)))
		b = binary.BigEndian.AppendUint32(b, uint32(len(t.data)))
		data = append(data, t.data...)
	}
	return append(b, data...)
}

func fixed(b []byte, values ...float64) []byte {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
	}
	return b
}

func rgbProfile(curve []byte, columns [3][3]float64) []byte {
	var tags []iccTag
	for i, c := range []string{"r", "g", "b"} {
		tags = append(tags, iccTag{c + "XYZ", fixed([]byte("XYZ \x00\x00\x00\x00"), columns[i][:]...)}, iccTag{c + "TRC", curve})
	}
	return icc("RGB ", "XYZ ", tags...)
}

// sRGBCurve is the curve of IEC 61966-2-1 as a parametric curve.
func sRGBCurve() []byte {
	return fixed([]byte("para\x00\x00\x00\x00\x00\x03\x00\x00"), 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)
}

func displayP3() []byte {
	return rgbProfile(sRGBCurve(), [3][3]float64{{0.51512, 0.2412, -0.00105}, {0.29198, 0.69225, 0.04189}, {0.1571, 0.06657, 0.78407}})
}

// table returns a gamma curve as a table of five points.
func table(gamma float64) []byte {
	b := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x05")
	for i := range 5 {
		b = binary.BigEndian.AppendUint16(b, uint16(math.Round(65535*math.Pow(float64(i)/4, gamma))))
	}
	return b
}

// The expected colours are LittleCMS 2.14's conversions of 100, 150, 120 with the relative
// colorimetric intent.
func TestProfiles(t *testing.T) {
	t.Parallel()
	stored := color.NRGBA{100, 150, 120, 255}
	pic := plain(32, 32, stored)
	p3 := displayP3()
	parts := jpegOf(t, pic) // the second part of the profile comes first in the file, but is numbered
	parts = segment(parts, 0xe2, append([]byte("ICC_PROFILE\x00\x01\x02"), p3[:100]...))
	parts = segment(parts, 0xe2, append([]byte("ICC_PROFILE\x00\x02\x02"), p3[100:]...))
	gray := image.NewGray(pic.Rect)
	for i := range gray.Pix {
		gray.Pix[i] = 100
	}
	inJPEG := func(img image.Image, profile []byte) []byte {
		return segment(jpegOf(t, img), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), profile...))
	}
	lossless := sample(t, "lossless.webp")
	sRGB := rgbProfile(sRGBCurve(), [3][3]float64{{0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.7141}})
	proPhoto := rgbProfile(table(1.8), [3][3]float64{{0.79767, 0.28804, 0}, {0.13519, 0.71187, 0}, {0.03134, 0.00009, 0.82491}})
	p3Red := color.NRGBA{217, 42, 23, 255} // converted from 200, 60, 40
	grayGamma := icc("GRAY", "XYZ ", iccTag{"kTRC", []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x01\xcc\x00\x00")})
	tests := []struct {
		name string
		data []byte
		want color.NRGBA
		note string
	}{
		{"display p3.jpg", inJPEG(pic, p3), color.NRGBA{83, 152, 118, 0}, "converted to sRGB"},
		{"two parts.jpg", parts, color.NRGBA{83, 152, 118, 0}, "converted to sRGB"},
		{"display p3.tif", tiffOf(pic, tag{0x8773, 7, p3}), color.NRGBA{83, 152, 118, 0}, "converted to sRGB"},
		{"display p3.webp", withChunks(lossless, 0x20, 170, 48, riffChunk("ICCP", p3), nil), p3Red, "converted to sRGB"},
		{"prophoto.jpg", inJPEG(pic, proPhoto), color.NRGBA{53, 177, 135, 0}, "converted to sRGB"},
		{"gray gamma 1.8.jpg", inJPEG(gray, grayGamma), color.NRGBA{119, 119, 119, 0}, "converted to sRGB"},
		{"srgb.jpg", inJPEG(pic, sRGB), stored, "sRGB"},
		{"lab.jpg", inJPEG(pic, icc("RGB ", "Lab ")), stored, "unsupported: the profile connects through Lab"},
		{"ink.jpg", inJPEG(pic, icc("CMYK", "XYZ ")), stored, "unsupported: the profile is for CMYK"},
		{"no matrix.jpg", inJPEG(pic, icc("RGB ", "XYZ ")), stored, "unsupported: the profile has no colour matrix"},
		{"nonsense.jpg", inJPEG(pic, bytes.Repeat([]byte("x"), 500)), stored, "unsupported: not an ICC profile"},
	}
	for _, tt := range tests {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		if x, y := img.Bounds().Dx()/4, img.Bounds().Dy()/2; !near(img, x, y, tt.want, 5) {
			t.Errorf("%s: %v, want %v", tt.name, color.NRGBAModel.Convert(img.At(x, y)), tt.want)
		}
		if note := fact(r.Technical, "color_profile"); note != tt.note {
			t.Errorf("%s: the note is %v, want %s", tt.name, note, tt.note)
		}
	}
}

// Renditions are served to visitors, so they must not reveal where or with whose camera a
// picture was taken.
func TestRenditionsTellNothing(t *testing.T) {
	t.Parallel()
	pic := withXMP(withEXIF(jpegOf(t, scene(400, 300)), exif([]tag{ascii(0x10f, "Canon")}, nil, arezzo())), xmpPacket)
	pic = segment(withIPTC(pic, record{80, "Ada"}), 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), displayP3()...))
	r, err := extract(pic, "a.jpg")
	if err != nil || r.Technical["gps"] == nil {
		t.Fatal(err, r)
	}
	p := media.New(media.DefaultLimits())
	for kind, want := range map[dam.Rendition][]byte{dam.RenditionThumbnail: thumbnail(r), dam.RenditionPreview: preview(r)} {
		again, err := p.Render(t.Context(), bytes.NewReader(pic), int64(len(pic)), "", kind)
		if err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s made anew differs: %v", kind, err)
		}
		for _, trace := range []string{"Exif", "adobe", "Photoshop", "ICC_PROFILE", "Canon"} {
			if bytes.Contains(want, []byte(trace)) {
				t.Errorf("%s has %s", kind, trace)
			}
		}
	}
}

// Decoders skip stray bytes between the segments of a JPEG.
func TestStrayBytes(t *testing.T) {
	t.Parallel()
	pic := jpegOf(t, scene(40, 30))
	behind := 4 + int(binary.BigEndian.Uint16(pic[4:])) // the end of the first segment
	for name, stray := range map[string]string{"zeros": "\x00\x00\x00", "text": "abc", "fill": "\xff\xff\xff", "stuffed": "\xff\x00"} {
		data := append(append(bytes.Clone(pic[:behind]), stray...), pic[behind:]...)
		if _, err := jpeg.Decode(io.Reader(bytes.NewReader(data))); err != nil {
			t.Fatal(name, err)
		}
		if _, err := extract(data, "a.jpg"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
