package dam

import "testing"

func TestSameName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"a.JPG", "A.jpg", true},
		{"Gr\u00fcn.jpg", "Gru\u0308n.jpg", true},
		{"GR\u00dcN.JPG", "gru\u0308n.jpg", true},
		{"\uac00.jpg", "\u1100\u1161.jpg", true},         // Hangul
		{"\u30ac.jpg", "\u30ab\u3099.jpg", true},         // kana
		{"q\u0307\u0323.jpg", "q\u0323\u0307.jpg", true}, // order of combining marks
		{"Gr\u00fcn.jpg", "Grun.jpg", false},
		{"\ufb01.jpg", "fi.jpg", false}, // NFC keeps ligatures
		{"a.jpg", "a.jpeg", false},
	} {
		if got := SameName(c.a, c.b); got != c.same {
			t.Errorf("%q, %q: %v", c.a, c.b, got)
		}
	}
	if a, b := Stem("Fo\u0308hr", "Gr\u00fcn.HEIC"), Stem("F\u00f6hr", "gru\u0308n.mov"); a != b {
		t.Errorf("%q, %q", a, b)
	}
}
