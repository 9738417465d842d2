package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// Titles and file names sort naturally: ignoring case, numbers by value, letters with
// accents next to those without, ties by ID.
func TestTextOrder(t *testing.T) {
	t.Parallel()
	sorted := []string{
		"", "10 boats", "Äpfel", "apple", "apricot", "Boat 2", "boat 9", "BOAT 10", "boat 10", "Éclair", "eclipse",
		"Zebra", "Ωmega", "東京",
	}
	for _, by := range []dam.Sort{dam.SortTitle, dam.SortOriginalFilename} {
		t.Run(string(by), func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			for i := range sorted {
				a := asset(int64(i+1), "same")
				a.OriginalFilename = "same"
				if by == dam.SortTitle {
					a.Title = sorted[i]
				} else {
					a.OriginalFilename = sorted[i]
				}
				l.put(a)
			}
			e := open(t, t.TempDir(), l)
			defer e.Close()
			for _, desc := range []bool{false, true} {
				var want, got []string
				for _, h := range find(t, e, dam.Query{Sort: by, Desc: desc}).Hits {
					got = append(got, sorted[h.AssetID-1])
				}
				for i := range sorted {
					if desc {
						i = len(sorted) - 1 - i
					}
					want = append(want, sorted[i])
				}
				if strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("desc %v\n got %q\nwant %q", desc, got, want)
				}
			}
		})
	}
}

// Assets of the same time are in the natural order of their file names, then by ID, also
// after one of them has changed.
func TestSameTimeByName(t *testing.T) {
	t.Parallel()
	names := []string{"IMG_10.jpg", "IMG_2.jpg", "img_1.jpg", "IMG_2.jpg"}
	at := time.Date(2024, 7, 21, 12, 0, 0, 0, time.UTC)
	l := newLibrary()
	put := func(i int, name string) {
		a := asset(int64(i+1), "same")
		a.OriginalFilename, a.CreatedAt, a.UpdatedAt, a.CaptureDate = name, at, at, &dam.CaptureTime{Time: at}
		l.put(a)
	}
	for i, name := range names {
		put(i, name)
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	holds := func(want, reversed string) {
		t.Helper()
		for _, by := range []dam.Sort{dam.SortCaptureDate, dam.SortCreatedAt, dam.SortUpdatedAt} {
			if got := ids(find(t, e, dam.Query{Sort: by})); got != want {
				t.Errorf("by %s: %s, want %s", by, got, want)
			}
			if got := ids(find(t, e, dam.Query{Sort: by, Desc: true})); got != reversed {
				t.Errorf("by %s, descending: %s, want %s", by, got, reversed)
			}
		}
	}
	holds("3 2 4 1", "1 4 2 3")
	put(2, "IMG_30.jpg")
	holds("2 4 1 3", "3 1 4 2")
}

// All pages together contain all assets, each once, in any order and with or without a
// text; pages beyond the end are empty, and the total does not change.
func TestPages(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for id := int64(1); id <= 150; id++ {
		l.put(asset(id, fmt.Sprintf("boat %d", id%7))) // many ties
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for _, text := range []string{"", "boat 3"} {
		for _, by := range append(dam.ListSorts(), "") {
			for _, desc := range []bool{false, true} {
				seen := map[int64]bool{}
				for offset := 0; offset < 150; offset += 20 {
					r := find(t, e, dam.Query{Text: text, Sort: by, Desc: desc, Page: dam.Page{Offset: offset, Limit: 20}})
					if want := min(20, 150-offset); r.Total != 150 || len(r.Hits) != want {
						t.Errorf("%q by %q from %d: %d of %d", text, by, offset, len(r.Hits), r.Total)
					}
					for _, h := range r.Hits {
						seen[h.AssetID] = true
					}
				}
				if len(seen) != 150 {
					t.Errorf("%q by %q, desc %v: %d assets on all pages, want 150", text, by, desc, len(seen))
				}
			}
			for _, page := range []dam.Page{{Offset: 150, Limit: 20}, {Offset: 1 << 40, Limit: 20}, {Limit: 0}, {Limit: -1}} {
				q := dam.Query{Text: text, Sort: by, Page: page}
				r, err := e.Search(t.Context(), q, search.Scope{})
				if err != nil || r.Total != 150 || len(r.Hits) != 0 {
					t.Errorf("%+v: %v, %v; want 150 and an empty page", q, r, err)
				}
			}
			r, err := e.Search(t.Context(), dam.Query{Text: text, Sort: by, Page: dam.Page{Offset: -1, Limit: 1 << 50}}, search.Scope{})
			if err != nil || len(r.Hits) != 150 {
				t.Errorf("%q by %q: no limit: %v", text, by, err)
			}
		}
	}
}

// A text determines the set, a sort its order; filters narrow it.
func TestTextWithFilters(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for id := int64(1); id <= 12; id++ {
		a := asset(id, "boat")
		a.FileSize, a.AssetClassID, a.BatchID = 100-id, id%2, id%3
		if id%4 == 0 {
			a.MIMEType = "Video/MP4"
		}
		if id > 10 {
			a.DeletedAt = &epoch
		}
		l.put(a)
	}
	l.put(asset(20, "unrelated"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for _, tt := range []struct {
		name string
		q    dam.Query
		want string
	}{
		{"size", dam.Query{Text: "boat", Sort: dam.SortSize}, "10 9 8 7 6 5 4 3 2 1"},
		{"class", dam.Query{Text: "boat", Filter: narrow(dam.QueryParams{AssetClassID: 1}), Sort: dam.SortCreatedAt}, "1 3 5 7 9"},
		{"batch", dam.Query{Text: "boat", Filter: narrow(dam.QueryParams{BatchID: 1}), Sort: dam.SortCreatedAt}, "1 4 7 10"},
		{"class and batch", dam.Query{
			Text:   "boat",
			Filter: narrow(dam.QueryParams{AssetClassID: 1, BatchID: 1}),
			Sort:   dam.SortCreatedAt,
		}, "1 7"},
		{"class of nothing", dam.Query{Filter: narrow(dam.QueryParams{AssetClassID: 99})}, ""},
		{"mime", dam.Query{Text: "boat", Filter: narrow(dam.QueryParams{MIMEType: "video/"}), Sort: dam.SortCreatedAt}, "4 8"},
		{"mime in capitals", dam.Query{Filter: narrow(dam.QueryParams{MIMEType: "MP4"}), Sort: dam.SortCreatedAt, Desc: true}, "8 4"},
		{"mime is no pattern", dam.Query{Filter: narrow(dam.QueryParams{MIMEType: "%"})}, ""},
		{"trash", dam.Query{Text: "boat", Trashed: dam.TrashedOnly, Sort: dam.SortCreatedAt}, "11 12"},
		{"trash with mime", dam.Query{Trashed: dam.TrashedOnly, Filter: narrow(dam.QueryParams{MIMEType: "mp4"})}, "12"},
		{"with trash", dam.Query{
			Text:    "boat",
			Trashed: dam.TrashedWith,
			Filter:  narrow(dam.QueryParams{MIMEType: "mp4"}),
			Sort:    dam.SortCreatedAt,
		}, "4 8 12"},
	} {
		r := find(t, e, tt.q)
		if ids(r) != tt.want || r.Total != len(strings.Fields(tt.want)) {
			t.Errorf("%s: %q of %d, want %q", tt.name, ids(r), r.Total, tt.want)
		}
	}
}

// slowSeq is a library that can delay the response of one LastSeq.
type slowSeq struct {
	*library
	mu       sync.Mutex
	hold     chan struct{} // if not nil, the next LastSeq waits for it
	asked    chan struct{}
	narrowed int // changes returned from Columns
}

func (s *slowSeq) LastSeq(ctx context.Context) (int64, error) {
	seq, err := s.library.LastSeq(ctx)
	s.mu.Lock()
	hold := s.hold
	s.hold = nil
	s.mu.Unlock()
	if hold != nil {
		close(s.asked)
		<-hold
	}
	return seq, err
}

func (s *slowSeq) Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	list, err := s.library.Columns(ctx, after, limit)
	s.mu.Lock()
	s.narrowed += len(list)
	s.mu.Unlock()
	return list, err
}

// A search that read the latest change number before another search applied newer ones
// does not mistake the library for an older one.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	s := &slowSeq{library: shelf(100), asked: make(chan struct{})}
	e, err := search.Open(t.Context(), t.TempDir(), s, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s.mu.Lock()
	hold := make(chan struct{})
	s.hold = hold
	s.mu.Unlock()
	var slow sync.WaitGroup
	slow.Go(func() {
		if r, err := e.Search(context.Background(), dam.Query{Page: dam.Page{Limit: 1}}, search.Scope{}); err != nil || r.Total != 101 {
			t.Errorf("the overtaken search: %v, %v", r, err)
		}
	})
	<-s.asked
	s.put(asset(101, "number 101"))
	if r := find(t, e, dam.Query{}); r.Total != 101 {
		t.Errorf("%d found", r.Total)
	}
	close(hold)
	slow.Wait()
	if s.narrowed != 101 {
		t.Errorf("%d changes were read for 101", s.narrowed)
	}
}

// FuzzAsset indexes assets with arbitrary metadata.
func FuzzAsset(f *testing.F) {
	for _, s := range []string{
		"", "a", "IMG_1234.jpg", "\x00\xff\xfe", "東京 🙂", strings.Repeat("x", 100_000), "0", strings.Repeat("9", 300),
		"a\u0301\u0301\u0301", "\u200d\u200d", "''s's", "．．/", "٣٤٥ ⅷ ²",
	} {
		f.Add(s)
	}
	l := newLibrary()
	e, err := search.Open(context.Background(), f.TempDir(), l, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { e.Close() })
	f.Fuzz(func(t *testing.T, s string) {
		a := asset(1, s)
		a.OriginalFilename, a.OCRText, a.Creator, a.MIMEType = s, s, s, s
		a.Keywords, a.Metadata = []string{s, "landmark"}, map[string]any{"key": []any{s}, "n": 1.5}
		l.put(a)
		r, err := e.Search(t.Context(), dam.Query{Text: "landmark", Sort: dam.SortTitle, Page: dam.Page{Limit: 1}}, search.Scope{})
		if err != nil || ids(r) != "1" || r.TextLag != 0 {
			t.Fatalf("%q: %v, %v", s, r, err)
		}
	})
}

// A library that is read in several parts is in order, too.
func TestLargeLibrary(t *testing.T) {
	t.Parallel()
	const n = 20_050
	var s sequence
	for id := int64(1); id <= n; id++ {
		a := asset(id, fmt.Sprintf("boat %d", n-id))
		a.FileSize = (id * 7919) % n // each size once, as n and 7919 have no common divisor
		s = append(s, dam.Change{Seq: id, AssetID: id, Asset: a})
	}
	e, err := search.Open(t.Context(), t.TempDir(), s, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i, h := range find(t, e, dam.Query{Sort: dam.SortTitle, Page: dam.Page{Limit: n}}).Hits {
		if h.AssetID != n-int64(i) {
			t.Fatalf("by title, %d has place %d", h.AssetID, i)
		}
	}
	r := find(t, e, dam.Query{Sort: dam.SortSize, Page: dam.Page{Limit: n, Offset: 10}})
	for i, h := range r.Hits {
		if size := (h.AssetID * 7919) % n; size != int64(i+10) {
			t.Fatalf("by size, one of %d has place %d", size, i+10)
		}
	}
	if r.Total != n || len(r.Hits) != n-10 {
		t.Errorf("%d of %d", len(r.Hits), r.Total)
	}
}
