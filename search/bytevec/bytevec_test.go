package bytevec

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
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

// agree fails a test if the kernel, its Go version and the definition differ.
func agree(t *testing.T, q []int16, rows []int8) {
	t.Helper()
	n := len(rows) / len(q)
	want := make([]int32, n)
	for i := range want {
		for j, x := range q {
			want[i] += int32(x) * int32(rows[i*len(q)+j])
		}
	}
	got := make([]int32, n+1)
	got[n] = 42
	productsGo(got[:n], q, rows)
	if !slices.Equal(got[:n], want) {
		t.Fatalf("%d rows of %d in Go: %v, want %v", n, len(q), got[:n], want)
	}
	if vector {
		productsVector(&got[0], &q[0], &rows[0], n, len(q))
		if !slices.Equal(got[:n], want) || got[n] != 42 {
			t.Fatalf("%d rows of %d: %v, want %v", n, len(q), got, want)
		}
	}
}

// The kernel and its Go version agree on every number.
func TestKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dimension := range []int{16, 32, 48, 512, 4096, MaxDimension} {
		most := min(math.MaxInt16, math.MaxInt32/(largest*dimension))
		for _, n := range []int{1, 2, 7} {
			q, rows := make([]int16, dimension), make([]int8, n*dimension)
			for i := range q {
				q[i] = int16(r.IntN(2*most+1) - most)
			}
			for i := range rows {
				rows[i] = int8(r.IntN(2*largest+1) - largest)
			}
			agree(t, q, rows)
		}
		// The largest possible sums.
		q, row := make([]int16, dimension), make([]int8, dimension)
		for i := range q {
			q[i], row[i] = int16(-most), largest
		}
		agree(t, q, row)
		if sum := int64(dimension) * int64(most) * largest; sum > math.MaxInt32 || most < largest {
			t.Errorf("%d: the sum %d does not fit, or %d is too small", dimension, sum, most)
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add([]byte("sixteen numbers of two bytes, and sixteen of one"))
	f.Add(slices.Repeat([]byte{0x80, 0x7f, 0xff}, 64))
	f.Fuzz(func(t *testing.T, data []byte) {
		lanes := 1 + len(data)/(5*lane*3) // so that q leaves numbers for a few rows
		q := make([]int16, lanes*lane)
		if len(data) < 3*len(q) {
			return
		}
		for i := range q {
			q[i] = max(-math.MaxInt16, int16(binary.LittleEndian.Uint16(data[2*i:])))
		}
		var rows []int8
		for _, b := range data[2*len(q):] {
			rows = append(rows, int8(b))
		}
		agree(t, q, rows[:len(rows)/len(q)*len(q)])
	})
}

// compare fails a test if a table differs from the vectors that were put.
func compare(t *testing.T, table *Table, want map[uint32][]float32, v []float32) {
	t.Helper()
	q := table.Query(v)
	slack := float64(table.Slack(q)) + 1e-5
	seen := map[uint32]float32{}
	least := float32(math.Inf(-1))
	table.Scan(q, 0, table.Rows(), least, func(id uint32, product float32) float32 {
		seen[id] = product
		return least
	})
	if table.Len() != len(want) {
		t.Errorf("Len is %d, want %d", table.Len(), len(want))
	}
	for id, x := range want {
		one, ok := table.Of(q, id)
		all, direction := seen[id]
		if !table.Has(id) || ok != direction || one != all || len(table.Float(id)) != len(x) {
			t.Fatalf("%d: %v, %v by ID, and %v, %v of all", id, one, ok, all, direction)
		}
		if exact := dot(v, x); ok && !(math.Abs(float64(one)-exact) <= slack) {
			t.Fatalf("%d: %v, want %v, give or take %v", id, one, exact, slack)
		}
		delete(seen, id)
	}
	if len(seen) != 0 {
		t.Errorf("also there: %v", seen)
	}
}

// Products are nearly those of the vectors, by row and by ID, after any sequence of puts
// and removals.
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
		for range 3 {
			compare(t, table, want, unit(r, dimension))
		}
		q := table.Query(unit(r, dimension))
		if slack := table.Slack(q); slack > 0.02 {
			t.Errorf("%d: the slack is %v", dimension, slack)
		}
		for id, x := range want {
			if math.Abs(dot(table.Float(id), x)-1) > 0.01 {
				t.Fatalf("%d: vector %d is another one", dimension, id)
			}
		}
		if _, ok := table.Of(q, 1<<30); ok || table.Has(1<<30) || table.Float(1<<30) != nil || table.IDs() > 3000 {
			t.Errorf("%d: there is a vector of no ID", dimension)
		}
	}
}

// A scan skips products below the value that found returned last.
func TestScanLeast(t *testing.T) {
	table := New(1)
	for id := range uint32(3000) {
		table.Put(id, []float32{float32(id%1500) + 1})
	}
	var ids []uint32
	table.Scan(table.Query([]float32{1}), 10, 2900, 100, func(id uint32, product float32) float32 {
		ids = append(ids, id)
		return product + 500
	})
	if want := []uint32{99, 599, 1099}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
}

// Vectors without a direction are not similar to anything.
func TestOddVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{0, 0}, {nan, 1}, {1, nan}, {inf, 1}, {-inf, inf}, {math.SmallestNonzeroFloat32, 0}} {
		table := New(2)
		table.Put(1, v)
		table.Put(2, []float32{1, 0})
		table.Scan(table.Query([]float32{1, 0}), 0, table.Rows(), -1, func(id uint32, product float32) float32 {
			if id != 2 || math.Abs(float64(product)-1) > 1e-6 {
				t.Errorf("%v: vector %d has the product %v", v, id, product)
			}
			return -1
		})
		if _, ok := table.Of(table.Query([]float32{1, 0}), 1); ok {
			t.Errorf("%v is compared", v)
		}
		if p, _ := table.Of(table.Query(v), 2); p != 0 {
			t.Errorf("%v as a query: %v", v, p)
		}
	}
}

// Any vectors of moderate numbers, put and removed in any order.
func FuzzTable(f *testing.F) {
	f.Add(uint8(1), []byte{1, 0, 0, 128, 63, 2, 0, 0, 0, 191, 129})
	f.Add(uint8(3), binary.LittleEndian.AppendUint32(slices.Repeat([]byte{7}, 60), 1))
	f.Fuzz(func(t *testing.T, dimension uint8, data []byte) {
		d := 1 + int(dimension)
		table, want := New(d), map[uint32][]float32{}
		last := make([]float32, d)
		for len(data) > 4*d {
			id := uint32(data[0] & 127)
			if data[0] > 127 {
				table.Remove(id)
				delete(want, id)
				data = data[1:]
				continue
			}
			last = make([]float32, d)
			for i := range last {
				// Up to 2 and at least 2⁻¹⁴, so that the test's own products are exact.
				last[i] = float32(int16(binary.LittleEndian.Uint32(data[1+4*i:]))) / (1 << 14)
			}
			table.Put(id, last)
			want[id] = last
			data = data[1+4*d:]
		}
		compare(t, table, want, last)
	})
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
	for b.Loop() {
		table.Scan(q, 0, n, 0.1, func(uint32, float32) float32 { return 0.1 })
	}
}
