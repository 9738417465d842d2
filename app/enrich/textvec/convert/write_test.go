package main

import (
	"math"
	"testing"
)

func TestHalf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    float32
		want uint16
	}{
		{0, 0}, {float32(math.Copysign(0, -1)), 0x8000},
		{1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff}, {65519, 0x7bff}, {1.0 / 3, 0x3555},
		{0x1p-14, 0x0400}, {0x1p-24, 1}, {0x1p-25, 0}, {0x1.8p-24, 2}, {-0x1.0001p-25, 0x8001},
		{0x1.ff8p-15, 0x03ff}, {0x1.ffcp-15, 0x0400}, {0x1.ffap-15, 0x03ff}, {0x1.ffep-1, 0x3c00},
		{1 + 0x1p-11, 0x3c00}, {1 + 0x3p-11, 0x3c02}, {1 + 0x1.1p-11, 0x3c01},
	} {
		if h, ok := half(c.v); h != c.want || !ok {
			t.Errorf("half(%v) = %#04x %v, want %#04x", c.v, h, ok, c.want)
		}
	}
	for _, v := range []float32{65520, -65520, float32(math.Inf(1)), float32(math.NaN())} {
		if h, ok := half(v); ok {
			t.Errorf("half(%v) = %#04x, want a refusal", v, h)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	if _, err := write([]piece{{"", 0}}, nil); err == nil {
		t.Error("an empty piece is written")
	}
	if _, err := write([]piece{{"a", 0}}, nil); err == nil {
		t.Error("a model without weights is written")
	}
	shape := tensor{[]int{256, 8002}, make([]byte, 4*8002*256)}
	if _, err := write(nil, map[string]tensor{"module/Embeddings_en": shape}); err == nil {
		t.Error("a tensor of the wrong shape is written")
	}
}

func TestReadVocabulary(t *testing.T) {
	t.Parallel()
	pieces, err := readVocabulary([]byte(`[["▁a",-1.5],[":",null]]`))
	if err != nil || len(pieces) != 2 || pieces[0] != (piece{"▁a", -1.5}) || pieces[1] != (piece{":", 0}) {
		t.Errorf("%v, %v", pieces, err)
	}
	for _, bad := range []string{``, `[[1,2]]`, `[["a","b"]]`, `{}`} {
		if _, err := readVocabulary([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
