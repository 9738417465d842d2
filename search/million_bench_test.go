package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// made is a library that generates its assets when they are read, so that only the engine
// is measured.
type made struct {
	n     int64
	words []string
	kept  string
}

func (m *made) LastSeq(context.Context) (int64, error) { return m.n, nil }

func (m *made) Columns(_ context.Context, after int64, limit int) (list []dam.Change, err error) {
	for id := after + 1; id <= min(m.n, after+int64(limit)); id++ {
		list = append(list, dam.Change{Seq: id, AssetID: id, Asset: m.asset(id)})
	}
	return list, nil
}

// Documents returns none: only columns are measured.
func (m *made) Documents(context.Context, int64, int) ([]dam.Change, error) { return nil, nil }

func (m *made) Values(_ context.Context, field string, assets []int64, yield func(int64, any)) error {
	if assets == nil {
		for id := range m.n {
			valuesOf(m.asset(id+1), field, func(v any) { yield(id+1, v) })
		}
		return nil
	}
	for _, id := range assets {
		valuesOf(m.asset(id), field, func(v any) { yield(id, v) })
	}
	return nil
}

func (m *made) Keep(_ context.Context, name string, _ int64) error {
	m.kept = name
	return nil
}

func (m *made) Kept(context.Context) (string, error) { return m.kept, nil }

func (m *made) asset(id int64) *dam.Asset {
	rnd := rand.New(rand.NewPCG(uint64(id), 1))
	word := func() string { return m.words[min(rnd.IntN(len(m.words)), rnd.IntN(len(m.words)))] }
	a := asset(id, word()+" "+word()+" "+word()+" "+word())
	a.OriginalFilename = fmt.Sprintf("IMG_%07d.jpg", rnd.IntN(1e7))
	a.MIMEType = []string{"image/jpeg", "image/png", "image/tiff", "video/mp4", "application/pdf"}[rnd.IntN(5)]
	a.FileCategory = []dam.FileCategory{dam.CategoryImage, dam.CategoryVideo, dam.CategoryDocument}[rnd.IntN(3)]
	a.WorkflowStatus = []dam.WorkflowStatus{dam.WorkflowDraft, dam.WorkflowApproved, dam.WorkflowInReview}[rnd.IntN(3)]
	a.FileSize, a.BatchID, a.PHash = rnd.Int64N(1<<24), id/500+1, rnd.Uint64()
	a.Width, a.Height = 1000+rnd.IntN(5000), 1000+rnd.IntN(5000)
	a.Creator = "Creator " + strconv.Itoa(rnd.IntN(2000))
	a.UpdatedAt = epoch.Add(time.Duration(rnd.IntN(1e8)) * time.Second)
	a.Keywords = []string{word(), word(), word(), word()}
	for range 4 {
		a.Colors = append(a.Colors, dam.Color{Hex: fmt.Sprintf("#%06x", rnd.IntN(1<<24)), Share: 0.25})
	}
	return a
}

// BenchmarkColumns measures operations on the columns, over 100,000 assets or the number
// in DAL_BENCH_ASSETS: opening, filters, facets, colours, one change, and memory.
func BenchmarkColumns(b *testing.B) {
	m := made{n: 100_000}
	if n, err := strconv.ParseInt(os.Getenv("DAL_BENCH_ASSETS"), 10, 64); err == nil {
		m.n = n
	}
	for i := range 50_000 {
		m.words = append(m.words, word(uint64(i)))
	}
	before := search.HeapInUse()
	dir, start := b.TempDir(), time.Now()
	e, err := search.Open(b.Context(), dir, &m, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { e.Close() }()
	b.Run("open", func(b *testing.B) {
		b.ReportMetric(time.Since(start).Seconds()*1000, "open-ms")
		b.ReportMetric(float64(search.HeapInUse()-before)/float64(m.n), "bytes/asset")
	})
	b.Run("keep", func(b *testing.B) { search.Timed(b, func() error { return e.Keep(b.Context()) }) })
	b.Run("open again", func(b *testing.B) {
		search.Timed(b, func() error {
			if err := e.Close(); err != nil {
				return err
			}
			e, err = search.Open(b.Context(), dir, &m, nil, slog.New(slog.DiscardHandler))
			return err
		})
	})
	run := 0
	narrowed := func(min int) *dam.Filter {
		return dam.AllOf(narrow(dam.QueryParams{MIMEType: "image/"}), filterOf(b, "file_size", "greater_than", strconv.Itoa(min)),
			filterOf(b, "workflow_status", "in", `["approved","draft"]`))
	}
	for _, c := range []struct {
		name  string
		query func() dam.Query
	}{
		{"list", func() dam.Query { return dam.Query{Desc: true} }},
		{"filters", func() dam.Query { return dam.Query{Sort: dam.SortTitle, Filter: narrowed(run)} }},
		{"facets", func() dam.Query {
			return dam.Query{Filter: filterOf(b, "file_size", "greater_than", strconv.Itoa(run)),
				Facets: []string{"file_category", "workflow_status", "keywords"}}
		}},
		{"colour", func() dam.Query {
			return dam.Query{Filter: filterOf(b, "colors", "color_near", fmt.Sprintf(`{"color":"#%06x","distance":15}`, run*7919%(1<<24)))}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			search.Timed(b, func() error {
				run++
				q := c.query()
				q.Limit = 50
				_, err := e.Search(b.Context(), q, search.Scope{})
				return err
			})
		})
	}
	b.Run("one change", func(b *testing.B) {
		search.Timed(b, func() error {
			m.n++
			_, err := e.Search(b.Context(), dam.Query{Page: dam.Page{Limit: 50}}, search.Scope{})
			return err
		})
	})
	b.Run("1000 changes", func(b *testing.B) {
		search.Timed(b, func() error {
			m.n += 1000
			_, err := e.Search(b.Context(), dam.Query{Page: dam.Page{Limit: 50}}, search.Scope{})
			return err
		})
	})
	b.Run("near duplicates", func(b *testing.B) {
		search.Timed(b, func() error {
			run++
			_, err := e.Duplicates(b.Context(), search.NearDuplicate-run%2)
			return err
		})
	})
	b.Run("all", func(b *testing.B) {
		b.ReportMetric(float64(search.HeapInUse()-before)/float64(m.n), "bytes/asset")
	})
}

func filterOf(tb testing.TB, field, operator, value string) *dam.Filter {
	f, err := dam.ParseFilter(fmt.Sprintf(`{"type":"filter","field":"asset.%s","operator":%q,"value":%s}`, field, operator, value), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}
