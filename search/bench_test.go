package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

const benchAssets = 100_000

// sequence is a library that is written once, in order, so it is cheap to read.
type sequence []dam.Change

func (s sequence) LastSeq(context.Context) (int64, error) { return int64(len(s)), nil }

func (s sequence) Columns(_ context.Context, after int64, limit int) ([]dam.Change, error) {
	return s[after:min(int(after)+limit, len(s))], nil
}

func (s sequence) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Columns(ctx, after, limit)
}

func (s sequence) Values(_ context.Context, field string, assets []int64, yield func(int64, any)) error {
	for _, c := range s {
		if assets == nil || slices.Contains(assets, c.AssetID) {
			valuesOf(c.Asset, field, func(v any) { yield(c.AssetID, v) })
		}
	}
	return nil
}

func (sequence) Keep(context.Context, string, int64) error { return nil }

func (sequence) Kept(context.Context) (string, error) { return "", nil }

// words returns n words with the frequency distribution of a language: few make up most
// of the text.
func words(z *rand.Zipf, n int) (s string) {
	for i := range n {
		if i > 0 {
			s += " "
		}
		s += word(z.Uint64())
	}
	return s
}

func word(n uint64) string {
	const letters = "etaoinshrdlucmfwypvbgk"
	s := ""
	for n += 22; n > 0; n /= 22 {
		s += letters[n%22 : n%22+1]
	}
	return s + "q" // stemming does not change it
}

func bigLibrary() sequence {
	rnd := rand.New(rand.NewPCG(7, 7))
	z := rand.NewZipf(rnd, 1.1, 20, 50_000)
	mimes := []string{"image/jpeg", "image/png", "image/tiff", "video/mp4", "application/pdf"}
	var s sequence
	for id := int64(1); id <= benchAssets; id++ {
		a := asset(id, words(z, 4))
		a.OriginalFilename = fmt.Sprintf("IMG_%05d.jpg", rnd.IntN(100_000))
		a.MIMEType, a.FileSize = mimes[rnd.IntN(len(mimes))], rnd.Int64N(1<<30)
		a.Keywords, a.Creator, a.OCRText, a.BatchID = []string{words(z, 1), words(z, 2)}, words(z, 2), words(z, 80), id/1000
		a.UpdatedAt = epoch.Add(time.Duration(rnd.IntN(1e6)) * time.Second)
		a.PHash = rnd.Uint64()
		a.Width, a.Height = 1000+rnd.IntN(5000), 1000+rnd.IntN(5000)
		if id%10 > 0 {
			t := epoch.Add(-time.Duration(rnd.IntN(20*365*24)) * time.Hour)
			a.CaptureDate = &dam.CaptureTime{Time: t}
		}
		s = append(s, dam.Change{Seq: id, AssetID: id, Asset: a})
	}
	return s
}

// BenchmarkSearch measures queries over 100,000 assets. Indexing them takes about a
// minute, so it is done only once.
func BenchmarkSearch(b *testing.B) {
	library := bigLibrary()
	dir := b.TempDir()
	e := openBig(b, dir, library)
	b.Run("index", func(b *testing.B) { // only the first run has work
		start := time.Now()
		indexAll(b, e)
		b.ReportMetric(benchAssets/time.Since(start).Seconds(), "docs/s")
	})
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			before := search.HeapInUse()
			start := time.Now()
			e := openBig(b, dir, library)
			b.ReportMetric(time.Since(start).Seconds()*1000, "open-ms")
			b.ReportMetric(float64(search.HeapInUse()-before)/benchAssets, "bytes/asset")
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	e = openBig(b, dir, library)
	defer e.Close()
	common, some, rare := word(0), word(300), word(20_000)
	for _, q := range []struct {
		name string
		q    dam.Query
	}{
		{"list", dam.Query{Desc: true}},
		{"title", dam.Query{Sort: dam.SortTitle}},
		{"title from 10000", dam.Query{Sort: dam.SortTitle, Page: dam.Page{Offset: 10_000}}},
		{"mime", dam.Query{Filter: narrow(dam.QueryParams{MIMEType: "image/"}), Sort: dam.SortUpdatedAt}},
		{"batch", dam.Query{Filter: narrow(dam.QueryParams{BatchID: 42}), Desc: true}},
		{"word in a batch", dam.Query{Text: common + " ", Filter: narrow(dam.QueryParams{BatchID: 42, MIMEType: "image/"}), Desc: true}},
		{"one common word", dam.Query{Text: common + " ", Desc: true}},
		{"one word", dam.Query{Text: some, Desc: true}},
		{"two words", dam.Query{Text: some + " " + rare, Desc: true}},
		{"three words", dam.Query{Text: common + " " + some + " " + rare, Desc: true}},
		{"three words by title from 10000", dam.Query{
			Text: common + " " + some + " " + rare,
			Sort: dam.SortTitle,
			Page: dam.Page{Offset: 10_000},
		}},
		{"beginning of a word", dam.Query{Text: common[:2], Desc: true}},
	} {
		b.Run(q.name, func(b *testing.B) { searchMany(b, e, q.q) })
	}
	for _, by := range []dam.Sort{dam.SortCaptureDate, dam.SortTitle} {
		b.Run("outline by "+string(by), func(b *testing.B) { outlineMany(b, e, dam.Query{Sort: by, Desc: true}) })
	}
	b.Run("outline of one common word", func(b *testing.B) { outlineMany(b, e, dam.Query{Text: common + " ", Desc: true}) })
	for _, text := range []string{common[:1], some, "nothing"} {
		b.Run("suggestions for "+text, func(b *testing.B) {
			search.Timed(b, func() error {
				_, err := e.Suggest(b.Context(), search.NewPrefix(text), 10)
				return err
			})
		})
	}
	b.Run("near duplicates", func(b *testing.B) {
		distance := 0
		search.Timed(b, func() error {
			distance ^= 1 // another one each time, to bypass the cache
			_, err := e.Duplicates(b.Context(), search.NearDuplicate-distance)
			return err
		})
	})
	b.Run("one word while an index is built", func(b *testing.B) {
		ctx, stop := context.WithCancel(b.Context())
		var build sync.WaitGroup
		build.Go(func() {
			for ctx.Err() == nil {
				if err := e.Rebuild(ctx, func(int64, int64) {}); err != nil && ctx.Err() == nil {
					b.Error(err)
					return
				}
			}
		})
		searchMany(b, e, dam.Query{Text: some, Desc: true})
		b.StopTimer()
		stop()
		build.Wait()
	})
}

func openBig(b *testing.B, dir string, library sequence) *search.Engine {
	e, err := search.Open(b.Context(), dir, library, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// searchMany reports the median time of the first page of a query.
func searchMany(b *testing.B, e *search.Engine, q dam.Query) {
	q.Limit = 50
	var took []time.Duration
	var total int
	for b.Loop() {
		start := time.Now()
		r, err := e.Search(b.Context(), q, search.Scope{})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		total = r.Total
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(total), "found")
}

// outlineMany reports the median time of the outline of a query.
func outlineMany(b *testing.B, e *search.Engine, q dam.Query) {
	search.Timed(b, func() error {
		_, err := e.Outline(b.Context(), q, search.Scope{}, benchAssets/2)
		return err
	})
}
