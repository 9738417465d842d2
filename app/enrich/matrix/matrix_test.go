package matrix

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kernelsHere returns the kernels supported by this processor.
func kernelsHere() []Kernels {
	list := []Kernels{{}}
	if Fastest().Vector {
		list = append(list, Kernels{Vector: true})
	}
	if Fastest().Long {
		list = append(list, Fastest())
	}
	return list
}

// Each kernel adds the product by its definition, and writes nowhere else.
func TestAddProduct(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = 2*r.Float32() - 1
		}
		return v
	}
	for _, c := range []struct{ rows, depth, aStride, cStride int }{
		{4, 1, 1, 16}, {4, 7, 7, 16}, {8, 64, 192, 20}, {12, 3, 5, 128}, {128, 512, 512, 16}, {0, 5, 5, 16},
	} {
		a, b := random((c.rows+1)*c.aStride), random(c.depth*Panel)
		before := random((c.rows+1)*c.cStride + Panel)
		for _, k := range kernelsHere() {
			got := slices.Clone(before)
			k.AddProduct(got, c.cStride, a, c.aStride, c.rows, b)
			for i, v := range got {
				row, column := i/c.cStride, i%c.cStride
				want, tolerance := float64(before[i]), 0.0
				if row < c.rows && column < Panel {
					for p := range c.depth {
						want += float64(a[row*c.aStride+p]) * float64(b[p*Panel+column])
					}
					tolerance = 1e-6 * float64(c.depth+1)
				}
				if math.Abs(float64(v)-want) > tolerance {
					t.Fatalf("%+v, %+v: row %d, column %d is %v, want %v", c, k, row, column, v, want)
				}
			}
		}
	}
}

func TestAddProductBounds(t *testing.T) {
	t.Parallel()
	for _, k := range kernelsHere() {
		for name, call := range map[string]func(){
			"rows of no block": func() { k.AddProduct(make([]float32, 48), 16, make([]float32, 6), 2, 3, make([]float32, 32)) },
			"c too short":      func() { k.AddProduct(make([]float32, 63), 16, make([]float32, 8), 2, 4, make([]float32, 32)) },
			"a too short":      func() { k.AddProduct(make([]float32, 64), 16, make([]float32, 7), 2, 4, make([]float32, 32)) },
			"half a panel":     func() { k.AddProduct(make([]float32, 64), 16, make([]float32, 8), 2, 4, make([]float32, 24)) },
			"halves too short": func() { k.Expand(make([]float32, 8), string(make([]byte, 15))) },
			"not by 8":         func() { k.Expand(make([]float32, 4), string(make([]byte, 8))) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, %+v: no panic", name, k)
					}
				}()
				call()
			}()
		}
	}
}

// A panel of halves gives the same result as the expanded panel.
func TestAddHalves(t *testing.T) {
	t.Parallel()
	k := Fastest()
	if !k.Long {
		t.Skip("this processor has no such vectors")
	}
	r := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = 2*r.Float32() - 1
		}
		return v
	}
	for _, c := range []struct{ rows, depth, aStride, cStride int }{
		{8, 1, 1, 16}, {8, 7, 9, 16}, {16, 64, 192, 20}, {24, 3, 5, 128}, {128, 512, 512, 16}, {0, 5, 5, 16},
	} {
		halves := make([]byte, 2*Panel*c.depth)
		for i := range halves {
			halves[i] = byte(r.IntN(256)) &^ 0x40 // no infinity or NaN
		}
		a, b := random((c.rows+1)*c.aStride), make([]float32, Panel*c.depth)
		k.Expand(b, string(halves))
		want := random((c.rows+1)*c.cStride + Panel)
		got := slices.Clone(want)
		k.AddProduct(want, c.cStride, a, c.aStride, c.rows, b)
		k.AddHalves(got, c.cStride, a, c.aStride, c.rows, string(halves))
		if !slices.Equal(got, want) {
			t.Errorf("%+v: halves give another product", c)
		}
	}
	for name, call := range map[string]func(){
		"rows of no block": func() { k.AddHalves(make([]float32, 64), 16, make([]float32, 8), 2, 4, string(make([]byte, 64))) },
		"c too short":      func() { k.AddHalves(make([]float32, 127), 16, make([]float32, 16), 2, 8, string(make([]byte, 64))) },
		"a too short":      func() { k.AddHalves(make([]float32, 128), 16, make([]float32, 15), 2, 8, string(make([]byte, 64))) },
		"half a panel":     func() { k.AddHalves(make([]float32, 128), 16, make([]float32, 16), 2, 8, string(make([]byte, 48))) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// Every finite half is compared with its definition in IEEE 754.
func TestExpand(t *testing.T) {
	t.Parallel()
	var halves []byte
	var want []float32
	for h := range uint16(math.MaxUint16) {
		exponent, fraction := int(h>>10&31), float64(h&0x3ff)
		if exponent == 31 {
			continue
		}
		v := math.Ldexp(1024+fraction, exponent-25)
		if exponent == 0 {
			v = math.Ldexp(fraction, -24)
		}
		if h&0x8000 != 0 {
			v = -v
			if v == 0 {
				v = math.Copysign(0, -1)
			}
		}
		halves, want = binary.LittleEndian.AppendUint16(halves, h), append(want, float32(v))
	}
	for _, k := range kernelsHere() {
		got := make([]float32, len(want))
		k.Expand(got, string(halves))
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%+v: %x is %v, want %v", k, halves[2*i:2*i+2], got[i], want[i])
			}
		}
		k.Expand(nil, "")
	}
}
