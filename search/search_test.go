package search_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// library is an in-memory implementation of search.Source.
type library struct {
	mu      sync.Mutex
	seq     int64
	changes map[int64]dam.Change // by asset
	read    int                  // number of returned documents
	kept    string
}

func newLibrary() *library { return &library{changes: map[int64]dam.Change{}} }

func (l *library) put(assets ...*dam.Asset) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range assets {
		l.seq++
		l.changes[a.ID] = dam.Change{Seq: l.seq, AssetID: a.ID, Asset: a}
	}
}

func (l *library) remove(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	l.changes[id] = dam.Change{Seq: l.seq, AssetID: id}
}

func (l *library) LastSeq(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq, nil
}

func (l *library) Columns(_ context.Context, after int64, limit int) ([]dam.Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []dam.Change
	for _, c := range l.changes {
		if c.Seq > after {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b dam.Change) int { return cmp.Compare(a.Seq, b.Seq) })
	return list[:min(limit, len(list))], nil
}

func (l *library) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	list, err := l.Columns(ctx, after, limit)
	l.mu.Lock()
	l.read += len(list)
	l.mu.Unlock()
	return list, err
}

func (l *library) Values(_ context.Context, field string, assets []int64, yield func(int64, any)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, c := range l.changes {
		if c.Asset != nil && (assets == nil || slices.Contains(assets, id)) {
			valuesOf(c.Asset, field, func(v any) { yield(id, v) })
		}
	}
	return nil
}

func (l *library) Keep(_ context.Context, name string, _ int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = name
	return nil
}

func (l *library) Kept(context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept, nil
}

// valuesOf calls yield for the values of an asset in a field, as specified by
// search.Source.
func valuesOf(a *dam.Asset, field string, yield func(any)) {
	text := func(s string) {
		if s != "" {
			yield(s)
		}
	}
	switch field {
	case "keywords":
		for _, k := range a.Keywords {
			yield(k)
		}
	case "ai_tags":
		for _, k := range a.AITags {
			yield(k)
		}
	case "collections":
		for _, c := range a.Collections {
			yield(c.ID)
		}
	case "colors":
		yield(a.Colors)
	case "ai_caption":
		text(a.AICaption)
	case "ocr_text":
		text(a.OCRText)
	case "description":
		text(a.Description)
	case "usage_terms":
		text(a.UsageTerms)
	case "owner", "created_by", "updated_by":
		if id := map[string]int64{"owner": a.OwnerID, "created_by": a.CreatedByID, "updated_by": a.UpdatedByID}[field]; id != 0 {
			yield(id)
		}
	case "file_version":
		yield(float64(a.FileVersion))
	case "deleted_at":
		if a.DeletedAt != nil {
			yield(a.DeletedAt.UTC().Format(time.RFC3339Nano))
		}
	case "camera", "lens", "iso", "focal_length":
		var found []any
		for _, path := range dam.CameraPaths(field) {
			parts := strings.Split(path, ".") // $, the namespace, the name
			of, _ := a.Technical[parts[1]].(map[string]any)
			found = append(found, of[parts[2]])
		}
		if v := dam.CameraValue(field, found); v != nil {
			yield(v)
		}
	default:
		if v, ok := a.Metadata[strings.TrimPrefix(field, "metadata.")]; ok {
			yield(v)
		}
	}
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func asset(id int64, title string) *dam.Asset {
	return &dam.Asset{
		ID:               id,
		GAID:             dam.GAID(fmt.Sprintf("01TESTTESTTESTTESTTEST%04d", id)),
		Title:            title,
		OriginalFilename: "file.jpg",
		MIMEType:         "image/jpeg",
		FileSize:         id * 10,
		CreatedAt:        epoch.Add(time.Duration(id) * time.Second),
		UpdatedAt:        epoch,
	}
}

func open(t testing.TB, dir string, l *library) *search.Engine {
	t.Helper()
	e, err := search.Open(context.Background(), dir, l, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// everyCollection contains the collections that assets of tests may be in.
var everyCollection = &search.Collections{IDs: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}

func find(t testing.TB, e *search.Engine, q dam.Query) *search.Result {
	t.Helper()
	return findIn(t, e, q, search.Scope{Collections: everyCollection})
}

// findIn is find within a scope.
func findIn(t testing.TB, e *search.Engine, q dam.Query, in search.Scope) *search.Result {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	r, err := e.Search(t.Context(), q, in)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return r
}

// narrow returns the filter for parameters of a list.
func narrow(p dam.QueryParams) *dam.Filter {
	q, err := p.Query(nil, "")
	if err != nil {
		panic(err)
	}
	return q.Filter
}

// trashChoices are all values of a query's Trashed.
var trashChoices = []dam.Trashed{dam.TrashedWithout, dam.TrashedOnly, dam.TrashedWith}

func ids(r *search.Result) string {
	var list []string
	for _, h := range r.Hits {
		list = append(list, fmt.Sprint(h.AssetID))
	}
	return strings.Join(list, " ")
}

func TestText(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	full := asset(1, "Harbours at Dawn")
	full.OriginalFilename, full.Keywords, full.Creator = "IMG_1234.jpg", []string{"boat", "calm sea"}, "Zoë Müller"
	full.OCRText, full.Copyright = "no parking on the quay", "© Example Ltd"
	full.Metadata = map[string]any{"project": "Apollo Eleven", "year": 1969.0}
	l.put(full, asset(2, "The harbour"), asset(3, "Dawn"), asset(4, "The Who live"), asset(5, "café crème"), asset(6, "東京の写真"),
		asset(7, "parking"), asset(8, "running dogs"), asset(9, "run"))
	named := asset(10, "x")
	named.OriginalFilename = "summerHoliday-2019 final.PNG"
	l.put(named)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	tests := []struct{ q, want, on string }{ // on: the fields that the first hit matched on
		{"harbour dawn", "1 3 2", "title"}, // both words win
		{"harbors", "1", "title"},
		{"HARBOURS", "1 2", "title"}, // the exact form before the stem
		{"harb", "2 1", "title"},     // a prefix of the last word
		{"harb dawn", "3 1", "title"},
		{"the who", "4 2 1", "title"},
		{"cafe creme", "5", "title"},
		{"café", "5", "title"},
		{"zoe muller", "1", "creator"},
		{"boat", "1", "keywords"},
		{"1234", "1", "original_filename"},
		{"img_1234", "1", "original_filename"},
		{"IMG_1234.jpg", "1", "original_filename"},
		{"holiday", "10", "original_filename"},
		{"2019", "10", "original_filename"},
		{"parking", "7 1", "title"}, // a title before text in the image
		{"quay", "1", "ocr_text"},
		{"apollo", "1", "metadata"},
		{"1969", "1", "metadata"},
		{"example ltd", "1", "copyright"},
		{"東京", "6", "title"},
		{"写真", "6", "title"},
		{"run", "9 8", "title"},
		{"01TESTTESTTESTTESTTEST0003", "3", "gaid"},
		{"nothing like it", "", ""},
	}
	for _, tt := range tests {
		r := find(t, e, dam.Query{Text: tt.q, Desc: true})
		if got := ids(r); got != tt.want || r.Total != len(strings.Fields(tt.want)) {
			t.Errorf("%q found %q of %d, want %q", tt.q, got, r.Total, tt.want)
			continue
		}
		if tt.on != "" && !slices.Contains(r.Hits[0].MatchedOn, tt.on) {
			t.Errorf("%q matched on %v, want %s", tt.q, r.Hits[0].MatchedOn, tt.on)
		}
	}
	if r := find(t, e, dam.Query{Text: "dawn", Sort: dam.SortTitle}); ids(r) != "3 1" {
		t.Errorf("by title: %s", ids(r))
	}
}

func TestFollowsChanges(t *testing.T) {
	t.Parallel()
	l, dir := newLibrary(), t.TempDir()
	for id := int64(1); id <= 600; id++ {
		l.put(asset(id, fmt.Sprintf("number %d", id)))
	}
	e := open(t, dir, l)
	if r := find(t, e, dam.Query{}); r.Total != 600 || r.Hits[0].AssetID != 1 {
		t.Errorf("%d assets, the first is %d", r.Total, r.Hits[0].AssetID)
	}
	if r := find(t, e, dam.Query{Text: "number"}); r.TextLag != 600 || r.Total != 0 {
		t.Errorf("a search far behind: lag %d, %d found", r.TextLag, r.Total)
	}
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { e.Run(ctx) })
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for lag, err := e.Lag(ctx); lag > 0 || err != nil; lag, err = e.Lag(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		<-tick.C
	}
	stop()
	run.Wait()
	// Without a running indexer, searches still include the latest changes.
	changed := asset(3, "renamed")
	l.put(changed)
	trashed := asset(4, "number 4")
	trashed.DeletedAt = &epoch
	l.put(trashed)
	l.remove(5)
	if r := find(t, e, dam.Query{Text: "renamed"}); ids(r) != "3" || r.TextLag != 0 {
		t.Errorf("an update is not found: %s, lag %d", ids(r), r.TextLag)
	}
	if r := find(t, e, dam.Query{Text: "number"}); r.Total != 597 {
		t.Errorf("%d found", r.Total)
	}
	for trash, want := range map[dam.Trashed]int{dam.TrashedWithout: 598, dam.TrashedOnly: 1, dam.TrashedWith: 599} {
		if r := find(t, e, dam.Query{Trashed: trash}); r.Total != want {
			t.Errorf("trashed %q: %d, want %d", trash, r.Total, want)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	// After a restart, indexing resumes where it stopped.
	before := l.read
	e = open(t, dir, l)
	if r := find(t, e, dam.Query{Text: "renamed"}); ids(r) != "3" || l.read != before {
		t.Errorf("after a restart: %s, %d documents read again", ids(r), l.read-before)
	}
	e.Close()
	// A broken index, or one ahead of the library, is rebuilt.
	stores, _ := filepath.Glob(filepath.Join(dir, "text-*", "index_meta.json"))
	if len(stores) != 1 {
		t.Fatalf("%v", stores)
	}
	if err := os.WriteFile(stores[0], []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	small := newLibrary()
	small.put(asset(1, "alone"))
	for range 2 { // the second time the index is of the larger library
		e = open(t, dir, small)
		if r := find(t, e, dam.Query{Text: "alone"}); ids(r) != "1" {
			t.Errorf("rebuilt: %q", ids(r))
		}
		e.Close()
		e = open(t, dir, l)
		e.Close()
		small.seq = 1
	}
}

func TestRebuildWhileSearching(t *testing.T) {
	t.Parallel()
	l, dir := newLibrary(), t.TempDir()
	for id := int64(1); id <= 1500; id++ {
		l.put(asset(id, "same words"))
	}
	e := open(t, dir, l)
	defer e.Close()
	if err := e.Rebuild(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	var searching sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		searching.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					q := dam.Query{Text: "words", Page: dam.Page{Limit: 5}}
					if r, err := e.Search(context.Background(), q, search.Scope{}); err != nil || r.Total < 1500 {
						t.Errorf("while rebuilding: %v, %v", r, err)
						return
					}
				}
			}
		})
	}
	var last int64
	err := e.Rebuild(t.Context(), func(done, total int64) {
		if done < last || done > total {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
		l.put(asset(2000+done, "same words"))
	})
	close(done)
	searching.Wait()
	if err != nil || last == 0 {
		t.Errorf("rebuild: %v, progress %d", err, last)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "text-*")); len(kept) != 1 {
		t.Errorf("indexes kept: %v", kept)
	}
}

// Searches without a text agree with a simple, slow implementation.
func TestAgainstPlain(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	l := newLibrary()
	all := map[int64]*dam.Asset{}
	mimes := []string{"image/jpeg", "image/png", "video/mp4"}
	change := func() {
		id := rnd.Int64N(300) + 1
		if rnd.IntN(8) == 0 {
			if all[id] != nil {
				delete(all, id)
				l.remove(id)
			}
			return
		}
		a := asset(id, fmt.Sprintf("%c%d", 'a'+rnd.IntN(4), rnd.IntN(20)))
		a.MIMEType, a.FileSize, a.AssetClassID, a.BatchID = mimes[rnd.IntN(3)], rnd.Int64N(50), rnd.Int64N(3), rnd.Int64N(4)
		a.UpdatedAt = epoch.Add(time.Duration(rnd.IntN(100)) * time.Second)
		if rnd.IntN(5) == 0 {
			a.DeletedAt = &epoch
		}
		all[id] = a
		l.put(a)
	}
	for range 400 {
		change()
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for round := range 600 {
		for range rnd.IntN(4) * (1 + rnd.IntN(200)*(1-min(1, round%20))) {
			change()
		}
		orders := []dam.Sort{dam.SortCreatedAt, dam.SortUpdatedAt, dam.SortSize, dam.SortTitle}
		q := dam.Query{
			Trashed: trashChoices[rnd.IntN(3)],
			Desc:    rnd.IntN(2) == 0,
			Sort:    orders[rnd.IntN(4)],
			Page:    dam.Page{Offset: rnd.IntN(40), Limit: 1 + rnd.IntN(50)},
		}
		var p dam.QueryParams
		if rnd.IntN(3) == 0 {
			p.AssetClassID = 1 + rnd.Int64N(2)
		}
		if rnd.IntN(3) == 0 {
			p.BatchID = 1 + rnd.Int64N(3)
		}
		if rnd.IntN(3) == 0 {
			p.MIMEType = []string{"IMAGE", "jpeg", "video/mp4", "nope"}[rnd.IntN(4)]
		}
		q.Filter = narrow(p)
		var want []*dam.Asset
		for _, a := range all {
			if (p.AssetClassID == 0 || a.AssetClassID == p.AssetClassID) && (p.BatchID == 0 || a.BatchID == p.BatchID) &&
				strings.Contains(a.MIMEType, strings.ToLower(p.MIMEType)) &&
				(q.Trashed == dam.TrashedWith || (a.DeletedAt != nil) == (q.Trashed == dam.TrashedOnly)) {
				want = append(want, a)
			}
		}
		slices.SortFunc(want, func(a, b *dam.Asset) int {
			var d int
			switch q.Sort {
			case dam.SortCreatedAt:
				d = a.CreatedAt.Compare(b.CreatedAt)
			case dam.SortUpdatedAt:
				d = a.UpdatedAt.Compare(b.UpdatedAt)
			case dam.SortSize:
				d = cmp.Compare(a.FileSize, b.FileSize)
			case dam.SortTitle:
				d = cmp.Or(cmp.Compare(a.Title[0], b.Title[0]), cmp.Compare(number(a.Title), number(b.Title)))
			}
			return cmp.Or(d, cmp.Compare(a.ID, b.ID))
		})
		if q.Desc {
			slices.Reverse(want)
		}
		var page []string
		for _, a := range want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))] {
			page = append(page, fmt.Sprint(a.ID))
		}
		if r := find(t, e, q); r.Total != len(want) || ids(r) != strings.Join(page, " ") {
			t.Fatalf("round %d, %+v, %+v: %d, %s; want %d, %s", round, q, p, r.Total, ids(r), len(want), page)
		}
	}
}

// number returns the number after the first letter: titles sort by its value, not by its
// digits.
func number(title string) (n int) {
	fmt.Sscan(title[1:], &n)
	return n
}

func FuzzQuery(f *testing.F) {
	for _, q := range []string{
		"", " ", `"`, `"a b`, "-", "a:b", "*", "a*", "?", "(", "+-&&||!(){}[]^~", "\x00\x01", "🙂 👩‍👩‍👧", "東", "’",
		strings.Repeat("x ", 250), "\xff\xfe", "/re(/", "a/b\\c",
	} {
		f.Add(q)
	}
	l := newLibrary()
	l.put(asset(1, "one title"), asset(2, "東京 🙂"))
	e, err := search.Open(context.Background(), f.TempDir(), l, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { e.Close() })
	f.Fuzz(func(t *testing.T, q string) {
		r, err := e.Search(t.Context(), dam.Query{Text: q, Desc: true, Page: dam.Page{Limit: 10}}, search.Scope{})
		if err != nil {
			t.Fatalf("%q: %v", q, err)
		}
		if r.Total > 2 || len(r.Hits) != r.Total {
			t.Fatalf("%q: %d of %d", q, len(r.Hits), r.Total)
		}
	})
}

// Full text alone on a judged collection, if available: nDCG@10 must not fall below the
// .353 that a simple BM25 with OR (k1 1.2, b 0.75, suffixes removed) reaches on the same
// files.
func TestCranfield(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "shared", "corpora", "search", "cranfield")
	docs := table(t, filepath.Join(dir, "docs.tsv"))
	if docs == nil {
		t.Skip("there is no judged collection at ../shared/corpora/search/cranfield")
	}
	l := newLibrary()
	names := map[int64]string{}
	for i, d := range docs {
		a := asset(int64(i+1), "")
		a.OriginalFilename, a.OCRText = "", d[1]
		names[a.ID] = d[0]
		l.put(a)
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	if err := e.Rebuild(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	grades := map[string]map[string]float64{}
	for _, q := range table(t, filepath.Join(dir, "qrels.tsv")) {
		var g float64
		fmt.Sscan(q[2], &g)
		if grades[q[0]] == nil {
			grades[q[0]] = map[string]float64{}
		}
		grades[q[0]][q[1]] = g
	}
	var sum float64
	n := 0
	for _, q := range table(t, filepath.Join(dir, "queries.tsv")) {
		best := slices.Sorted(func(yield func(float64) bool) {
			for _, g := range grades[q[0]] {
				if !yield(-g) {
					return
				}
			}
		})
		var dcg, ideal float64
		for i, h := range find(t, e, dam.Query{Text: q[1], Desc: true, Page: dam.Page{Limit: 10}}).Hits {
			dcg += grades[q[0]][names[h.AssetID]] / math.Log2(float64(i+2))
		}
		for i, g := range best[:min(10, len(best))] {
			ideal -= g / math.Log2(float64(i+2))
		}
		if ideal > 0 {
			sum += dcg / ideal
			n++
		}
	}
	t.Logf("nDCG@10 %.4f over %d queries", sum/float64(n), n)
	if sum/float64(n) < 0.353 {
		t.Errorf("nDCG@10 is %.4f", sum/float64(n))
	}
}

// table returns the rows of a tab-separated file, nil if it is missing.
func table(t *testing.T, path string) (rows [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		rows = append(rows, strings.Split(sc.Text(), "\t"))
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}
