package search_test

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
)

// mixedMeanings returns vectors for a library: each is a mix of those of two out of a few
// texts, so that only these few are embedded.
func mixedMeanings(b *testing.B, model search.Embedder, n int64) []search.Vector {
	texts := animals()
	for i := range 100 {
		texts = append(texts, "this is about "+word(uint64(300+7*i)))
	}
	list, err := model.Embed(b.Context(), texts)
	if err != nil {
		b.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(v []float32) bool { return v == nil })
	rnd := rand.New(rand.NewPCG(3, 4))
	vectors := make([]search.Vector, n)
	for i := range vectors {
		a, c, share := list[rnd.IntN(len(list))], list[rnd.IntN(len(list))], rnd.Float32()
		v := make([]float32, len(a))
		for j := range v {
			v[j] = share*a[j] + (1-share)*c[j] + 0.02*float32(rnd.NormFloat64())
		}
		vectors[i] = search.Vector{AssetID: int64(i + 1), Values: unit(v)}
	}
	return vectors
}

// BenchmarkHybrid compares keyword search of 100,000 assets with hybrid search, for new
// texts and for repeated ones.
func BenchmarkHybrid(b *testing.B) {
	library := bigLibrary()
	dir := b.TempDir()
	e := openBig(b, dir, library)
	indexAll(b, e)
	text := uint64(0)
	next := func(words int) (s string) { // different words each time, of some frequency
		for range words {
			text++
			s += word(100+text%300) + " "
		}
		return s + word(1000+text)
	}
	run := func(name string, words int) {
		b.Run(name+" new", func(b *testing.B) {
			searchTexts(b, e, func() string { return next(words) })
		})
		again := next(words)
		b.Run(name+" again", func(b *testing.B) { searchTexts(b, e, func() string { return again }) })
	}
	run("words: two", 1)
	run("words: three", 2)
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	model := textvec.NewLite(2)
	vectors := mixedMeanings(b, model, benchAssets)
	e, err := search.Open(b.Context(), dir, library, model, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	if err := e.PutVectors(b.Context(), vectors); err != nil {
		b.Fatal(err)
	}
	e.MeaningReady()
	e.MeaningRead(math.MaxInt64)
	run("words and meaning: two", 1)
	run("words and meaning: three", 2)
}

// searchTexts reports the median time of the first page of texts.
func searchTexts(b *testing.B, e *search.Engine, next func() string) {
	var took []time.Duration
	found := 0
	for b.Loop() {
		q := dam.Query{Text: next(), Desc: true, Page: dam.Page{Limit: 50}}
		start := time.Now()
		r, err := e.Search(b.Context(), q, search.Scope{})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		found += r.Total
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(found)/float64(len(took)), "found")
}
