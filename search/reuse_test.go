package search_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// Searches reuse memory of earlier ones, and some use several processors: each has the
// same results as the first one of a new engine, in the same order.
func TestSearchesDoNotDisturbEachOther(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	z := rand.NewZipf(rnd, 1.1, 3, 200)
	l, dir := newLibrary(), t.TempDir()
	for id := int64(1); id <= 2500; id++ {
		a := asset(id, words(z, 2))
		a.OCRText, a.Keywords = words(z, rnd.IntN(40)), []string{words(z, 1)}
		l.put(a)
	}
	e := open(t, dir, l)
	indexAll(t, e)
	var queries []string
	for range 10 {
		w := func() string { return words(z, 1) }
		queries = append(queries, w()+" ", w()+" "+w()+" "+w()+" "+w(), w()+" -"+w(), "title:"+w()+" "+w(), `"`+w()+" "+w()+`" `+w(), w()[:1])
	}
	ask := func(e *search.Engine, text string, p dam.Page) *search.Result {
		r, err := e.Search(t.Context(), dam.Query{Text: text, Desc: true, Page: p}, search.Scope{})
		if err != nil {
			t.Error(err)
			return &search.Result{}
		}
		return r
	}
	firsts := make([][]search.Hit, len(queries))
	for i, text := range queries {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		e = open(t, dir, l)
		r := ask(e, text, dam.Page{Limit: 2500})
		if firsts[i] = r.Hits; r.Total != len(r.Hits) || r.Matches.Words != r.Total {
			t.Errorf("%s: %d hits of %d", text, len(r.Hits), r.Total)
		}
		for n := 1; n < len(r.Hits); n++ {
			if a, b := r.Hits[n-1], r.Hits[n]; a.Score < b.Score || a.Score == b.Score && a.AssetID < b.AssetID {
				t.Errorf("%s: %v is before %v", text, a, b)
			}
		}
	}
	defer func() { e.Close() }()
	var all sync.WaitGroup
	for from := range 4 {
		all.Go(func() {
			for n := range 2 * len(queries) {
				i := (from*17 + n) % len(queries)
				offset := n * 7 % max(1, len(firsts[i]))
				want := firsts[i][offset:min(len(firsts[i]), offset+50)]
				r := ask(e, queries[i], dam.Page{Offset: offset, Limit: 50})
				if fmt.Sprint(r.Hits) != fmt.Sprint(want) || r.Total != len(firsts[i]) {
					t.Errorf("%s from %d: %v, not %v", queries[i], offset, r.Hits, want)
				}
			}
		})
	}
	all.Wait()
}
