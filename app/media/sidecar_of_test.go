package media

import (
	"fmt"
	"testing"
)

func TestSidecarOf(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "Gr\u00fcn", "Gru\u0308n"
	for _, c := range []struct {
		sidecar string
		names   []string
		want    string
	}{
		{"a.jpg.xmp", []string{"a.jpg", "a.png"}, "[0]"},
		{"A.XMP", []string{"a.jpg", "b.jpg"}, "[0]"},
		{"a.xmp", []string{"a.jpg", "a.nef", "a.xmp"}, "[1]"},
		{"a.xmp", []string{"a.jpg", "a.mov"}, "[0 1]"},
		{nfc + ".jpg.xmp", []string{nfd + ".jpg"}, "[0]"},
		{nfd + ".jpg.xmp", []string{nfc + ".JPG"}, "[0]"},
		{nfc + ".xmp", []string{nfd + ".jpg"}, "[0]"},
		{nfd + ".XMP", []string{nfc + ".nef", nfd + ".jpg"}, "[0]"},
		{nfc + ".jpg.xmp", []string{nfd + ".jpg", nfc + ".jpg"}, "[1]"}, // both exist
		{nfd + ".xmp", []string{nfd + ".jpg", nfc + ".jpg"}, "[0]"},
		{"a.jpg.xmp", []string{"A.jpg", "a.jpg"}, "[1]"},
		{"Grun.xmp", []string{nfc + ".jpg"}, "[]"},
		{".xmp", []string{"a.jpg"}, "[]"},
	} {
		if got := fmt.Sprint(SidecarOf(c.sidecar, c.names)); got != c.want {
			t.Errorf("%q of %q: %s, want %s", c.sidecar, c.names, got, c.want)
		}
	}
}
