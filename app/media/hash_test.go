package media

import (
	"encoding/hex"
	"image"
	"testing"
)

// The expected hashes come from npm's thumbhash 0.1.1, by the author of the format, for the
// same pictures.
func TestThumbHash(t *testing.T) {
	t.Parallel()
	tests := []struct {
		w, h, seed int
		want       string
	}{
		{100, 67, 1, "df07061d8c7776808a8777737727777b767a6047f8"},
		{50, 100, 2, "dff70514084ab08888888f2838880a6ac72077"},
		{32, 32, 3, "df180a4f180779957d878875882888878889b6f598198009"},
		{100, 10, 4, "22d80d41a28898497f775777878f8508a8"},
		{1, 1, 5, "a0f442d73e08f708888788708f7088f80888707ff8088800"},
	}
	for _, tt := range tests {
		img := image.NewRGBA(image.Rect(0, 0, tt.w, tt.h))
		for y := range tt.h {
			for x := range tt.w {
				copy(img.Pix[img.PixOffset(x, y):], []byte{byte(x*7 + tt.seed*31), byte(y*5 + tt.seed*57), byte(x*y + tt.seed*91), 255})
			}
		}
		if got := hex.EncodeToString(thumbHash(img)); got != tt.want {
			t.Errorf("%d × %d: %s, want %s", tt.w, tt.h, got, tt.want)
		}
	}
}

func FuzzParts(f *testing.F) {
	f.Add([]byte("GIF89a\x02\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x02\x00\x02\x00\x00\x02\x02\x84\x51\x00;"))
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x08\x00\x00\x00"))
	f.Add(make([]byte, 200))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x04cICP\x09\x10\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00IDAT\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := sourceOf(data)
		if space, err := pngSpace(s); err == nil {
			if c := space.Converter(); c != nil {
				c.Convert(make([]byte, 8))
			}
		}
		profile, _ := conversion(data, false)
		profile.toSRGB(image.NewRGBA(image.Rect(0, 0, 2, 2))) // must return for any profile
		for _, f := range formats {
			if f.profile == nil {
				continue
			}
			if p, err := f.profile(s); err == nil && len(p) > maxProfile {
				t.Errorf("%s: a profile of %d bytes", f.Name, len(p))
			}
		}
	})
}
