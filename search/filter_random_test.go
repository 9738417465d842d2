package search_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// Random filters match the same assets as a simple, slow evaluation of the same rules,
// while assets change between searches.
func TestFilterAgainstPlain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			againstPlain(t, seed, 2600)
		})
	}
}

func againstPlain(t *testing.T, seed uint64, rounds int) {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 42)), plain: map[string]string{}, library: newLibrary(), assets: map[int64]*dam.Asset{}}
	for range 450 {
		w.change()
	}
	e := open(t, t.TempDir(), w.library)
	defer e.Close()
	var last []*node
	partial := 0
	for round := range rounds {
		switch {
		case round%500 == 250: // so many that all orders are sorted again
			for range 400 {
				w.change()
			}
		case round%1000 == 750: // so many that columns are read again
			for id := range int64(5000) {
				w.library.remove(10_000 + id)
			}
		case w.IntN(5) < 2:
			for range 1 + w.IntN(3) {
				w.change()
			}
		}
		n := w.tree(0)
		if len(last) > 0 && w.IntN(4) == 0 { // again, from the cache or after a change
			n = last[w.IntN(len(last))]
		}
		if last = append(last, n); len(last) > 30 {
			last = last[1:]
		}
		doc, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		q := dam.Query{Filter: parsed(t, string(doc)), Trashed: trashChoices[w.IntN(3)], Page: dam.Page{Limit: 1000}}
		var want []int64
		for _, id := range slices.Sorted(maps.Keys(w.assets)) {
			a := w.assets[id]
			if (q.Trashed == dam.TrashedWith || (a.DeletedAt != nil) == (q.Trashed == dam.TrashedOnly)) && w.holds(n, a) {
				want = append(want, id)
			}
		}
		r := find(t, e, q)
		got := make([]int64, len(r.Hits))
		for i, h := range r.Hits {
			got[i] = h.AssetID
		}
		slices.Sort(got)
		all, _, err := e.IDs(t.Context(), q, search.Scope{Collections: everyCollection})
		if r.Total != len(want) || !slices.Equal(got, want) || err != nil || !slices.Equal(all, want) {
			t.Errorf("seed %d, round %d, trashed %q: %s\n%d found: %v\nas IDs: %v, %v\nwant %v",
				seed, round, q.Trashed, doc, r.Total, got, all, err, want)
			for id, a := range w.assets {
				if slices.Contains(got, id) != slices.Contains(want, id) {
					t.Fatalf("for example %+v", *a)
				}
			}
			t.FailNow()
		}
		checkRuled(t, e, w, string(doc), q, want)
		if len(want) > 0 && len(want) < 80 { // of about 100 in the trash and 200 outside
			partial++
		}
	}
	if partial < rounds/5 {
		t.Errorf("only %d of %d filters found some assets and not most", partial, rounds)
	}
}

// checkRuled checks that a smart collection with a filter as its rules has the results of
// the filter, for one asset and for all.
func checkRuled(t *testing.T, e *search.Engine, w *world, doc string, q dam.Query, want []int64) {
	t.Helper()
	const ruled = 50
	known := &search.Collections{IDs: everyCollection.IDs, Rules: map[int64]*search.Rules{ruled: {Text: doc, Filter: q.Filter}}}
	q.Filter = parsed(t, rule("asset.collections", "in", fmt.Sprintf("[%d]", ruled)))
	for id, a := range w.assets {
		fits := (q.Trashed == dam.TrashedWith || (a.DeletedAt != nil) == (q.Trashed == dam.TrashedOnly))
		if pairs, err := e.RuledWith(t.Context(), known, []int64{id}); err != nil || fits && (len(pairs) == 1) != slices.Contains(want, id) {
			t.Fatalf("%s has %d: %v, %v", doc, id, pairs, err)
		}
		break // any will do
	}
	if got, _, err := e.IDs(t.Context(), q, search.Scope{Collections: known}); err != nil || !slices.Equal(got, want) {
		t.Fatalf("as rules, %s found %v, %v, want %v", doc, got, err, want)
	}
	counts, err := e.CollectionCounts(t.Context(), known, []int64{ruled})
	if err != nil || q.Trashed == dam.TrashedWithout && counts[ruled] != len(want) {
		t.Fatalf("%s counts %v, %v, want %d", doc, counts, err, len(want))
	}
}

// world is a library of random assets. plain maps its texts to their compared form, which
// is known for the pieces that they are built from.
type world struct {
	*rand.Rand
	plain   map[string]string
	library *library
	assets  map[int64]*dam.Asset
}

// node is a filter document.
type node struct {
	Type     string   `json:"type"`
	Operator string   `json:"operator"`
	Rules    *[]*node `json:"rules,omitempty"`
	Field    string   `json:"field,omitempty"`
	Value    any      `json:"value,omitempty"`

	kind, positive string // of a rule: the kind of its field, and its operator without the negation
	want           []item // of a rule: its value
}

// spellings of the same text, the plain one first.
var spellings = [][]string{
	{"a", "A", "á", "Å", "a\u030a", "ａ"}, {"s", "S", "ſ"}, {"ss", "ß", "ẞ", "SS"}, {"fi", "ﬁ", "FI"},
	{"σ", "Σ", "ς"}, {"е", "ё", "Е", "е\u0308"},
	{"か"}, {"が", "か\u3099"}, {"ガ", "ｶﾞ"}, {"i", "İ", "í", "Ｉ"}, {"ı"}, {"각", "\u1100\u1161\u11a8"},
	{"=", "＝"}, {"≠", "=\u0338"},
	{"5", "５"}, {"1", "①"}, {"1.5"}, {"-5"}, {"true", "TRUE"}, {"2026-01-31"}, {"2026-02-01T00:00:00Z"},
	{"%"}, {"_"}, {`\`}, {`"`}, {"🙂"}, {" "}, {"\t"},
}

// numbers are the values of custom number fields, with their texts.
var numbers = map[float64]string{0: "0", 1: "1", 5: "5", -5: "-5", 15: "15", 1.5: "1.5", 1e21: "1000000000000000000000"}

func one[T any](w *world, list ...T) T { return list[w.IntN(len(list))] }

// text returns a text of up to n pieces.
func (w *world) text(n int) string {
	var s, plain string
	for range w.IntN(n + 1) {
		p := one(w, spellings...)
		s, plain = s+one(w, p...), plain+p[0]
	}
	w.plain[s] = plain
	return s
}

func (w *world) number() float64 { return one(w, slices.Sorted(maps.Keys(numbers))...) }

func (w *world) time() time.Time {
	day := time.Date(2026, 1, 29+w.IntN(5), 0, 0, 0, 0, time.UTC)
	return day.Add(one(w, 0, -time.Millisecond, time.Millisecond, 12*time.Hour, 24*time.Hour-time.Millisecond))
}

// word returns a text without white space.
func (w *world) word() string {
	for {
		if s := w.text(2); !strings.ContainsAny(s, " \t") {
			return s
		}
	}
}

// list returns a list of up to n items.
func list[T any](w *world, n int, item func() T) (l []T) {
	for range w.IntN(n + 1) {
		l = append(l, item())
	}
	return l
}

func (w *world) key() string { return fmt.Sprint("k", one(w, w.IntN(3), w.IntN(40))) }

// change adds, changes or deletes an asset.
func (w *world) change() {
	id := w.Int64N(300) + 1
	if w.IntN(12) == 0 && w.assets[id] != nil {
		delete(w.assets, id)
		w.library.remove(id)
		return
	}
	a, isNew := asset(id, ""), w.assets[id] == nil
	if !isNew {
		*a = *w.assets[id]
	}
	word := func() string { return w.text(2) }
	for _, set := range []func(){
		func() { a.Title, a.OriginalFilename = w.text(3), w.text(3) },
		func() { a.Creator, a.Copyright = w.text(1), w.text(2) },
		func() { a.MIMEType, a.Extension = w.text(2), w.text(1) },
		func() { a.AICaption, a.OCRText = w.text(3), w.text(4) },
		func() { a.Width, a.Height, a.PageCount = w.IntN(4), w.IntN(3)*1000, w.IntN(2) },
		func() { a.DurationMS, a.FileSize = one[int64](w, 0, 1500, 5000, 15000), one[int64](w, 0, 1, 5, 1<<40) },
		func() { a.AssetClassID, a.BatchID = w.Int64N(4), one(w, 0, 5, w.Int64N(20)) },
		func() { a.CreatedAt, a.UpdatedAt = w.time(), w.time() },
		func() {
			if a.CaptureDate = nil; w.IntN(3) > 0 {
				c := w.time()
				a.CaptureDate = one(w, &dam.CaptureTime{Time: c}, &dam.CaptureTime{Time: dam.AtOffset(c, one(w, -480, 0, 345))})
			}
		},
		func() { a.Description, a.UsageTerms = w.text(3), w.text(2) },
		func() {
			a.Rating, a.Location = one(w, nil, pointer(w.Int64N(6))), nil
			if w.IntN(3) > 0 {
				a.Location = &dam.Location{Place: w.text(2)}
			}
			if w.IntN(2) > 0 && a.Location != nil {
				a.Location.Latitude, a.Location.Longitude = pointer(float64(w.IntN(4)-1)), pointer(one(w, 0, 1.5, 15, -5))
			}
		},
		func() { a.UsageFrom, a.UsageUntil = one(w, nil, pointer(w.time())), one(w, nil, pointer(w.time())) },
		func() { a.Keywords, a.AITags = list(w, 3, word), list(w, 2, word) },
		func() {
			a.Collections = list(w, 3, func() dam.CollectionRef { return dam.CollectionRef{ID: 1 + w.Int64N(4)} })
			slices.SortFunc(a.Collections, func(x, y dam.CollectionRef) int { return int(x.ID - y.ID) })
			a.Collections = slices.Compact(a.Collections)
		},
		func() {
			a.Colors = list(w, 3, func() dam.Color { return dam.Color{Hex: w.color(), Share: 0.3} })
		},
		func() {
			a.FileCategory = one(w, dam.CategoryImage, dam.CategoryVideo, dam.CategoryAudio, dam.CategoryDocument)
			a.WorkflowStatus, a.ProcessingStatus = one(w, dam.Values[dam.WorkflowStatus]()...), one(w, dam.ProcessingReady, dam.ProcessingFailed)
		},
		func() {
			a.Metadata = map[string]any{}
			for range w.IntN(8) {
				a.Metadata[w.key()] = one[any](w, w.text(2), w.number(), w.IntN(2) == 0, list(w, 3, func() any { return w.text(2) }))
			}
		},
		func() { a.DeletedAt = one(w, nil, nil, pointer(w.time())) },
		func() { a.OwnerID, a.CreatedByID, a.UpdatedByID = w.Int64N(4), w.Int64N(4), w.Int64N(4) },
		func() { a.FileVersion = 1 + w.Int64N(5) },
		func() {
			a.Technical = map[string]any{"exif": map[string]any{"Model": w.word(), "LensModel": w.word(),
				"ISO": one[any](w, nil, 5.0, 1000.0), "FocalLength": one[any](w, nil, "3/2", "5/1", "15", "1/0", "x")}}
		},
	} {
		if isNew || w.IntN(5) == 0 {
			set()
		}
	}
	w.assets[id] = a
	w.library.put(a)
}

func pointer[T any](v T) *T { return &v }

func (w *world) color() string {
	return fmt.Sprintf("#%02x%02x%02x", 40*w.IntN(7), 120*w.IntN(3), 8*w.IntN(30))
}
