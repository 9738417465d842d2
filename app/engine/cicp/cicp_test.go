package cicp

import "testing"

// The values are those of Chromium, read from a canvas.
func TestConvert(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		of           Space
		value, drawn [3]byte
	}{
		{"PQ, white", Space{bt2020, pq}, [3]byte{150, 150, 150}, [3]byte{193, 193, 193}},
		{"PQ, brighter than white", Space{bt2020, pq}, [3]byte{170, 170, 170}, [3]byte{228, 228, 228}},
		{"PQ, the peak", Space{bt2020, pq}, [3]byte{195, 195, 195}, [3]byte{255, 255, 255}},
		{"PQ, red", Space{bt2020, pq}, [3]byte{130, 0, 0}, [3]byte{173, 0, 0}},
		{"HLG, grey", Space{bt2020, hlg}, [3]byte{150, 150, 150}, [3]byte{122, 122, 122}},
		{"HLG, the peak", Space{bt2020, hlg}, [3]byte{255, 255, 255}, [3]byte{255, 255, 255}},
		{"HLG, bright", Space{bt2020, hlg}, [3]byte{200, 200, 200}, [3]byte{201, 201, 201}},
		{"HLG, red", Space{bt2020, hlg}, [3]byte{130, 0, 0}, [3]byte{113, 0, 0}},
		{"Display P3, red", Space{p3, 13}, [3]byte{130, 0, 0}, [3]byte{144, 0, 0}},
		{"Display P3, grey", Space{p3, 13}, [3]byte{148, 148, 148}, [3]byte{148, 148, 148}},
	} {
		pix := append(tt.value[:], 7)
		tt.of.Converter().Convert(pix)
		for i, want := range tt.drawn {
			if d := int(pix[i]) - int(want); d < -2 || d > 2 {
				t.Errorf("%s: %v is %v, want %v", tt.name, tt.value, pix, tt.drawn)
				break
			}
		}
		if pix[3] != 7 {
			t.Errorf("%s changed alpha", tt.name)
		}
	}
	for _, s := range []Space{{}, {1, 13}, {1, 1}, {2, 2}} {
		if s.Converter() != nil || s.Note() != "" {
			t.Errorf("%v is converted", s)
		}
	}
}

// box returns a box of the ISO base media format.
func box(kind string, body string) string {
	n := len(body) + 8
	return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + kind + body
}

// withTwo is a file whose second property belongs to its primary item.
func withTwo() string {
	return box("ftyp", "avif") + box("meta", "\x00\x00\x00\x00"+
		box("pitm", "\x00\x00\x00\x00\x00\x02")+
		box("iprp", box("ipco", box("colr", "nclx\x00\x09\x00\x12\x00\x09\x80")+box("colr", "nclx\x00\x0c\x00\x0d\x00\x01\x80"))+
			box("ipma", "\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x01\x01\x00\x02\x01\x82")))
}

func TestOfHEIF(t *testing.T) {
	t.Parallel()
	if s := OfHEIF([]byte(withTwo())); s != (Space{p3, 13}) {
		t.Errorf("the space is %v", s)
	}
	alone := box("meta", "\x00\x00\x00\x00"+box("iprp", box("ipco", box("colr", "nclx\x00\x09\x00\x12"))))
	if s := OfHEIF([]byte(alone)); s != (Space{bt2020, hlg}) {
		t.Errorf("without a primary item the space is %v", s)
	}
}

func FuzzOfHEIF(f *testing.F) {
	f.Add([]byte(withTwo()))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if c := OfHEIF(b).Converter(); c != nil {
			c.Convert(b)
		}
	})
}
