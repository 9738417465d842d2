package bytevec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// unit returns a random vector of length 1.
func unit(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	var squares float64
	for i := range v {
		x := r.NormFloat64()
		v[i], squares = float32(x), squares+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// The kernel and its twin agree on every number.
func TestKernel(t *testing.T) {
	if !vector {
		t.Skip("this processor has no vector kernels, or they are left out")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, dimension := range []int{16, 32, 48, 512, 4096} {
		for _, n := range []int{1, 2, 7} {
			q, rows := make([]int16, dimension), make([]int8, n*dimension)
			for i := range q {
				q[i] = int16(r.IntN(255) - 127)
			}
			for i := range rows {
				rows[i] = int8(r.IntN(255) - 127)
			}
			got, want := make([]int32, n), make([]int32, n)
			productsVector(&got[0], &q[0], &rows[0], n, dimension)
			productsGo(want, q, rows)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d rows of %d: %v, want %v", n, dimension, got, want)
			}
		}
	}
	// The largest sums there are.
	q, row := make([]int16, MaxDimension), make([]int8, MaxDimension)
	for i := range q {
		q[i], row[i] = -largest, largest
	}
	var got, want [1]int32
	productsVector(&got[0], &q[0], &row[0], 1, len(q))
	productsGo(want[:], q, row)
	if got != want || int(want[0]) != -MaxDimension*largest*largest {
		t.Errorf("the largest: %v, want %v", got, want)
	}
}

// Products are nearly those of the vectors, whatever was put and removed before,
// by row and by ID.
func TestProducts(t *testing.T) {
	for _, dimension := range []int{1, 15, 16, 300, 512} {
		r := rand.New(rand.NewPCG(3, uint64(dimension)))
		table, want := New(dimension), map[uint32][]float32{}
		for range 5000 {
			id := uint32(r.IntN(3000))
			if r.IntN(4) == 0 {
				table.Remove(id)
				delete(want, id)
				continue
			}
			want[id] = unit(r, dimension)
			table.Put(id, want[id])
		}
		v := unit(r, dimension)
		q := table.Query(v)
		seen := map[uint32]float32{}
		table.Scan(q, 0, table.Rows(), func(id uint32, product float32) { seen[id] = product })
		if len(seen) != len(want) || table.Len() != len(want) {
			t.Errorf("%d: %d vectors were seen, Len is %d, want %d", dimension, len(seen), table.Len(), len(want))
		}
		for id, x := range want {
			one, ok := table.Of(q, id)
			if exact := dot(v, x); !ok || one != seen[id] || math.Abs(float64(one)-exact) > 0.02 {
				t.Fatalf("%d: the product with %d is %v, %v and by ID %v, want about %v", dimension, id, seen[id], ok, one, exact)
			}
			if math.Abs(dot(table.Float(id), x)-1) > 0.01 {
				t.Fatalf("%d: vector %d is another one", dimension, id)
			}
		}
		if _, ok := table.Of(q, 1<<30); ok || table.Float(1<<30) != nil {
			t.Errorf("%d: there is a vector of no ID", dimension)
		}
	}
}

// What is no direction is near nothing.
func TestOddVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{0, 0}, {nan, 1}, {1, nan}, {inf, 1}, {-inf, inf}} {
		table := New(2)
		table.Put(1, v)
		table.Put(2, []float32{1, 0})
		table.Scan(table.Query([]float32{1, 0}), 0, table.Rows(), func(id uint32, product float32) {
			if id != 2 || product != 1 {
				t.Errorf("%v: vector %d has the product %v", v, id, product)
			}
		})
		if p, _ := table.Of(table.Query(v), 2); p != 0 {
			t.Errorf("%v as a query: %v", v, p)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	const n, dimension = 100_000, 512
	r := rand.New(rand.NewPCG(5, 6))
	table := New(dimension)
	for id := range uint32(n) {
		table.Put(id, unit(r, dimension))
	}
	q := table.Query(unit(r, dimension))
	b.SetBytes(n * dimension)
	var most float32
	for b.Loop() {
		table.Scan(q, 0, n, func(_ uint32, product float32) { most = max(most, product) })
	}
}
