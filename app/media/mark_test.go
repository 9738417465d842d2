package media_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"testing"

	"github.com/digital-asset-library/dal/app/media"
)

// flat returns a JPEG of a single grey.
func flat(t *testing.T, w, h int, grey uint8) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray{grey}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A watermark is visible on light, dark and medium backgrounds, in every part of a picture
// and in small pictures, and no picture exceeds its maximum size.
func TestMarked(t *testing.T) {
	t.Parallel()
	for _, grey := range []uint8{0, 127, 255} {
		for _, size := range []image.Point{{1600, 1200}, {320, 240}, {60, 40}, {24, 16}} {
			data, err := media.Marked(flat(t, size.X, size.Y, grey), 1000, media.Mark{Text: "© Hafenmuseum Straße", Opacity: 40, Quality: 82})
			if err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("DAL_LOOK"); dir != "" {
				_ = os.WriteFile(dir+"/mark-"+string('a'+grey/100)+"-"+size.String()+".jpg", data, 0o600)
			}
			img, err := jpeg.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if side := max(img.Bounds().Dx(), img.Bounds().Dy()); side != min(size.X, 1000) {
				t.Errorf("the longest side has %d", side)
			}
			parts := 4
			if size.X < 100 {
				parts = 1
			}
			w, h := img.Bounds().Dx()/parts, img.Bounds().Dy()/parts
			for i := range parts * parts {
				part, changed := image.Rect(0, 0, w, h).Add(image.Pt(i%parts*w, i/parts*h)), 0
				for y := part.Min.Y; y < part.Max.Y; y++ {
					for x := part.Min.X; x < part.Max.X; x++ {
						if v := color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y; max(v, grey)-min(v, grey) > 30 {
							changed++
						}
					}
				}
				if 100*changed < w*h {
					t.Errorf("grey %d, %v: %d of %d pixels of the part %v show the mark", grey, size, changed, w*h, part)
				}
			}
		}
	}
	if r, ok := media.CanMark("漢"); ok || r != '漢' {
		t.Error("there is a letter for 漢")
	}
}
