package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// ColorDistance returns the difference between two colours "#rrggbb", for tests of
// filters.
func ColorDistance(p, q string) float64 {
	lab := func(s string) shade {
		r, g, b, ok := dam.ParseHex(s)
		if !ok {
			panic(s) // tests use valid colours
		}
		return toLab(r, g, b)
	}
	return ciede2000(lab(p), lab(q))
}

// The pairs of Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula: Implementation
// Notes, Supplementary Test Data, and Mathematical Observations, 2005, table 1.
func TestCIEDE2000(t *testing.T) {
	t.Parallel()
	pairs := [][7]float64{
		{50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
		{50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
		{50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412},
		{50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
		{50, -1.1848, -84.8006, 50, 0, -82.7485, 1.0000},
		{50, -0.9009, -85.5211, 50, 0, -82.7485, 1.0000},
		{50, 0, 0, 50, -1, 2, 2.3669},
		{50, -1, 2, 50, 0, 0, 2.3669},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0010, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0012, 7.2195},
		{50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},
		{50, -0.0010, 2.4900, 50, 0.0010, -2.4900, 4.8045},
		{50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461},
		{50, 2.5, 0, 50, 0, -2.5, 4.3065},
		{50, 2.5, 0, 73, 25, -18, 27.1492},
		{50, 2.5, 0, 61, -5, 29, 22.8977},
		{50, 2.5, 0, 56, -27, -3, 31.9030},
		{50, 2.5, 0, 58, 24, 15, 19.4535},
		{50, 2.5, 0, 50, 3.1736, 0.5854, 1.0000},
		{50, 2.5, 0, 50, 3.2972, 0, 1.0000},
		{50, 2.5, 0, 50, 1.8634, 0.5757, 1.0000},
		{50, 2.5, 0, 50, 3.2592, 0.3350, 1.0000},
		{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
		{63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630},
		{61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731},
		{35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645},
		{22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
		{36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146},
		{90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441},
		{90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381},
		{6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
		{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
	}
	for i, p := range pairs {
		a := shade{l: float32(p[0]), a: float32(p[1]), b: float32(p[2])}
		b := shade{l: float32(p[3]), a: float32(p[4]), b: float32(p[5])}
		if d := ciede2000(a, b); math.Abs(d-p[6]) > 0.00006 {
			t.Errorf("pair %d: %.5f, want %.4f", i+1, d, p[6])
		}
		if d := ciede2000(b, a); math.Abs(d-p[6]) > 0.00006 {
			t.Errorf("pair %d, the other way round: %.5f, want %.4f", i+1, d, p[6])
		}
		if d := ciede2000(a, a); d != 0 {
			t.Errorf("pair %d: %v from itself", i+1, d)
		}
	}
}

// Well-known colours in CIELAB under D65.
func TestLab(t *testing.T) {
	t.Parallel()
	tests := []struct {
		r, g, b uint8
		lab     [3]float64
	}{
		{0, 0, 0, [3]float64{0, 0, 0}},
		{255, 255, 255, [3]float64{100, 0, 0}},
		{255, 0, 0, [3]float64{53.24, 80.09, 67.20}},
		{0, 255, 0, [3]float64{87.73, -86.18, 83.18}},
		{0, 0, 255, [3]float64{32.30, 79.19, -107.86}},
		{128, 128, 128, [3]float64{53.59, 0, 0}},
	}
	for _, tt := range tests {
		s := toLab(tt.r, tt.g, tt.b)
		for i, got := range []float32{s.l, s.a, s.b} {
			if math.Abs(float64(got)-tt.lab[i]) > 0.02 {
				t.Errorf("%d %d %d: %v, want %v", tt.r, tt.g, tt.b, s, tt.lab)
				break
			}
		}
	}
}

// A palette finds exactly the assets with a colour within the distance, although it skips
// colours that differ too much in lightness.
func TestPaletteNear(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 5))
	hex := func() string {
		const digits = "0123456789abcdef"
		s := []byte("#")
		for range 6 {
			s = append(s, digits[rnd.IntN(16)])
		}
		return string(s)
	}
	p := &palette{}
	colors := map[int64][]dam.Color{}
	for id := range int64(200) {
		for range rnd.IntN(4) {
			colors[id] = append(colors[id], dam.Color{Hex: hex(), Share: 0.2})
		}
		p.add(id, colors[id])
	}
	found := 0
	for range 150 {
		want := hex()
		c := dam.ColorRange{Distance: float64(rnd.IntN(101))}
		c.R, c.G, c.B, _ = dam.ParseHex(want)
		set, weights := p.near(c)
		for id, list := range colors {
			near := slices.ContainsFunc(list, func(x dam.Color) bool { return ColorDistance(want, x.Hex) <= c.Distance })
			if near != set.Contains(uint32(id)) {
				t.Fatalf("%s within %v: asset %d with %v found: %v", want, c.Distance, id, list, !near)
			}
			if w := weightOf(weights, id); near != (w > 0) || w > 1 {
				t.Fatalf("%s within %v: asset %d with %v weighs %v", want, c.Distance, id, list, w)
			}
		}
		found += int(set.GetCardinality())
	}
	if found == 0 {
		t.Error("nothing was near to anything")
	}
}

// No colour is nearer to another than the nearest corner of its cell, less the margin.
func TestCellsLeaveNothingOut(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(8, 8))
	at := func(v uint8, high int) uint8 { return uint8(min(int(v)/cellSide*cellSide+high*cellSide, 255)) }
	most := 0.0
	for range 100_000 {
		r, g, b := uint8(rnd.Uint32()), uint8(rnd.Uint32()), uint8(rnd.Uint32())
		x := toLab(r, g, b)
		want := toLab(uint8(rnd.Uint32()), uint8(rnd.Uint32()), uint8(rnd.Uint32()))
		if rnd.IntN(2) == 0 { // a near one
			shift := func(v uint8) uint8 { return uint8(min(max(int(v)+rnd.IntN(41)-20, 0), 255)) }
			want = toLab(shift(r), shift(g), shift(b))
		}
		least := 1000.0
		for corner := range 8 {
			least = min(least, ciede2000(want, toLab(at(r, corner&1), at(g, corner>>1&1), at(b, corner>>2))))
		}
		cell := cellSizes()[cellOf(uint32(r)<<16|uint32(g)<<8|uint32(b))]
		most = max(most, (least-ciede2000(want, x))/cell)
	}
	if most > 0.8*cellMargin {
		t.Errorf("a corner is farther by %v of its cell", most)
	}
	if size := slices.Max(cellSizes()); size > maxCellSize {
		t.Errorf("a cell is %v across", size)
	}
	p := &palette{}
	for id := range int64(fewShades / 4) {
		colors := make([]dam.Color, 3)
		for i := range colors {
			colors[i] = dam.Color{Hex: fmt.Sprintf("#%06x", rnd.IntN(1<<24)), Share: rnd.Float64()}
		}
		p.add(id, colors)
	}
	for range 20 {
		c := dam.ColorRange{R: uint8(rnd.Uint32()), G: uint8(rnd.Uint32()), B: uint8(rnd.Uint32()), Distance: float64(rnd.IntN(40))}
		set, weights := p.near(c)
		all, allWeights := p.nearIn(c, nil)
		if !set.Equals(all) || !slices.Equal(weights, allWeights) {
			t.Errorf("%+v: %d assets, not %d", c, set.GetCardinality(), all.GetCardinality())
		}
	}
}

func weightOf(weights []float32, id int64) float32 {
	if int(id) >= len(weights) {
		return 0
	}
	return weights[id]
}

// BenchmarkNear searches for colours in a million images with five each.
func BenchmarkNear(b *testing.B) {
	rnd := rand.New(rand.NewPCG(9, 9))
	p := &palette{}
	for id := range int64(1_000_000) {
		for range 5 {
			p.of.add(uint32(id), rnd.Uint32()&0xffffff)
			p.of.add(uint32(id), math.Float32bits(0.2))
		}
	}
	b.ResetTimer()
	for b.Loop() {
		c := dam.ColorRange{R: uint8(rnd.Uint32()), G: uint8(rnd.Uint32()), B: uint8(rnd.Uint32()), Distance: 15}
		p.near(c)
	}
}
