package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
)

// street returns titles about many subjects.
func street() []string {
	return []string{
		"a red car in the rain", "cars on a wide road", "an automobile of the twenties", "a dog at the fence", "two dogs and a ball",
		"shop window at night", "woman with an umbrella", "a tooth after the treatment", "the dentist and her patient",
		"children on their way to school", "bakery with fresh bread", "old man on a bench", "market stall with apples",
		"tram at the terminal", "snow on the church roof", "bridge over the canal", "painter on a ladder", "flowers on a balcony",
		"police officer at a crossing", "the mayor opens the library", "concert in the park", "a boat below the bridge",
		"street lamps in fog", "kitchen of a restaurant", "people waiting for the bus",
	}
}

// openStreet opens a library in a language, without embeddings if model is nil.
func openStreet(t *testing.T, language string, model search.Embedder) *search.Engine {
	t.Helper()
	l := newLibrary()
	var all []*dam.Asset
	for i, title := range street() {
		all = append(all, asset(int64(i+1), title))
	}
	l.put(all...)
	e, err := search.OpenIn(context.Background(), t.TempDir(), language, l, model, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	e.MeaningReady()
	e.MeaningRead(math.MaxInt64)
	if model != nil {
		understand(t, e, model, all...)
	}
	return e
}

// bySynonyms returns the assets that a query finds by synonyms, oldest first.
func bySynonyms(t *testing.T, e *search.Engine, q dam.Query) string {
	t.Helper()
	q.Sort = dam.SortCreatedAt
	var list []string
	for _, h := range find(t, e, q).Hits {
		if slices.Contains(h.MatchedOn, "synonym") {
			if !slices.Equal(h.MatchedOn, []string{"synonym", "meaning"}) {
				t.Errorf("%s finds %d on %s", q.Text, h.AssetID, h.MatchedOn)
			}
			list = append(list, fmt.Sprint(h.AssetID))
		}
	}
	return strings.Join(list, " ")
}

// A word finds assets with a synonym, if it has the same meaning there, and the result
// says so.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	model := textvec.NewLite(2)
	e := openStreet(t, "en", model)
	for _, tt := range []struct {
		q    dam.Query
		want string
	}{
		{dam.Query{Text: "automobile"}, "1 2"},
		{dam.Query{Text: "automobiles"}, "1 2"},
		{dam.Query{Text: "AUTOMOBILE"}, "1 2"},
		{dam.Query{Text: "canine"}, "4 5 8"}, // also a kind of tooth
		{dam.Query{Text: "mutt"}, "4 5"},
		{dam.Query{Text: "vessel"}, "22"},
		{dam.Query{Text: "automobile", WordsOnly: true}, ""},
		{dam.Query{Text: `"automobile"`}, ""},
		{dam.Query{Text: "title:automobile"}, ""},
		{dam.Query{Text: "automobile -rain"}, "2"},
		{dam.Query{Text: "canine tram"}, ""},
		{dam.Query{Text: "xyzzy"}, ""},
		{dam.Query{Text: "AB-1234"}, ""},
	} {
		if got := bySynonyms(t, e, tt.q); got != tt.want {
			t.Errorf("%+v finds %q, want %q", tt.q, got, tt.want)
		}
	}
	r := find(t, e, dam.Query{Text: "automobile", Desc: true, Sort: dam.SortRelevance})
	if r.Hits[0].AssetID != 3 || r.Matches.Words != 1 || r.Matches.Meaning < 2 {
		t.Errorf("automobile: %+v of %+v; the word itself comes first", r.Hits, r.Matches)
	}
	if got := bySynonyms(t, openStreet(t, "de", model), dam.Query{Text: "automobile"}); got != "" {
		t.Errorf("in a German library: %s", got)
	}
	if got := bySynonyms(t, openStreet(t, "en", nil), dam.Query{Text: "automobile"}); got != "" {
		t.Errorf("without meanings: %s", got)
	}
}
