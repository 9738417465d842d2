package textvec

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each way to multiply adds the same as the definition of the product does, and
// writes nowhere else.
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
		a, b := random((c.rows+1)*c.aStride), random(c.depth*panel)
		before := random((c.rows+1)*c.cStride + panel)
		for _, vector := range kernelsHere() {
			got := slices.Clone(before)
			kernels{vector}.addProduct(got, c.cStride, a, c.aStride, c.rows, b)
			for i, v := range got {
				row, column := i/c.cStride, i%c.cStride
				want, tolerance := float64(before[i]), 0.0
				if row < c.rows && column < panel {
					for p := range c.depth {
						want += float64(a[row*c.aStride+p]) * float64(b[p*panel+column])
					}
					tolerance = 1e-6 * float64(c.depth+1)
				}
				if math.Abs(float64(v)-want) > tolerance {
					t.Fatalf("%+v, vector %v: row %d, column %d is %v, want %v", c, vector, row, column, v, want)
				}
			}
		}
	}
}

func TestAddProductBounds(t *testing.T) {
	t.Parallel()
	for _, vector := range kernelsHere() {
		k := kernels{vector}
		for name, call := range map[string]func(){
			"rows of no block": func() { k.addProduct(make([]float32, 48), 16, make([]float32, 6), 2, 3, make([]float32, 32)) },
			"c too short":      func() { k.addProduct(make([]float32, 63), 16, make([]float32, 8), 2, 4, make([]float32, 32)) },
			"a too short":      func() { k.addProduct(make([]float32, 64), 16, make([]float32, 7), 2, 4, make([]float32, 32)) },
			"half a panel":     func() { k.addProduct(make([]float32, 64), 16, make([]float32, 8), 2, 4, make([]float32, 24)) },
			"halves too short": func() { k.expand(make([]float32, 8), string(make([]byte, 15))) },
			"not by 8":         func() { k.expand(make([]float32, 4), string(make([]byte, 8))) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, vector %v: no panic", name, vector)
					}
				}()
				call()
			}()
		}
	}
}

// Every half that is finite, against its definition in IEEE 754.
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
	for _, vector := range kernelsHere() {
		got := make([]float32, len(want))
		kernels{vector}.expand(got, string(halves))
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("vector %v: %x is %v, want %v", vector, halves[2*i:2*i+2], got[i], want[i])
			}
		}
		kernels{vector}.expand(nil, "")
	}
}
