package engine

import (
	"bytes"
	"image"
	"reflect"
	"testing"

	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// Answers survive a round trip.
func TestAnswers(t *testing.T) {
	t.Parallel()
	want := &Look{
		Width: 30, Height: 20, Pages: 2, Title: "t", Creator: "c", Description: "d", Note: "n", Text: "text",
		Picture: image.NewNRGBA(image.Rect(0, 0, 3, 2)), ICC: []byte("icc"), EXIF: []byte("exif"), IPTC: []byte("iptc"), XMP: []byte("xmp"),
		Keywords: []string{"k"}, Created: "2026", Facts: map[string]any{"macros": true}, Shows: "s", Card: true,
		Copyright: "r", Place: "+1+2/", Seconds: 2.5, Sound: true, Warning: "w", Still: []byte("still"), StillFormat: "AVIF", Turn: 90,
		StillSpace: cicp.Space{Primaries: 9, Transfer: 18},
		Tags:       []Tag{{"dog", 0.9}},
	}
	for i := range want.Picture.Pix {
		want.Picture.Pix[i] = byte(i)
	}
	var b bytes.Buffer
	if err := WriteAnswer(&b, want, nil); err != nil {
		t.Fatal(err)
	}
	got, err := readAnswer(&b, 3, nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := WriteAnswer(&b, nil, &Fault{Unsupported, "why"}); err != nil {
		t.Fatal(err)
	}
	if _, err := readAnswer(&b, 3, nil); err == nil || err.Error() != "unsupported: why" {
		t.Error(err)
	}
	if b.Len() > 0 {
		t.Errorf("%d bytes are left", b.Len())
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, look := range []*Look{
		{}, {Picture: image.NewNRGBA(image.Rect(0, 0, 3, 2))}, {ICC: []byte("i"), EXIF: []byte("e"), Text: "text"},
	} {
		var b bytes.Buffer
		if err := WriteAnswer(&b, look, nil); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Add([]byte("\x00\x00\x00\x29" + `{"picture_width":9,"picture_height":9999}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		look, err := readAnswer(bytes.NewReader(data), 100, nil)
		if err != nil {
			return
		}
		if p := look.Picture; p != nil && (p.Rect.Dx() > 100 || p.Rect.Dy() > 100 || len(p.Pix) > len(data)) {
			t.Fatalf("a picture of %v in %d bytes", p.Rect, len(data))
		}
		if len(look.Text)+len(look.ICC)+len(look.EXIF)+len(look.IPTC)+len(look.XMP)+len(look.Still) > len(data) {
			t.Fatal("more than there is")
		}
	})
}
