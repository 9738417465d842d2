package matrix

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
		if h, ok := Half(c.v); h != c.want || !ok {
			t.Errorf("half(%v) = %#04x %v, want %#04x", c.v, h, ok, c.want)
		}
	}
	for _, v := range []float32{65520, -65520, float32(math.Inf(1)), float32(math.NaN())} {
		if h, ok := Half(v); ok {
			t.Errorf("half(%v) = %#04x, want a refusal", v, h)
		}
	}
}
