package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// querier generates the requests to measure: with different words and values each time, so
// that caches do not help, and in the same order for the same seed.
type querier struct {
	rnd     *rand.Rand
	text    *textMaker
	gaids   []dam.GAID
	all     int    // number of assets in the library
	filters string // replaces the three filters unless ""
	facets  string
}

// benchClass is a kind of request.
type benchClass struct {
	name, about string
	path        func(q *querier) string
	narrow      bool // never matches all assets
}

func benchClasses() []benchClass {
	// Offset 10,000 is page 201 of 50.
	page := func(p url.Values) string { p.Set("per_page", "50"); return "/assets?" + p.Encode() }
	text := func(n int) func(*querier) string {
		return func(q *querier) string { return page(url.Values{"q": {strings.Join(q.words(n), " ")}}) }
	}
	return []benchClass{
		{"list", "the newest assets", func(*querier) string { return page(url.Values{}) }, false},
		{"q1", "one word: rare, medium or common", text(1), false},
		{"q2", "two words", text(2), false},
		{"q3", "three words", text(3), false},
		{"sentence", "a sentence about a picture, with stop words", func(q *querier) string {
			return page(url.Values{"q": {q.text.caption()}})
		}, false},
		{"filters", "3 filters, by title", func(q *querier) string {
			return page(url.Values{"filters": {q.threeFilters()}, "sort_by": {"title"}})
		}, true},
		{"text+filters", "a common word and 3 filters", func(q *querier) string {
			return page(url.Values{"q": {q.common()}, "filters": {q.threeFilters()}})
		}, true},
		{"metadata", "a custom field and a collection", func(q *querier) string {
			return page(url.Values{"filters": {q.metadataFilter()}})
		}, true},
		{"offset", "the list from 10,000 on, by title", func(*querier) string {
			return page(url.Values{"page": {"201"}, "sort_by": {"title"}})
		}, false},
		{"text+offset", "a common word, from 10,000 on", func(q *querier) string {
			return page(url.Values{"q": {q.common()}, "page": {"201"}})
		}, false},
		{"colour", "a colour and similar ones", func(q *querier) string {
			return page(url.Values{"filters": {q.colorFilter()}})
		}, true},
		{"facets", "a common word with facets", func(q *querier) string {
			return page(url.Values{"q": {q.common()}, "facets": {q.facets}})
		}, false},
		{"similar", "assets similar to one", func(q *querier) string {
			return "/assets/" + string(pick(q.rnd, q.gaids)) + "/similar?per_page=50"
		}, false},
		{"outline", "the outline of the list, by title", func(*querier) string { return "/assets/outline?sort_by=title" }, false},
		{"suggestions", "completions of a word", func(q *querier) string {
			word := []rune(q.common())
			return "/suggestions?" + url.Values{"q": {string(word[:min(3, len(word))])}}.Encode()
		}, false},
		{"duplicates", "near duplicates within a distance", func(q *querier) string {
			return fmt.Sprintf("/duplicates?per_page=10&distance=%d", q.rnd.IntN(7))
		}, false},
	}
}

// chosenClasses returns the classes with the given names, or all if none are given.
func chosenClasses(only []string) ([]benchClass, error) {
	all := benchClasses()
	if len(only) == 0 {
		return all, nil
	}
	var chosen []benchClass
	for _, name := range only {
		i := slices.IndexFunc(all, func(c benchClass) bool { return c.name == name })
		if i < 0 {
			return nil, usagef("--only: there is no class %q of requests", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func classList() (text string) {
	for _, c := range benchClasses() {
		text += fmt.Sprintf("  %-13s %s\n", c.name, c.about)
	}
	return text
}

// ask sends one request of a class.
func (c *benchClass) ask(ctx context.Context, client *benchClient, q *querier) (took time.Duration, found int, err error) {
	path := c.path(q)
	data, took, err := client.call(ctx, "GET", path, nil)
	if err != nil {
		return took, 0, err
	}
	if c.name == "outline" {
		var o struct{ Data struct{ Total int } }
		err = json.Unmarshal(data, &o)
		return took, o.Data.Total, err
	}
	var l assetList
	err = json.Unmarshal(data, &l)
	// A server ignores unknown parameters, so check that these had an effect.
	switch {
	case err != nil:
	case c.name == "facets" && !bytes.Contains(data, []byte(`"facets"`)):
		err = errors.New("GET " + path + ": the answer has no facets")
	case c.narrow && q.filters == "" && l.Meta.Total == q.all:
		err = errors.New("GET " + path + ": the filters left out no asset")
	}
	return took, l.Meta.Total, err
}

func (q *querier) common() string { return q.text.wordOf(q.rnd, commonWords) }

// words returns n words, each rare, medium or common.
func (q *querier) words(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = q.text.wordOf(q.rnd, pick(q.rnd, []band{rareWords, mediumWords, commonWords}))
	}
	return words
}

// rule is a filter rule of the API.
type rule struct {
	Type     string `json:"type"`
	Field    string `json:"field,omitempty"`
	Operator string `json:"operator"`
	Value    any    `json:"value,omitempty"`
	Rules    []rule `json:"rules,omitempty"`
}

func is(field, operator string, value any) rule {
	return rule{Type: "filter", Field: field, Operator: operator, Value: value}
}

func allOf(rules ...rule) string {
	b, err := json.Marshal(rule{Type: "group", Operator: "and", Rules: rules})
	if err != nil {
		panic(err) // cannot happen: the values are texts and numbers
	}
	return string(b)
}

func (q *querier) threeFilters() string {
	if q.filters != "" {
		return q.filters
	}
	return allOf(
		is("asset.file_category", "equals", pick(q.rnd, []string{"Image", "Image", "Video", "Document"})),
		is("asset.workflow_status", "in", pick(q.rnd, [][]string{{"approved"}, {"approved", "in_review"}, {"draft", "approved"}})),
		is("asset.file_size", "greater_than", 10_000*(1+q.rnd.IntN(100))),
	)
}

func (q *querier) metadataFilter() string {
	return allOf(
		is("metadata.region", "in", []string{pick(q.rnd, benchRegions()), pick(q.rnd, benchRegions())}),
		is("asset.collections", "in", []int{1 + q.rnd.IntN(20)}),
	)
}

func (q *querier) colorFilter() string {
	return allOf(is("asset.colors", "color_near", map[string]any{
		"color": fmt.Sprintf("#%06x", q.rnd.IntN(1<<24)), "distance": 10 + q.rnd.IntN(11),
	}))
}
