package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// parsed parses a filter document.
func parsed(t testing.TB, doc string) *dam.Filter {
	t.Helper()
	f, err := dam.ParseFilter(doc, nil)
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return f
}

// The previous result of a rule is not returned after a change, for any field.
func TestFilterFollowsChanges(t *testing.T) {
	t.Parallel()
	fields := map[string]struct {
		rule string
		set  func(a *dam.Asset, fits bool)
	}{
		"a text":       {rule("asset.title", "contains", `"new"`), func(a *dam.Asset, fits bool) { a.Title = pick(fits, "brand new", "old") }},
		"a word":       {rule("asset.creator", "equals", `"new"`), func(a *dam.Asset, fits bool) { a.Creator = pick(fits, "New", "") }},
		"a long text":  {rule("asset.ocr_text", "contains", `"new"`), func(a *dam.Asset, fits bool) { a.OCRText = pick(fits, "brand new", "") }},
		"no long text": {rule("asset.ai_caption", "is_empty", ""), func(a *dam.Asset, fits bool) { a.AICaption = pick(fits, "", "old") }},
		"not in it": {rule("asset.ai_caption", "not_contains", `"old"`), func(a *dam.Asset, fits bool) {
			a.AICaption = pick(fits, "", "old")
		}},
		"a number": {rule("asset.width", "equals", "5"), func(a *dam.Asset, fits bool) { a.Width = pick(fits, 5, 0) }},
		"a date": {rule("asset.updated_at", "equals", `"2030-01-01"`), func(a *dam.Asset, fits bool) {
			a.UpdatedAt = epoch.AddDate(pick(fits, 4, 0), 0, 0)
		}},
		"keywords": {rule("asset.keywords", "contains", `"new"`), func(a *dam.Asset, fits bool) {
			a.Keywords = pick(fits, []string{"old", "new"}, nil)
		}},
		"collections": {rule("asset.collections", "in", "[5]"), func(a *dam.Asset, fits bool) {
			a.Collections = pick(fits, []dam.CollectionRef{{ID: 5}}, nil)
		}},
		"no metadata": {rule("metadata.x", "is_empty", ""), func(a *dam.Asset, fits bool) {
			a.Metadata = pick(fits, nil, map[string]any{"x": 1.0})
		}},
		"a list": {rule("metadata.x", "contains", `"ne"`), func(a *dam.Asset, fits bool) {
			a.Metadata = map[string]any{"x": pick[any](fits, "new", []any{"new"})}
		}},
		"colours": {rule("asset.colors", "color_near", `"#0000ff"`), func(a *dam.Asset, fits bool) {
			a.Colors = []dam.Color{{Hex: pick(fits, "#0000fe", "#ffff00"), Share: 1}}
		}},
		"no colours": {rule("asset.colors", "is_empty", ""), func(a *dam.Asset, fits bool) {
			a.Colors = pick(fits, nil, []dam.Color{{Hex: "#ffff00", Share: 1}})
		}},
		"a phrase": {rule("asset.title", "exact_search", `"brand new"`), func(a *dam.Asset, fits bool) {
			a.Title = pick(fits, "brand new", "new brand")
		}},
		"words": {rule("asset", "hybrid_search", `"harbour"`), func(a *dam.Asset, fits bool) {
			a.Keywords = pick(fits, []string{"harbours"}, nil)
		}},
	}
	for name, field := range fields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			put := func(id int64, fits, trashed bool) {
				a := asset(id, "same")
				if field.set(a, fits); trashed {
					a.DeletedAt = &epoch
				}
				l.put(a)
			}
			put(1, true, false)
			put(2, false, false)
			put(3, true, false)
			e, err := search.Open(t.Context(), t.TempDir(), sparse{l}, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			steps := []struct {
				change          func()
				live, bin, both string
			}{
				{func() {}, "1 3", "", "1 3"},
				{func() {}, "1 3", "", "1 3"},
				{func() { put(2, true, false) }, "1 2 3", "", "1 2 3"},
				{func() { put(1, false, false) }, "2 3", "", "2 3"},
				{func() { put(3, true, true) }, "2", "3", "2 3"},
				{func() { put(4, false, false); put(5, true, true) }, "2", "3 5", "2 3 5"},
				{func() { l.remove(2); l.remove(5) }, "", "3", "3"},
				{func() { put(3, false, true); put(4, true, false) }, "4", "", "4"},
				{func() { put(2, true, false) }, "2 4", "", "2 4"},
			}
			for i, s := range steps {
				s.change()
				for n, want := range []string{s.live, s.bin, s.both} {
					trashed := trashChoices[n]
					r := find(t, e, dam.Query{Filter: parsed(t, field.rule), Trashed: trashed, Sort: dam.SortCreatedAt})
					if ids(r) != want {
						t.Errorf("step %d, trashed %q: %q, want %q", i, trashed, ids(r), want)
					}
				}
			}
		})
	}
}

// sparse is a library that, like the records, yields no values for assets without
// colours.
type sparse struct{ *library }

func (s sparse) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	return s.library.Values(ctx, field, assets, func(id int64, v any) {
		if colors, ok := v.([]dam.Color); !ok || len(colors) > 0 {
			yield(id, v)
		}
	})
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// A filter may use more custom fields than are kept in memory.
func TestFilterManyFields(t *testing.T) {
	t.Parallel()
	const n = 100
	key := func(i int64) string { return fmt.Sprint("k", i) }
	l := newLibrary()
	put := func(id int64, v string) {
		a := asset(id, "same")
		a.Metadata = map[string]any{key(id): v, key(id%n + 1): "other"}
		l.put(a)
	}
	var rules []string
	for id := int64(1); id <= n; id++ {
		put(id, "x")
		rules = append(rules, rule("metadata."+key(id), "equals", `"x"`))
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for range 3 {
		if got := filtered(t, e, group("or", rules...)); got != all(n) {
			t.Errorf("found %q", got)
		}
	}
	for id := int64(1); id <= n; id++ {
		put(id, "y")
		if got := filtered(t, e, rules[id-1]); got != "" {
			t.Errorf("%s found %q after the change", rules[id-1], got)
		}
	}
	if got := filtered(t, e, group("or", rules...)); got != "" {
		t.Errorf("found %q after all have changed", got)
	}
}

// A rule that searches sees changes of the text index, even if the library has not
// changed.
func TestFilterFollowsIndex(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for id := int64(1); id <= 600; id++ {
		l.put(asset(id, fmt.Sprintf("number %d", id)))
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	q := dam.Query{Filter: parsed(t, rule("asset.title", "exact_search", `"number"`))}
	if r := find(t, e, q); r.Total != 0 {
		t.Fatalf("found %d before any was indexed", r.Total)
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
	if r := find(t, e, q); r.Total != 600 {
		t.Errorf("found %d of 600", r.Total)
	}
}

// A library replaced by an older one does not get cached results of the other, not even
// when it reaches the same change number again.
func TestFilterOfReplacedLibrary(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"asset.title", "asset.ocr_text", "metadata.x"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			named := func(id int64, s string) *dam.Asset {
				a := asset(id, s)
				a.OCRText, a.Metadata = s, map[string]any{"x": s}
				return a
			}
			l := newLibrary()
			l.put(named(1, "old"), named(2, "old"), named(3, "new"))
			e := open(t, t.TempDir(), l)
			defer e.Close()
			doc := rule(field, "equals", `"old"`)
			if got := filtered(t, e, doc); got != "1 2" {
				t.Fatalf("found %q", got)
			}
			other := newLibrary()
			other.put(named(1, "new"), named(2, "old"))
			l.mu.Lock()
			l.seq, l.changes = other.seq, other.changes
			l.mu.Unlock()
			if r := find(t, e, dam.Query{}); r.Total != 2 {
				t.Errorf("%d assets", r.Total)
			}
			l.put(named(3, "old"))
			if got := filtered(t, e, doc); got != "2 3" {
				t.Errorf("found %q", got)
			}
		})
	}
}

// IDs returns the same assets that a search counts, also for texts without any searchable
// words.
func TestFilterIDs(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	l.put(asset(1, "harbour"), asset(2, "dawn"), asset(3, "harbour"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for _, q := range []dam.Query{
		{}, {Text: "  "}, {Text: "harbour"}, {Text: "?!"}, {Text: `""`}, {Text: "-harbour"},
		{Text: "?!", Filter: parsed(t, rule("asset.title", "equals", `"dawn"`))},
		{Text: "harbour", Filter: parsed(t, rule("asset.file_size", "greater_than", "10"))},
	} {
		got, _, err := e.IDs(t.Context(), q, search.Scope{})
		if r := find(t, e, q); err != nil || len(got) != r.Total {
			t.Errorf("%q: all are %v, %v; the search finds %d", q.Text, got, err, r.Total)
		}
	}
}

// A facet counts each asset once for a value, however often and in any spelling the asset
// has it.
func TestFacetsCountAssets(t *testing.T) {
	t.Parallel()
	e := build(t, 4, func(a *dam.Asset) {
		a.Keywords = [][]string{{"Café", "cafe", "sea"}, {"café"}, nil, {"café"}}[a.ID-1]
		a.Metadata = map[string]any{"x": []any{[]any{"a", "A", "a", ""}, "A", 1.0, "A"}[a.ID-1]}
	})
	r := find(t, e, dam.Query{Facets: []string{"keywords", "metadata.x"}})
	for facet, want := range map[string]string{"keywords": "[{café 3} {sea 1}]", "metadata.x": "[{A 3} {1 1}]"} {
		if got := fmt.Sprint(r.Facets[facet]); got != want {
			t.Errorf("%s: %s, want %s", facet, got, want)
		}
	}
}
