package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// benchDimension is the dimension of the built-in model.
const benchDimension = 512

// randomVector returns a vector of length one in a random direction.
func randomVector(rnd *rand.Rand, dimension int) []float32 {
	v := make([]float32, dimension)
	var squares float64
	for i := range v {
		x := rnd.NormFloat64()
		v[i], squares = float32(x), squares+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

// BenchmarkNearest compares a query with random vectors, 100,000 or the number in
// DAL_BENCH_ASSETS, all of them and subsets, with chromem-go's own search as the
// baseline, and reports the memory per vector.
func BenchmarkNearest(b *testing.B) {
	n := 100_000
	if env, err := strconv.Atoi(os.Getenv("DAL_BENCH_ASSETS")); err == nil {
		n = env
	}
	v, err := newVectors(nil)
	if err != nil {
		b.Fatal(err)
	}
	e := &Engine{vectors: v}
	rnd := rand.New(rand.NewPCG(1, 2))
	before := HeapInUse()
	start := time.Now()
	for id := range n {
		if err := e.PutVectors(b.Context(), []Vector{{AssetID: int64(id + 1), Values: randomVector(rnd, benchDimension)}}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("put", func(b *testing.B) {
		b.ReportMetric(float64(HeapInUse()-before)/float64(n), "bytes/asset")
		b.ReportMetric(float64(time.Since(start).Microseconds())/float64(n), "µs/asset")
	})
	for _, share := range []int{1, 3, 20} {
		within := roaring.New()
		for id := 1; id <= n; id++ {
			if id%share == 0 {
				within.Add(uint32(id))
			}
		}
		b.Run(fmt.Sprintf("1 of %d", share), func(b *testing.B) {
			Timed(b, func() error {
				v.nearest(probe{values: randomVector(rnd, benchDimension), help: 0.044, enough: 0.15}, maxNear, within)
				return nil
			})
		})
	}
	b.Run("chromem-go", func(b *testing.B) {
		Timed(b, func() error {
			_, err := v.collection.QueryEmbedding(b.Context(), randomVector(rnd, benchDimension), maxNear, nil, nil)
			return err
		})
	})
}

// Timed reports the median time of a function.
func Timed(b *testing.B, do func() error) {
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
}

// HeapInUse returns the bytes of the heap in use.
func HeapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
