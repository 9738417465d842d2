package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
)

// found returns the assets that a text finds, oldest first.
func found(t testing.TB, e *search.Engine, text string) string {
	t.Helper()
	r := find(t, e, dam.Query{Text: text, Sort: dam.SortCreatedAt})
	if s := ids(r); r.Total == len(strings.Fields(s)) {
		return s
	}
	t.Errorf("%q: %d hits of %d", text, len(r.Hits), r.Total)
	return ""
}

// wants compares the results of texts with the expected ones.
func wants(t *testing.T, e *search.Engine, list [][2]string) {
	t.Helper()
	for _, w := range list {
		if got := found(t, e, w[0]); got != w[1] {
			t.Errorf("%s finds %q, want %q", w[0], got, w[1])
		}
	}
}

// A phrase matches consecutive words exactly as written, anywhere in one text.
func TestPhrases(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	tagged, page, named, custom := asset(4, "x"), asset(6, "x"), asset(7, "x"), asset(8, "x")
	tagged.Keywords, tagged.Creator = []string{"boat", "calm sea"}, "Ada King Lovelace"
	page.OCRText = "there is a calm\nsea; behind it (far off) the town's hall"
	named.OriginalFilename = "Summer Holiday-2019_résumé.final.PNG"
	custom.Metadata = map[string]any{"project": "Calm Sea Two"}
	l.put(asset(1, "The calm sea at dawn"), asset(2, "Calm is the sea"), asset(3, "sea calm"),
		tagged, asset(5, "to be or not to be"), page, named, custom,
		asset(9, "café crème brûlée"), asset(10, "東京の写真"), asset(11, "京東"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{`"calm sea"`, "1 4 6 8"},
		{`"CALM Sea"`, "1 4 6 8"},
		{`"sea calm"`, "3"},
		{`"calm seas"`, ""}, // exact forms
		{`"calm at"`, ""},
		{`"the calm sea"`, "1"},
		{`"is the sea"`, "2"}, // stop words keep their positions
		{`"calm the sea"`, ""},
		{`"to be or not to be"`, "5"},
		{`"be or not"`, "5"},
		{`"or to be"`, ""},
		{`"sea behind"`, "6"}, // only words count
		{`"far off the town's hall"`, "6"},
		{`"sea"`, "1 2 3 4 6 8"},
		{`"calm sea two"`, "8"},
		{`"king lovelace"`, "4"},
		{`"ada lovelace"`, ""},
		{`"cafe creme"`, "9"},
		{`"crème brulee"`, "9"},
		{`"東京"`, "10"},
		{`"の写真"`, "10"},
		{`"東写"`, ""},
		{`"京東"`, "11"},
		// The pieces of a file name are words; it also matches as a whole.
		{`"summer holiday"`, "7"},
		{`"2019 resume"`, "7"},
		{`"holiday summer"`, ""},
		{`"Summer Holiday-2019_résumé.final.PNG"`, "7"},
		{`"holiday-2019_résumé.final"`, "7"},
		{`"holiday-2019_resume.final.png"`, "7"},
		// All kinds of quotes are equivalent.
		{`“calm sea”`, "1 4 6 8"},
		{`„calm sea“`, "1 4 6 8"},
		{`«calm sea»`, "1 4 6 8"},
		{`»calm sea«`, "1 4 6 8"},
		{`＂calm sea＂`, "1 4 6 8"},
		{`“calm sea"`, "1 4 6 8"},
		// An unclosed quote ends at the end of the text.
		{`"calm sea`, "1 2 3 4 6 8"},
		{`"calm sea" "at dawn`, "1 4 6 8"},
		{`“calm sea`, "1 2 3 4 6 8"},
		{`calm sea"`, "1 2 3 4 6 8"}, // words, and an empty phrase
		{`"`, ""},
		{`""`, ""},
		{`"" dawn`, "1"},
		{`"..."`, ""},
		// Each phrase has to match; other words only change the order.
		{`"calm sea" "the town's"`, "6"},
		{`"calm sea" "to be"`, ""},
		{`"calm sea"dawn`, "1 4 6 8"},
		{`boat"calm sea"`, "1 4 6 8"},
	})
	for text, first := range map[string]string{`"calm sea" boat`: "4", `dawn "calm sea"`: "1", `"calm sea" two `: "8"} {
		if r := find(t, e, dam.Query{Text: text, Desc: true}); r.Total != 4 || !strings.HasPrefix(ids(r), first+" ") {
			t.Errorf("%s finds %q, want four with %s first", text, ids(r), first)
		}
	}
}

func TestForbidden(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	tagged, named, trashed := asset(4, "boat"), asset(5, "boat"), asset(6, "boat at sea")
	tagged.Keywords = []string{"night", "red sails"}
	named.OriginalFilename = "regatta-2019.jpg"
	trashed.DeletedAt = &epoch
	l.put(asset(1, "boat at sea"), asset(2, "boats at night"), asset(3, "the train"), tagged, named, trashed, asset(7, "東京 boat"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"boat -sea", "2 4 5 7"},
		{"-sea boat", "2 4 5 7"},
		{"boat -sea -night", "5 7"},
		{"boat -nights", "1 5 7"}, // by its stem
		{"boat -nigh", "1 2 4 5 7"},
		{"boat -nihgt", "1 2 4 5 7"}, // without corrections
		{`boat -"at sea"`, "2 4 5 7"},
		{`boat -"sea at"`, "1 2 4 5 7"},
		{`boat -“red sails”`, "1 2 5 7"},
		{`boat -"red sails`, "1 2 5 7"},
		{"boat -title:night", "1 4 5 7"},
		{"boat -keyword:night", "1 2 5 7"},
		{`boat -keywords:"red sails"`, "1 2 5 7"},
		{"boat -regatta", "1 2 4 7"},
		{"boat -regatta-2019.jpg", "1 2 4 7"},
		{"boat -red-sails", "1 2 5 7"},
		{"boat -東京", "1 2 4 5"},
		{"boat -boat", ""},
		{`"at sea" -boat`, ""},
		// Exclusions only: everything else matches.
		{"-boat", "3"},
		{"-sea", "2 3 4 5 7"},
		{`-"at sea" -train`, "2 4 5 7"},
		{"-the", "1 2 4 5 7"}, // the only word, so it counts
		{"-nowhere", "1 2 3 4 5 7"},
		{"-🙂", "1 2 3 4 5 7"},
		// Not exclusions.
		{"boat - sea", "1 2 4 5 7"},
		{"boat -", "1 2 4 5 7"},
		{"red-sails", "4"},
		{"--boat", "3"}, // the rest of the word is excluded as well
		{"-", ""},
	})
	q := dam.Query{
		Text:    "-train",
		Trashed: dam.TrashedWith,
		Filter:  narrow(dam.QueryParams{MIMEType: "jpeg"}),
		Sort:    dam.SortSize,
		Desc:    true,
	}
	if r := find(t, e, q); ids(r) != "7 6 5 4 2 1" {
		t.Errorf("bans in an order: %s", ids(r))
	}
	if r := find(t, e, dam.Query{Text: "-boat"}); r.Hits[0].MatchedOn != nil || r.Hits[0].Score != 0 {
		t.Errorf("a ban matched on %v with %v", r.Hits[0].MatchedOn, r.Hits[0].Score)
	}
}

// A text without searchable words finds nothing, not everything; in a file name, even
// symbols are searchable.
func TestNoWords(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	named := asset(2, "x")
	named.OriginalFilename = "🙂 ∑.jpg"
	l.put(asset(1, "boat 🙂"), named)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"", "1 2"}, {"  \t\n", "1 2"},
		{"-", ""}, {`"`, ""}, {"!?", ""}, {"…", ""}, {"👩‍👩‍👧", ""}, {"€", ""},
		{`"🙂"`, "1 2"}, {"🙂", "1 2"}, {"∑", "2"}, {"boat €", "1"}, {"boat 🙂", "1 2"},
	})
	for _, text := range []string{"-", "👩‍👩‍👧", "€", `""`} {
		if list, _, err := e.IDs(t.Context(), dam.Query{Text: text}, search.Scope{}); err != nil || len(list) != 0 {
			t.Errorf("%q has the IDs %v, %v", text, list, err)
		}
	}
}

// The last word may be a prefix, unless a space follows.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	named := asset(4, "x")
	named.OriginalFilename = "HarbourFront-77.jpg"
	l.put(asset(1, "harbour"), asset(2, "harbinger"), asset(3, "Hårbör café"), named, asset(5, "boat"), asset(6, "写真館"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"harb", "1 2 3 4"},
		{"HARB", "1 2 3 4"},
		{"hårb", "1 2 3 4"},
		{"harb ", ""},
		{"harb\t", ""},
		{"harb boat", "5"},
		{"boat harb", "1 2 3 4 5"},
		{"boat harb ", "5"},
		{"h", ""}, // too short for a prefix
		{"harbourf", "4"},
		{"caf", "3"},
		{"ca", "3"},
		{"title:harb", "1 2 3"},
		{"filename:harb", "4"},
		{"title:harb ", ""},
		{"boat-harb", "1 2 3 4 5"},
		{`"harb`, "1 2 3 4"}, // a phrase has no prefixes
		{`"harb"`, ""},
		{"-harb", "1 2 3 4 5 6"},
		{"写", "6"},
	})
}

// One typo is corrected in a word that is not found, long enough and not a number.
func TestTypos(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	tagged := asset(4, "x")
	tagged.Keywords = []string{"lighthouse"}
	l.put(asset(1, "harbour"), asset(2, "harbor"), asset(3, "boat 20190812 mk2015x"),
		tagged, asset(5, "garden"), asset(6, "warden"), asset(7, "zoë müller"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"harrbour", "1"},     // one added
		{"harbur", "1 2"},     // one removed, one replaced
		{"hatbour", "1"},      // one replaced
		{"harobur", "1"},      // two swapped
		{"ahrbour", "1"},      // at the beginning
		{"harbouur ", "1"},    // a whole word too
		{"harbonrs", ""},      // two edits
		{"hrabuor", ""},       //
		{"harbour", "1"},      // not a typo of harbor
		{"harbor", "2"},       //
		{"lighthuose", "4"},   //
		{"lighthuose b", "4"}, // not only the last word
		{"darden", "5 6"},     //
		{"garden", "5"},       //
		{"moller", "7"},       //
		{"bost", ""},          // four letters
		{"boatt", "3"},        // five
		{"baots", ""},         //
		{"20190813", ""},      // another number is not a typo
		{"mk2016x", ""},       //
		{"mk2015y", ""},       //
		{"mk2015x", "3"},      //
		{`"hatbour"`, ""},     // a phrase is exact
		{"title:hatbour", "1"},
		{"keyword:hatbour", ""},
		{"keyword:lighthousee", "4"},
	})
	for _, n := range []int{63, 64, 65, 500, 20_000} {
		if got := found(t, e, strings.Repeat("harbour", n)[:n]); got != "" {
			t.Errorf("a word of %d letters finds %s", n, got)
		}
	}
}

func TestFieldWords(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	sea, tagged, named, made := asset(1, "Apollo at sea"), asset(2, "two"), asset(3, "three"), asset(4, "four")
	tagged.Keywords = []string{"apollo", "red boat"}
	named.OriginalFilename = "Apollo_launch-11.jpg"
	made.Creator, made.OCRText = "Ada Apollo", "title: sea at 12:30, see http://apollo.example/launch"
	l.put(sea, tagged, named, made, asset(5, "key: title"), asset(6, "the end"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"apollo", "1 2 3 4"},
		{"title:apollo", "1"},
		{"TITLE:Apollo", "1"},
		{"title：apollo", "1"}, // the full-width colon
		{"keyword:apollo", "2"},
		{"keywords:apollo", "2"},
		{"filename:apollo", "3"},
		{"original_filename:apollo", "3"},
		{"filename:apollo_launch-11.jpg", "3"},
		{"filename:apollo_launch-11", "3"},
		{"creator:apollo", "4"},
		{`title:"apollo at sea"`, "1"},
		{`title:"sea apollo"`, ""},
		{`title:“at sea”`, "1"},
		{`keyword:"red boat"`, "2"},
		{`filename:"launch 11"`, "3"},
		{`creator:"ada apollo`, "4"},
		{"title:apollo title:sea", "1"},
		{"title:apollo keyword:apollo", ""},
		{"title:apollo launch", "1"},
		{"title:red-boat", ""},
		{"keyword:red-boat", "2"},
		{"keyword:boat-apollo", "2"}, // both words
		{"keyword:boat-sea", ""},
		{"title:the", "6"}, // a demanded stop word counts
		{"title:at", "1"},
		{"-title:apollo apollo", "2 3 4"},
		// An unknown field is a word.
		{"nope:apollo", "1 2 3 4"},
		{"nope:zzz", ""},
		{"sea nope:apollo", "1 2 3 4"},
		{"-nope:apollo", "1 2 3 4 5 6"}, // both words
		{"-sea:apollo", "2 3 5 6"},
		{"copyright:apollo", ""},
		{"title: apollo", "1 2 3 4 5"},
		{"title:", "4 5"},
		{":apollo", "1 2 3 4"},
		{"12:30", "4"},
		{"http://apollo.example/launch", "3 4"},
		{"http://nowhere.example", "4"},
		{"http://x", "4"},
		{`http://"apollo"`, "1 2 3 4"},
		{"title:title:apollo", ""}, // the title must contain both words
		{`"title: sea at"`, "4"},
		{`"12:30"`, "4"},
	})
}

// Stop words count if the text has no other words, or if they are demanded.
func TestStopWords(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	l.put(asset(1, "the who"), asset(2, "the train"), asset(3, "who is it"), asset(4, "train of thought"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"the", "1 2"},
		{"The Who", "1 2 3"},
		{"the train", "2 4"},
		{"who train ", "2 4"},
		{`train "the"`, "1 2"},
		{"title:the train", "1 2"},
		{"the -train", "1"},
		{"thought of", "4"},
	})
}

// A rule that searches matches any of its words, or the exact phrase.
func TestSearchRules(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	var all []*dam.Asset
	for i, name := range []string{"boat.jpg", "harbour.jpg", "IMG_1234.jpg", "red-boat_at the harbour.png", "🙂.jpg"} {
		a := asset(int64(i+1), "x")
		a.OriginalFilename = name
		all = append(all, a)
	}
	all[4].Keywords, all[4].Title = []string{"harbours"}, "the boat"
	l.put(all...)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for _, tt := range [][4]string{
		{"asset.original_filename", "hybrid_search", "boat harbour", "1 2 4"},
		{"asset.original_filename", "hybrid_search", "harbour boat", "1 2 4"},
		{"asset.original_filename", "hybrid_search", "1234 boat", "1 3 4"},
		{"asset.original_filename", "hybrid_search", "img_1234.jpg boat.jpg", "1 3"},
		{"asset", "hybrid_search", "boat harbour", "1 2 4 5"},
		{"asset.keywords", "hybrid_search", "the harbour boat", "5"},
		{"asset.title", "hybrid_search", "the harbour boat", "5"},
		{"asset", "hybrid_search", "🙂", "5"},
		{"asset", "hybrid_search", "€", ""},
		{"asset", "hybrid_search", strings.Repeat("nowhere ", 63) + "boat", "1 4 5"},
		{"asset", "hybrid_search", strings.Repeat("nowhere ", 124), ""},
		{"asset", "hybrid_search", strings.Repeat("nowhere", 140), ""},
		{"asset", "exact_search", "boat harbour", ""},
		{"asset", "exact_search", "the harbour", "4"},
		{"asset.original_filename", "exact_search", "Red-Boat_at the", "4"},
		{"asset.original_filename", "exact_search", "red-boat_at the harbour.png", "4"},
		{"asset.title", "exact_search", "THE boat", "5"},
	} {
		value, err := json.Marshal(tt[2])
		if err != nil {
			t.Fatal(err)
		}
		f, err := dam.ParseFilter(fmt.Sprintf(`{"type":"filter","field":%q,"operator":%q,"value":%s}`, tt[0], tt[1], value), nil)
		if err != nil {
			t.Errorf("%.80s: %v", tt, err)
			continue
		}
		if got := ids(find(t, e, dam.Query{Filter: f, Sort: dam.SortCreatedAt})); got != tt[3] {
			t.Errorf("%.80s finds %q, want %q", tt, got, tt[3])
		}
	}
}

func TestGAID(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	gone := asset(2, "trashed")
	gone.DeletedAt = &epoch
	a := asset(1, "boat")
	about := asset(3, "about "+string(a.GAID))
	l.put(a, gone, about)
	model := textvec.NewLite(2)
	e := openWith(t, l, model)
	defer e.Close()
	understand(t, e, model, a, gone, about)
	wants(t, e, [][2]string{
		{string(a.GAID), "1"},
		{strings.ToLower(string(a.GAID)), "1"},
		{"  " + string(a.GAID) + "\n", "1"},
		{string(gone.GAID), ""},
		{`"` + string(a.GAID) + `"`, "3"},
		{string(a.GAID) + " boat", "1 3"},
		{string(a.GAID)[:20], "3"}, // a prefix
	})
	r := find(t, e, dam.Query{Text: string(a.GAID)})
	if len(r.Hits) != 1 || !slices.Equal(r.Hits[0].MatchedOn, []string{"gaid"}) {
		t.Errorf("%+v", r.Hits)
	}
	if r := find(t, e, dam.Query{Text: string(gone.GAID), Trashed: dam.TrashedOnly}); ids(r) != "2" {
		t.Errorf("in the trash: %s", ids(r))
	}
}

// FuzzWords searches for arbitrary texts, with and without embeddings, and checks the
// invariants of the results.
func FuzzWords(f *testing.F) {
	for _, q := range []string{
		"", `"a young dog"`, `"a young dog`, `“young dog”`, `«dog»`, `-dog`, `-"young dog"`, `- -- "- -"`,
		"title:dog", `title:"young dog"`, "keyword:", `keywords:"`, "filename:a.jpg", "creator:-x",
		"nope:dog", "12:30", "http://x", `-title:"x`, "the", "the -the", "-the", "dgo puppy", "pupp", "pupp ",
		"01TESTTESTTESTTESTTEST0003", "🙂", "-🙂", `"🙂"`, "dog 🙂 -cat", "東京", "-東", `"東京"`, "title:東京",
		"ﬁle", "İstanbul ß ſ", "a\u0301\u0301 \u200d\u200b", "\x00", "\xff\xfe",
		strings.Repeat("dog -cat ", 60), strings.Repeat("ab", 400), strings.Repeat(`"`, 99), strings.Repeat("-", 99),
		strings.Repeat("title:", 50), "٣٤٥٦٧ ⅷ² x", "dog*", "d?g~", "(dog OR cat) AND NOT sea", "'dog'’s",
	} {
		f.Add(q)
	}
	l := newLibrary()
	model := textvec.NewLite(2)
	log := slog.New(slog.DiscardHandler)
	var engines []*search.Engine
	for i, title := range []string{
		"a young dog in the snow", "kitten on a sofa", "東京の写真", "dog dog dog", "the the",
		"a", "puppy", "Istanbul", "", "sea 12:30",
	} {
		a := asset(int64(i+1), title)
		a.Keywords, a.OriginalFilename = []string{"young dog", "no " + fmt.Sprint(i%3)}, fmt.Sprintf("IMG_%d 🙂.jpg", i)
		if i == 7 {
			a.DeletedAt = &epoch
		}
		l.put(a)
	}
	for _, m := range []search.Embedder{nil, model} {
		e, err := search.Open(context.Background(), f.TempDir(), l, m, log)
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { e.Close() })
		engines = append(engines, e)
	}
	for _, c := range l.changes {
		understand(f, engines[1], model, c.Asset)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range engines {
			invariants(t, e, dam.Query{Text: text})
		}
	})
}

// invariants checks the results of a query: the total is the number of all hits, each hit
// occurs once and has a reason, better ones come first, and pages and the reverse order
// are parts of the same list.
func invariants(t *testing.T, e *search.Engine, q dam.Query) {
	t.Helper()
	run := func(q dam.Query) *search.Result {
		r, err := e.Search(t.Context(), q, search.Scope{})
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		return r
	}
	q.Limit, q.Desc, q.Sort = 1<<30, true, dam.SortRelevance
	whole := run(q)
	if len(whole.Hits) != whole.Total {
		t.Fatalf("%q: %d hits of %d", q.Text, len(whole.Hits), whole.Total)
	}
	list, _, err := e.IDs(t.Context(), q, search.Scope{})
	if err != nil || len(list) != whole.Total {
		t.Fatalf("%q: %d IDs of %d, %v", q.Text, len(list), whole.Total, err)
	}
	for i, h := range whole.Hits {
		if !slices.Contains(list, h.AssetID) {
			t.Fatalf("%q: %d is not one of the IDs %v", q.Text, h.AssetID, list)
		}
		if i > 0 && h.Score > whole.Hits[i-1].Score {
			t.Fatalf("%q: the score %v comes after %v", q.Text, h.Score, whole.Hits[i-1].Score)
		}
		if (len(h.MatchedOn) == 0) != (h.Score == 0) {
			t.Fatalf("%q: %+v", q.Text, h)
		}
		if slices.ContainsFunc(whole.Hits[:i], func(g search.Hit) bool { return g.AssetID == h.AssetID }) {
			t.Fatalf("%q finds %d twice", q.Text, h.AssetID)
		}
	}
	for size := 1; size <= min(whole.Total, 12); size++ {
		for from := 0; from < whole.Total; from += size {
			q.Offset, q.Limit = from, size
			page, want := run(q), whole.Hits[from:min(from+size, whole.Total)]
			if page.Total != whole.Total || !sameHits(page.Hits, want) {
				t.Fatalf("%q, %d from %d: %+v of %d, want %+v of %d", q.Text, size, from, page.Hits, page.Total, want, whole.Total)
			}
		}
	}
	q.Offset, q.Limit, q.Desc = 0, 1<<30, false
	if up := run(q).Hits; len(up) != whole.Total || !sameHits(up, reversed(whole.Hits)) {
		t.Fatalf("%q: ascending %+v, descending %+v", q.Text, up, whole.Hits)
	}
}

func reversed(hits []search.Hit) []search.Hit {
	hits = slices.Clone(hits)
	slices.Reverse(hits)
	return hits
}

func sameHits(a, b []search.Hit) bool {
	return slices.EqualFunc(a, b, func(a, b search.Hit) bool {
		return a.AssetID == b.AssetID && a.Score == b.Score && slices.Equal(a.MatchedOn, b.MatchedOn)
	})
}
