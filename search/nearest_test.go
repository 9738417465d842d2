package search

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/enrich/textvec"
)

// filled returns an engine with n random vectors around a few directions, the vectors,
// and those directions.
func filled(t *testing.T, rnd *rand.Rand, n, dimension int) (e *Engine, all map[uint32][]float32, around [][]float32) {
	t.Helper()
	v, err := newVectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	e, all = &Engine{vectors: v}, map[uint32][]float32{}
	for range 5 {
		around = append(around, randomVector(rnd, dimension))
	}
	for id := range n {
		x := randomVector(rnd, dimension)
		for i, y := range around[id%len(around)] {
			x[i] = 0.6*x[i] + 0.8*y
		}
		all[uint32(id)] = scaled(x)
		if err := e.PutVectors(t.Context(), []Vector{{AssetID: int64(id), Values: x}}); err != nil {
			t.Fatal(err)
		}
	}
	return e, all, around
}

func scaled(v []float32) []float32 {
	length := float32(math.Sqrt(float64(dot(v, v))))
	for i := range v {
		v[i] /= length
	}
	return v
}

// plainNearest is nearest without a table: all products, and a sort.
func plainNearest(all map[uint32][]float32, p probe, n int, within *roaring.Bitmap) (list []near) {
	for id, x := range all {
		if c := dot(p.values, x); c >= p.help && within.Contains(id) {
			list = append(list, near{id: id, product: c, enough: c >= p.enough})
		}
	}
	slices.SortFunc(list, nearer)
	none := p.help
	if len(list) > n {
		none, list = list[n].product, list[:n]
	}
	for i := range list {
		list[i].over = list[i].product - none
	}
	return list
}

// The nearest assets are the same as when comparing all exact vectors, in large and small
// sets, and also after changes.
func TestNearest(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	const n = 25_000
	e, all, around := filled(t, rnd, n, 48)
	for round := range 2 {
		for _, share := range []int{1, 2, 7, 1000, n} {
			within := roaring.New()
			for id := range uint32(n + 100) {
				if rnd.IntN(share) == 0 {
					within.Add(id)
				}
			}
			for _, help := range []float32{-1, 0.3, 0.75} {
				p := probe{values: around[rnd.IntN(len(around))], help: help, enough: help + 0.1}
				if share == 2 {
					p.values = randomVector(rnd, 48)
				}
				for _, most := range []int{1, maxNear} {
					got, want := e.vectors.nearest(p, most, within), plainNearest(all, p, most, within)
					if !slices.Equal(got, want) {
						t.Fatalf("round %d, 1 of %d from %v on, up to %d: %d are found, want %d:\n%v\n%v",
							round, share, help, most, len(got), len(want), got, want)
					}
				}
			}
		}
		for range 2000 { // some are removed, some change, some are added again
			id := int64(rnd.IntN(n))
			if rnd.IntN(2) == 0 {
				delete(all, uint32(id))
				if err := e.RemoveVectors(t.Context(), []int64{id}); err != nil {
					t.Fatal(err)
				}
				continue
			}
			all[uint32(id)] = randomVector(rnd, 48)
			if err := e.PutVectors(t.Context(), []Vector{{AssetID: id, Values: all[uint32(id)]}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := e.vectors.nearest(probe{values: make([]float32, 47)}, 9, roaring.BitmapOf(1, 2)); got != nil {
		t.Errorf("a probe of another model finds %v", got)
	}
}

// Beyond maxFloats, only quantized vectors are stored, which find nearly the same; free
// rows are reused.
func TestNearestBeyondFloats(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	const n, more = maxFloats + 20_000, 1000
	e, all, around := filled(t, rnd, n, 32)
	v := e.vectors
	if len(v.floats) != maxFloats || v.collection.Count() != maxFloats || v.table.Len() != n {
		t.Errorf("%d and %d are kept as they are, %d in all", len(v.floats), v.collection.Count(), v.table.Len())
	}
	within := roaring.New()
	within.AddRange(maxFloats-more, n)
	for _, p := range around {
		got := v.nearest(probe{values: p, help: 0.1, enough: 0.8}, maxNear, within)
		exact := plainNearest(all, probe{values: p, help: 0.1}, n, within)
		for i, x := range got {
			if off := math.Abs(float64(x.product - dot(p, all[x.id]))); off > 0.01 || x.id < maxFloats && off != 0 {
				t.Fatalf("the product of %d is off by %v", x.id, off)
			}
			if off := exact[i].product - dot(p, all[x.id]); off > 0.01 {
				t.Fatalf("the one at %d is %v less near than it should be", i, off)
			}
		}
		if len(got) != maxNear {
			t.Errorf("%d are found", len(got))
		}
	}
	if x := v.of(n - 1); len(x) != 32 || dot(x, all[n-1]) < 0.99 {
		t.Errorf("the last is %v, want nearly %v", x, all[n-1])
	}
	if err := e.RemoveVectors(t.Context(), []int64{5}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{n - 1, n - 2} {
		if err := e.PutVectors(t.Context(), []Vector{{AssetID: id, Values: all[uint32(id)]}}); err != nil {
			t.Fatal(err)
		}
	}
	if v.floats[n-1] == nil || v.floats[n-2] != nil || len(v.floats) != maxFloats || v.collection.Count() != maxFloats {
		t.Errorf("after one is gone, %d and %d are kept as they are", len(v.floats), v.collection.Count())
	}
}

// A vector of another length than the others is not used, nor is the one it replaces;
// once all are removed, any length is accepted.
func TestOtherDimension(t *testing.T) {
	t.Parallel()
	v, err := newVectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{vectors: v}
	put := func(id int64, values ...float32) {
		t.Helper()
		if err := e.PutVectors(t.Context(), []Vector{{AssetID: id, Values: values}}); err != nil {
			t.Fatal(err)
		}
	}
	found := func(values ...float32) (ids []uint32) {
		for _, x := range v.nearest(probe{values: values}, 9, roaring.BitmapOf(1, 2, 3)) {
			ids = append(ids, x.id)
		}
		return ids
	}
	put(1, 1, 0)
	put(2, 1, 0)
	put(3, 0, 0, 1)
	put(2, 1, 0, 0)
	if got := found(1, 0); !slices.Equal(got, []uint32{1}) || e.VectorDimension() != 2 {
		t.Errorf("%v are found", got)
	}
	if err := e.RemoveVectors(t.Context(), []int64{1}); err != nil {
		t.Fatal(err)
	}
	put(3, 0, 0, 1)
	if got := found(0, 0, 1); !slices.Equal(got, []uint32{3}) || e.VectorDimension() != 3 {
		t.Errorf("%v are found", got)
	}
}

// The quantized vectors of real texts are as exact as the comment of maxFloats states.
func TestBytesOfMeanings(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/titles.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := textvec.NewLite(2).Embed(t.Context(), strings.Split(strings.TrimSpace(string(file)), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(x []float32) bool { return x == nil })
	for id, x := range list {
		if err := v.put(t.Context(), uint32(id), x); err != nil {
			t.Fatal(err)
		}
	}
	var most, squares float64
	for _, x := range list {
		q := v.table.Query(x)
		for id, y := range list {
			c, _ := v.table.Of(q, uint32(id))
			off := math.Abs(float64(c - dot(x, y)))
			most, squares = max(most, off), squares+off*off
		}
	}
	typical := math.Sqrt(squares / float64(len(list)*len(list)))
	t.Logf("%d texts: off by %.6f, at most %.6f, never more than %.4f", len(list), typical, most, v.table.Slack(v.table.Query(list[0])))
	if most > 0.002 || typical > 0.0005 {
		t.Errorf("products are off by %v, and by %v at most", typical, most)
	}
}
