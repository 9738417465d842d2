package search_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
)

// openWith opens an engine with a model and marks its vectors as loaded, without any yet.
func openWith(t testing.TB, l search.Source, model search.Embedder) *search.Engine {
	t.Helper()
	e, err := search.Open(context.Background(), t.TempDir(), l, model, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	e.MeaningReady()
	e.MeaningRead(math.MaxInt64)
	return e
}

// understand embeds the titles of assets.
func understand(t testing.TB, e *search.Engine, model search.Embedder, assets ...*dam.Asset) {
	t.Helper()
	for _, a := range assets {
		vectors, err := model.Embed(context.Background(), []string{a.Title})
		if err != nil {
			t.Fatal(err)
		}
		if vectors[0] == nil {
			continue
		}
		if err := e.PutVectors(context.Background(), []search.Vector{{AssetID: a.ID, Values: vectors[0]}}); err != nil {
			t.Fatal(err)
		}
	}
}

// meantOnly reports whether an asset was found without any word of the query.
func meantOnly(h search.Hit) bool {
	return len(h.MatchedOn) > 0 && (h.MatchedOn[0] == "meaning" || h.MatchedOn[0] == "synonym")
}

// byMeaning returns the assets that a text finds by meaning alone, oldest first.
func byMeaning(t testing.TB, e *search.Engine, q dam.Query) string {
	t.Helper()
	q.Sort = dam.SortCreatedAt
	var list []string
	for _, h := range find(t, e, q).Hits {
		if meantOnly(h) {
			list = append(list, fmt.Sprint(h.AssetID))
		}
	}
	return strings.Join(list, " ")
}

// animals returns the titles of a library about animals only.
func animals() []string {
	return []string{
		"a young dog playing in the snow", "an old dog asleep by the fire", "kitten on a windowsill", "a cat and her litter",
		"horses galloping across a meadow", "foal beside its mother",
		"a lion resting in the grass", "herd of elephants at the waterhole", "giraffe eating leaves", "zebra crossing a river",
		"monkey in the treetops", "gorilla with an infant",
		"penguins on the ice", "polar bear swimming", "a fox in the garden at night", "hedgehog curled into a ball",
		"squirrel with a nut", "rabbit in the vegetable patch",
		"sheep on a hillside", "lambs in spring", "cows coming home to be milked", "pigs in the mud",
		"hens in the yard", "rooster at sunrise", "ducks on a pond", "swan and cygnets",
		"an owl in flight", "eagle over the mountains", "seagulls behind a fishing boat", "parrot with bright feathers",
		"hummingbird at a flower", "robin in winter", "storks on a chimney",
		"butterfly on lavender", "bees entering the hive", "ants carrying a leaf", "spider in its web",
		"ladybird on a stem", "dragonfly over water", "snail after the rain",
		"frog on a lily pad", "toad under a stone", "a snake shedding its skin", "lizard basking on a wall",
		"tortoise in the desert", "crocodile with open jaws",
		"dolphins leaping from the waves", "a whale breaching", "shark near the reef", "clownfish in an anemone",
		"octopus hiding among rocks", "jellyfish in blue light", "salmon jumping upstream", "goldfish in a bowl",
		"crab on the beach", "starfish in a tide pool", "bat hanging from the ceiling of a cave",
		"mouse in a barn", "a rat in the sewer", "camels in a caravan",
	}
}

// zoo opens a library of animals with embeddings.
func zoo(t testing.TB) (*search.Engine, *library, []*dam.Asset) {
	t.Helper()
	l := newLibrary()
	var all []*dam.Asset
	for i, title := range animals() {
		all = append(all, asset(int64(i+1), title))
	}
	l.put(all...)
	model := textvec.NewLite(2)
	e := openWith(t, l, model)
	t.Cleanup(func() { e.Close() })
	understand(t, e, model, all...)
	return e, l, all
}

// A query finds assets with the same meaning in other words, near the top, and the result
// says so.
func TestMeaning(t *testing.T) {
	t.Parallel()
	e, _, all := zoo(t)
	for text, want := range map[string]string{
		"puppy": "dog", "bunny": "rabbit", "ape": "monkey", "cattle": "cows", "insect": "spider",
		"bovine": "cows", "underwater creatures": "octopus", "livestock on a farm": "cows",
		"reptile": "lizard", "sea mammal": "whale",
	} {
		r := find(t, e, dam.Query{Text: text, Desc: true, Page: dam.Page{Limit: 3}})
		if !slices.ContainsFunc(r.Hits, func(h search.Hit) bool {
			return strings.Contains(all[h.AssetID-1].Title, want) && meantOnly(h)
		}) {
			t.Errorf("%s does not find a %s: %+v", text, want, r.Hits)
		}
		if r.Meaning != dam.MeaningReady || r.Total > len(all)/2 {
			t.Errorf("%s: %s, %d found", text, r.Meaning, r.Total)
		}
	}
	for _, text := range []string{
		"quarterly invoice", "tax return", "software licence agreement", "annual budget of the company",
		"wedding dress", "football match", "skyscraper", "printer ink", "guitar solo", "job interview", "credit card",
		"screwdriver", "parliament", "chemistry lab", "mortgage", "東京", "12:30", "🙂",
	} {
		if got := byMeaning(t, e, dam.Query{Text: text}); got != "" {
			t.Errorf("%s finds %s", text, got)
		}
	}
}

// dogs opens a library with a few assets close to "puppy", and some others.
func dogs(t testing.TB) (*search.Engine, *library) {
	t.Helper()
	l := newLibrary()
	all := []*dam.Asset{
		asset(1, "a young dog playing in the snow"),
		asset(2, "a young dog on the sofa"),
		asset(3, "young dogs in the rain"),
		asset(4, "a little dog with a ball"),
		asset(5, "snow on the roof of a church"),
		asset(6, "sofa and armchair"),
		asset(7, "rain over the city"),
		asset(8, "contract with a supplier"),
		asset(9, "bridge"),
		asset(10, ""),
	}
	all[2].MIMEType, all[2].AssetClassID, all[0].BatchID = "video/mp4", 7, 3
	all[3].DeletedAt = &epoch
	all[1].Keywords = []string{"indoors"}
	l.put(all...)
	model := textvec.NewLite(2)
	e := openWith(t, l, model)
	t.Cleanup(func() { e.Close() })
	understand(t, e, model, all...)
	return e, l
}

// Other conditions of a query also apply to semantic results.
func TestMeaningNarrowed(t *testing.T) {
	t.Parallel()
	e, _ := dogs(t)
	filter, err := dam.ParseFilter(`{"type":"filter","field":"asset.keywords","operator":"contains","value":"Indoors"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	hybrid, err := dam.ParseFilter(`{"type":"filter","field":"asset","operator":"hybrid_search","value":"puppy"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		q    dam.Query
		want string
	}{
		{dam.Query{Text: "puppy"}, "1 2 3"},
		{dam.Query{Text: "puppy", Trashed: dam.TrashedOnly}, "4"},
		{dam.Query{Text: "puppy", Trashed: dam.TrashedWith}, "1 2 3 4"},
		{dam.Query{Text: "puppy", Filter: narrow(dam.QueryParams{MIMEType: "video"})}, "3"},
		{dam.Query{Text: "puppy", Filter: narrow(dam.QueryParams{AssetClassID: 7})}, "3"},
		{dam.Query{Text: "puppy", Filter: narrow(dam.QueryParams{BatchID: 3})}, "1"},
		{dam.Query{Text: "puppy", Filter: filter}, "2"},
		{dam.Query{Text: "puppy", Filter: dam.AllOf(filter, narrow(dam.QueryParams{MIMEType: "video"}))}, ""},
		{dam.Query{Text: "puppy -snow"}, "2 3"},
		{dam.Query{Text: "puppy -dog"}, ""},
		{dam.Query{Text: "-snow -rain puppy"}, "2"},
		{dam.Query{Text: `puppy -"dog on the sofa"`}, "1 3"},
		{dam.Query{Text: `puppy -keyword:indoors`}, "1 3"},
		{dam.Query{Text: `"puppy"`}, ""},
		{dam.Query{Text: "title:puppy"}, ""},
		{dam.Query{Text: `puppy "puppy"`}, ""},
		{dam.Query{Text: "-cat"}, ""}, // an exclusion has no meaning
	} {
		if got := byMeaning(t, e, tt.q); got != tt.want {
			t.Errorf("%+v finds %q by meaning alone, want %q", tt.q, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		`puppy "in the snow"`:         "1",
		"puppy title:rain title:dogs": "3",
		`puppy keyword:"indoors"`:     "2",
		`"young dog" puppy -snow`:     "2",
	} {
		r := find(t, e, dam.Query{Text: text})
		if ids(r) != want || !slices.Contains(r.Hits[0].MatchedOn, "meaning") || len(r.Hits[0].MatchedOn) < 2 {
			t.Errorf("%s: %+v, want %s by its words and meaning", text, r.Hits, want)
		}
	}
	if r := find(t, e, dam.Query{Filter: hybrid, Sort: dam.SortCreatedAt}); ids(r) != "1 2 3" {
		t.Errorf("hybrid_search finds %s", ids(r))
	}
	if r := find(t, e, dam.Query{Filter: hybrid, Text: "-snow", Sort: dam.SortCreatedAt}); ids(r) != "2 3" {
		t.Errorf("hybrid_search and a ban find %s", ids(r))
	}
}

// service is an embeddings endpoint that can fail.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	status int           // status of the response, 0 for vectors
	hold   chan struct{} // if not nil, responses wait for it
	asked  int
}

func newService(t testing.TB, embed func([]string) ([][]float32, error)) *service {
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		status, hold := s.status, s.hold
		s.asked++
		s.mu.Unlock()
		if hold != nil {
			<-hold
		}
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		vectors, err := embed(body.Input)
		if err != nil {
			t.Error(err)
		}
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var reply struct {
			Data []item `json:"data"`
		}
		for i, v := range vectors {
			reply.Data = append(reply.Data, item{i, v})
		}
		json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) model(t testing.TB) *textvec.Endpoint {
	t.Helper()
	m, err := textvec.NewEndpoint(s.URL+"/v1", "test", "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s *service) answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func (s *service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// The result reports the state of semantic search, and keyword search always answers.
func TestMeaningStates(t *testing.T) {
	t.Parallel()
	lite := textvec.NewLite(2)
	embed := func(texts []string) ([][]float32, error) { return lite.Embed(context.Background(), texts) }
	a, b := asset(1, "a young dog playing in the snow"), asset(2, "a young dog on the sofa")
	a.PHash, b.PHash = 0xff, 0xfe
	l := newLibrary()
	l.put(a, b)
	check := func(t *testing.T, e *search.Engine, text string, want dam.Meaning, meant string) {
		t.Helper()
		r := find(t, e, dam.Query{Text: text})
		if got := byMeaning(t, e, dam.Query{Text: text}); r.Meaning != want || got != meant {
			t.Errorf("%s: %s, %q by meaning; want %s, %q", text, r.Meaning, got, want, meant)
		}
		r = find(t, e, dam.Query{Text: "snow"})
		if !strings.HasPrefix(ids(r), "1") || r.Hits[0].MatchedOn[0] != "title" || r.Hits[0].Score <= 0 {
			t.Errorf("snow, by words: %+v", r.Hits)
		}
		if r := find(t, e, dam.Query{}); r.Total != 2 {
			t.Errorf("the list has %d", r.Total)
		}
		like, _, err := e.Similar(t.Context(), 1, 5)
		if err != nil || len(like) == 0 || like[0].AssetID != 2 || like[0].Distance != 1 {
			t.Errorf("near duplicates: %+v, %v", like, err)
		}
	}
	unready := func(t *testing.T, model search.Embedder) *search.Engine {
		e, err := search.Open(t.Context(), t.TempDir(), l, model, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		e.MeaningRead(math.MaxInt64)
		return e
	}
	t.Run("off", func(t *testing.T) {
		t.Parallel()
		e := unready(t, nil)
		check(t, e, "puppy", dam.MeaningOff, "")
		e.MeaningReady()
		check(t, e, "puppy", dam.MeaningOff, "")
	})
	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		e := unready(t, lite)
		check(t, e, "puppy", dam.MeaningLoading, "")
		understand(t, e, lite, a, b)
		check(t, e, "puppy", dam.MeaningLoading, "")
		e.MeaningReady()
		check(t, e, "puppy", dam.MeaningReady, "1 2")
		e.MeaningRead(1)
		check(t, e, "puppy", dam.MeaningIndexing, "1 2")
		e.MeaningRead(2)
		check(t, e, "puppy", dam.MeaningReady, "1 2")
	})
	t.Run("failing", func(t *testing.T) {
		t.Parallel()
		s := newService(t, embed)
		e := unready(t, s.model(t))
		e.MeaningReady()
		understand(t, e, lite, a, b)
		check(t, e, "puppy", dam.MeaningReady, "1 2")
		s.answer(http.StatusUnauthorized)
		check(t, e, "puppy", dam.MeaningReady, "1 2") // cached by now
		asked := s.count()
		check(t, e, "hound", dam.MeaningUnavailable, "")
		check(t, e, "poodle", dam.MeaningUnavailable, "") // the service is not called for a while
		check(t, e, "puppy", dam.MeaningUnavailable, "")
		if n := s.count() - asked; n != 1 {
			t.Errorf("a service that fails was asked %d times", n)
		}
	})
	t.Run("failing from the beginning", func(t *testing.T) {
		t.Parallel()
		s := newService(t, embed)
		s.answer(http.StatusNotFound)
		e := unready(t, s.model(t))
		e.MeaningReady()
		understand(t, e, lite, a, b)
		asked := 0
		for range 2 { // the second time the service is not called
			if _, state, err := e.Similar(t.Context(), 1, 5); err != nil || state != dam.MeaningUnavailable || asked > 0 && s.count() != asked {
				t.Errorf("similar assets without a service: %s, %v; it was asked %d times", state, err, s.count())
			}
			asked = s.count()
		}
		check(t, e, "puppy", dam.MeaningUnavailable, "")
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		s := newService(t, embed)
		s.hold = make(chan struct{})
		t.Cleanup(func() { close(s.hold) }) // before the service is closed
		e := unready(t, s.model(t))
		e.MeaningReady()
		understand(t, e, lite, a, b)
		if _, state, err := e.Similar(t.Context(), 1, 5); err != nil || state != dam.MeaningUnavailable {
			t.Errorf("similar assets while the service is silent: %s, %v", state, err)
		}
		check(t, e, "puppy", dam.MeaningUnavailable, "")
	})
	t.Run("another model", func(t *testing.T) {
		t.Parallel()
		s := newService(t, func(texts []string) (list [][]float32, err error) {
			for _, text := range texts {
				list = append(list, random(text))
			}
			return list, nil
		})
		e := unready(t, s.model(t))
		e.MeaningReady()
		understand(t, e, lite, a, b) // vectors of 512 numbers
		if _, _, err := e.Similar(t.Context(), 1, 5); err != nil {
			t.Error(err)
		}
		check(t, e, "puppy", dam.MeaningUnavailable, "")

		e = unready(t, s.model(t))
		e.MeaningReady()
		understand(t, e, lite, a, b)
		if err := e.ForgetVectors(); err != nil || e.VectorCount() != 0 || e.VectorDimension() != 0 {
			t.Errorf("%d vectors of %d numbers are left, %v", e.VectorCount(), e.VectorDimension(), err)
		}
		understand(t, e, s.model(t), a, b)
		if e.VectorCount() != 2 || e.VectorDimension() != dimension {
			t.Errorf("%d vectors of %d numbers", e.VectorCount(), e.VectorDimension())
		}
		check(t, e, a.Title, dam.MeaningReady, "")
		if like, _, err := e.Similar(t.Context(), 1, 5); err != nil || like[0].Cosine == 0 {
			t.Errorf("%+v, %v", like, err)
		}
	})
	t.Run("away", func(t *testing.T) {
		t.Parallel()
		s := newService(t, embed)
		e := unready(t, s.model(t))
		s.Close()
		e.MeaningReady()
		understand(t, e, lite, a, b)
		check(t, e, "puppy", dam.MeaningUnavailable, "")
	})
}

// The latest vector of an asset is used, and removed vectors are not.
func TestMeaningChanges(t *testing.T) {
	t.Parallel()
	model := textvec.NewLite(2)
	l := newLibrary()
	l.put(asset(1, "a young dog playing in the snow"), asset(2, "a young dog on the sofa"), asset(3, "a young dog"))
	e := openWith(t, l, model)
	defer e.Close()
	for _, c := range l.changes {
		understand(t, e, model, c.Asset)
	}
	wants := func(text, want string) {
		t.Helper()
		if got := byMeaning(t, e, dam.Query{Text: text}); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
	wants("puppy", "1 2 3")
	wants("income tax", "")
	changed := asset(2, "declaration of earnings for the revenue office")
	l.put(changed)
	wants("puppy", "1 2 3") // until its text is read
	understand(t, e, model, changed)
	wants("puppy", "1 3")
	wants("income tax", "2")
	if e.VectorCount() != 3 {
		t.Errorf("%d vectors", e.VectorCount())
	}
	if err := e.RemoveVectors(t.Context(), []int64{2, 2, 99}); err != nil {
		t.Fatal(err)
	}
	wants("income tax", "")
	l.remove(1)
	wants("puppy", "3")
	if e.VectorCount() != 1 {
		t.Errorf("%d vectors are left", e.VectorCount())
	}
	if like, _, err := e.Similar(t.Context(), 3, 9); err != nil || len(like) != 0 {
		t.Errorf("like the last: %+v, %v", like, err)
	}
	if err := e.RemoveVectors(t.Context(), []int64{3}); err != nil {
		t.Fatal(err)
	}
	wants("puppy", "")
	if err := e.PutVectors(t.Context(), []search.Vector{{AssetID: 3}}); err == nil {
		t.Error("a vector without numbers was taken")
	}
}

// The result contains the assets that match by words or by meaning, each once; those that
// rank high in both come first.
func TestFusion(t *testing.T) {
	t.Parallel()
	e, l, all := zoo(t)
	plain := open(t, t.TempDir(), l)
	defer plain.Close()
	for _, text := range []string{
		"a dog in the snow", "small animal in water", "young animals and their mothers", "birds at sea", "owl",
		"animals at night", "puppy dogs -snow", `whale "breaching"`, "fish title:in",
	} {
		words := find(t, plain, dam.Query{Text: text})
		q := dam.Query{Text: text, Desc: true}
		r := find(t, e, q)
		both, meant := 0, 0
		for _, h := range r.Hits {
			byWords := slices.ContainsFunc(words.Hits, func(w search.Hit) bool { return w.AssetID == h.AssetID })
			isMeant := slices.Contains(h.MatchedOn, "meaning")
			switch {
			case byWords && isMeant:
				both++
			case isMeant:
				meant++
			case !byWords:
				t.Errorf("%s finds %d for nothing", text, h.AssetID)
			}
			if byWords != slices.ContainsFunc(h.MatchedOn, func(f string) bool { return f != "meaning" }) {
				t.Errorf("%s: %d matched on %v", text, h.AssetID, h.MatchedOn)
			}
			if h.Score <= 0 {
				t.Errorf("%s: %d has the score %v", text, h.AssetID, h.Score)
			}
		}
		if r.Total != words.Total+meant || len(r.Hits) != r.Total {
			t.Errorf("%s: %d found, %d by words and %d more by meaning", text, r.Total, words.Total, meant)
		}
		if both == 0 {
			t.Errorf("%s finds nothing by both: %+v", text, r.Hits)
		}
		invariants(t, e, q)
		q.Sort, q.Desc = dam.SortTitle, false
		sorted := find(t, e, q)
		byTitle := func(a, b search.Hit) int { return strings.Compare(all[a.AssetID-1].Title, all[b.AssetID-1].Title) }
		if sorted.Total != r.Total || !slices.IsSortedFunc(sorted.Hits, byTitle) {
			t.Errorf("%s by title: %s", text, ids(sorted))
		}
		for _, h := range sorted.Hits { // the reasons do not depend on the order
			if !slices.ContainsFunc(r.Hits, func(g search.Hit) bool { return sameHits([]search.Hit{g}, []search.Hit{h}) }) {
				t.Errorf("%s by title: %+v", text, h)
			}
		}
	}
	if r := find(t, e, dam.Query{Text: "a dog in the snow", Desc: true}); r.Hits[0].AssetID != 1 {
		t.Errorf("the first is %+v", r.Hits[0])
	}
	// An asset that matches by word and meaning ranks above those that match by one.
	l = newLibrary()
	l.put(asset(1, "a young dog"), asset(2, "puppy"), asset(3, "puppy"), asset(4, "bridge"))
	model := textvec.NewLite(2)
	e2 := openWith(t, l, model)
	defer e2.Close()
	for _, id := range []int64{1, 2, 4} {
		understand(t, e2, model, l.changes[id].Asset)
	}
	if r := find(t, e2, dam.Query{Text: "puppy", Desc: true}); !strings.HasPrefix(ids(r), "2 ") || r.Total != 3 {
		t.Errorf("the order is %s", ids(r))
	}
}

// An asset that ranks low by words and high by meaning has the same position on each
// page.
func TestFusionFarDown(t *testing.T) {
	t.Parallel()
	const n = 1500
	model := textvec.NewLite(2)
	l := newLibrary()
	for id := int64(1); id <= n; id++ {
		a := asset(id, fmt.Sprintf("snow %d", id))
		if id%30 == 0 {
			a.Title = fmt.Sprintf("a young dog playing with a ball and other toys in the garden, some snow %d", id)
		}
		l.put(a)
	}
	e := openWith(t, l, model)
	defer e.Close()
	indexAll(t, e)
	for id := int64(30); id <= n; id += 30 {
		understand(t, e, model, l.changes[id].Asset)
	}
	q := dam.Query{Text: "puppy in the snow", Desc: true, Page: dam.Page{Limit: n}}
	whole := find(t, e, q)
	if whole.Total != n || len(whole.Hits) != n {
		t.Fatalf("%d of %d", len(whole.Hits), whole.Total)
	}
	if !slices.ContainsFunc(whole.Hits[:50], func(h search.Hit) bool { return slices.Contains(h.MatchedOn, "meaning") }) {
		t.Errorf("nothing that is meant is high up: %+v", whole.Hits[:50])
	}
	if !slices.IsSortedFunc(whole.Hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Error("scores are not in order")
	}
	seen := map[int64]bool{}
	for from := 0; from < n; from += 50 {
		q.Offset, q.Limit = from, 50
		r := find(t, e, q)
		if !sameHits(r.Hits, whole.Hits[from:from+50]) {
			t.Fatalf("the page from %d has %s, want %s", from, ids(r), ids(&search.Result{Hits: whole.Hits[from : from+50]}))
		}
		for _, h := range r.Hits {
			seen[h.AssetID] = true
		}
	}
	if len(seen) != n {
		t.Errorf("%d assets on all pages", len(seen))
	}
}

// dimension of the random vectors
const dimension = 64

// random returns a vector of length one that is a function of the text.
func random(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
	}
	return unit(v)
}

// unit normalizes a vector to length one.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// A large set of assets is searched in parts, with the same result as several small ones.
func TestManyVectors(t *testing.T) {
	t.Parallel()
	const n = 30_000
	s := newService(t, func(texts []string) (list [][]float32, err error) {
		for _, text := range texts {
			list = append(list, random(text))
		}
		return list, nil
	})
	var lib sequence
	vectors := make([]search.Vector, n)
	for id := int64(1); id <= n; id++ {
		a := asset(id, fmt.Sprint("number ", id))
		a.BatchID = 1 + id%3 // three small sets
		v := search.Vector{AssetID: id, Values: random(a.Title)}
		switch {
		case id%20 == 0: // many with the same vector, in all three sets
			v.Values = random("this is about boilerplate")
		case id%20 == 1: // in one class, many with almost the same vector
			v.Values = random("this is about almost")
			v.Values[id%dimension] += 0.05 * float32(1+id%97)
			unit(v.Values)
			a.AssetClassID = 1
		}
		vectors[id-1] = v
		lib = append(lib, dam.Change{Seq: id, AssetID: id, Asset: a})
	}
	e := openWith(t, lib, s.model(t))
	defer e.Close()
	if err := e.PutVectors(t.Context(), vectors); err != nil {
		t.Fatal(err)
	}
	nearness := func(text string, id int64) float64 { return e.Nearness(text, vectors[id-1].Values) }
	meant := func(q dam.Query) (list []int64) {
		t.Helper()
		q.Desc, q.Limit = true, n
		r := find(t, e, q)
		for i, h := range r.Hits {
			if !meantOnly(h) {
				t.Fatalf("%s: %+v", q.Text, h)
			}
			if i > 0 && nearness(q.Text, h.AssetID) > nearness(q.Text, list[i-1])+1e-5 {
				t.Errorf("%s: %d comes after %d and is nearer", q.Text, h.AssetID, list[i-1])
			}
			list = append(list, h.AssetID)
		}
		if r.Meaning != dam.MeaningReady || r.Total != len(list) {
			t.Fatalf("%s: %s, %d of %d", q.Text, r.Meaning, len(list), r.Total)
		}
		return list
	}
	others, err := dam.ParseFilter(`{"type":"filter","field":"asset.asset_class_id","operator":"is_empty"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	most := 0 // maximum number of semantic results
	for _, text := range []string{"one", "two", "three", "four", "five", "boilerplate", "almost"} {
		for _, filter := range []*dam.Filter{nil, others} { // 30,000 and 28,500
			large := meant(dam.Query{Text: text, Filter: filter})
			var small []int64
			for batch := range int64(3) {
				small = append(small, meant(dam.Query{Text: text, Filter: dam.AllOf(filter, narrow(dam.QueryParams{BatchID: 1 + batch}))})...)
			}
			most = max(most, len(large))
			slices.SortFunc(small, func(a, b int64) int { // nearest first, ties newest first
				return cmp.Or(cmp.Compare(nearness(text, b), nearness(text, a)), cmp.Compare(b, a))
			})
			small = small[:min(len(small), len(large))]
			if len(large) == 0 && text == "boilerplate" || !slices.Equal(large, small) {
				t.Errorf("%s, with a filter %v: of 30,000 %d, of three times 10,000 %d:\n%v\n%v",
					text, filter != nil, len(large), len(small), large, small)
			}
			if again := meant(dam.Query{Text: text, Filter: filter}); !slices.Equal(again, large) {
				t.Errorf("%s: the second time %v, before %v", text, again, large)
			}
		}
	}
	if most < 100 {
		t.Errorf("at most %d are found", most)
	}
}

// Codes, numbers, file names, addresses and phrases are searched as written, without
// semantic results; nonsense has none either.
func TestNoMeaning(t *testing.T) {
	t.Parallel()
	e, l, _ := zoo(t)
	l.put(asset(101, "price list AB-1234"), asset(102, "AB-1234"), asset(103, "a dog with the number 1234"),
		asset(104, "call AB 5551234"))
	for _, text := range []string{
		"X-99-Z", "IMG_4711", "DSC01234", "4006381333931", "978-3-16-148410-0", "2024", "INV-2024-0042", "invoice_final.pdf", "report.docx",
		"john.doe@example.com", "SKU-88123", "v2.1.0", "0x7f3a", "550e8400-e29b", "H264", "10.0.0.1", `"puppy"`, `"bird of prey"`,
		"+49 30 123456", "asdfgh qwerty", "xyzzy", "blorf", "zzzz", "hjkl", "kdjfhg", "mnbvcxy", "tztz", "grmbl",
	} {
		if got := byMeaning(t, e, dam.Query{Text: text}); got != "" {
			t.Errorf("%s finds %s", text, got)
		}
	}
	r := find(t, e, dam.Query{Text: "AB-1234", Desc: true})
	if got := ids(r); !strings.HasPrefix(got, "102 101") || r.Matches.Meaning != 0 {
		t.Errorf("AB-1234 finds %s", got)
	}
	for _, text := range []string{"puppy", "2 puppies", "puppy IMG_4711", "PUPPY", `puppy "snow"`} {
		if r := find(t, e, dam.Query{Text: text}); !slices.ContainsFunc(r.Hits, func(h search.Hit) bool {
			return h.AssetID == 1 && slices.Contains(h.MatchedOn, "meaning")
		}) {
			t.Errorf("%s does not find a dog by meaning", text)
		}
	}
}

// The result counts the assets that match by words and those that match by meaning only.
// The latter can be left out, which does not change the order of the others.
func TestMatches(t *testing.T) {
	t.Parallel()
	e, _, _ := zoo(t)
	for text, want := range map[string]dam.Matches{
		"puppy": {Words: 0, Meaning: 1}, "-dog": {Words: 58}, "!": {}, `"dog"`: {Words: 2}, "animals": {Meaning: 1}, "mortgage": {},
		"": {},
	} {
		r := find(t, e, dam.Query{Text: text})
		got := r.Matches
		if got.Words != want.Words || (got.Meaning > 0) != (want.Meaning > 0) || text != "" && got.Words+got.Meaning != r.Total {
			t.Errorf("%s: %+v of %d, want %+v", text, got, r.Total, want)
		}
	}
	with := find(t, e, dam.Query{Text: "dog underwater creatures", Desc: true})
	if with.Matches.Words != 2 || with.Matches.Meaning == 0 {
		t.Fatalf("%+v", with.Matches)
	}
	kept := slices.DeleteFunc(with.Hits, meantOnly)
	q := dam.Query{Text: "dog underwater creatures", Desc: true, WordsOnly: true}
	if without := find(t, e, q); !sameHits(without.Hits, kept) || without.Matches != (dam.Matches{Words: 2}) || without.Total != 2 {
		t.Errorf("%+v of %+v, want %+v", without.Hits, without.Matches, kept)
	}
	for want, q := range map[int]dam.Query{2: q, with.Total: {Text: "dog underwater creatures"}} {
		all, _, err := e.IDs(t.Context(), q, search.Scope{})
		if err != nil || len(all) != want {
			t.Errorf("%v, %v: want %d", all, err, want)
		}
		o, err := e.Outline(t.Context(), q, search.Scope{}, 0)
		if err != nil || o.Total != want {
			t.Errorf("%+v, %v: want %d", o, err, want)
		}
	}
}
