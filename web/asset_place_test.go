package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Invalid ratings, locations, focal points and usage dates are reported at their members,
// and nothing is written.
func TestAssetFieldsAreChecked(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := assets + "/" + s.one(t, "a.jpg", picture(1, 40, 30))
	for _, tt := range []struct{ body, field, told string }{
		{`{"rating":6}`, "rating", "5"},
		{`{"rating":-1}`, "rating", "0"},
		{`{"rating":2.5}`, "rating", "integer"},
		{`{"location":{"latitude":90.1,"longitude":0}}`, "location.latitude", "90"},
		{`{"location":{"latitude":0,"longitude":-180.5}}`, "location.longitude", "180"},
		{`{"location":{"latitude":12}}`, "location.longitude", "required with"},
		{`{"location":{"longitude":12}}`, "location.latitude", "required with"},
		{`{"location":{"place":"` + strings.Repeat("x", 1001) + `"}}`, "location.place", "1000"},
		{`{"location":{"town":"Rome"}}`, "location.town", "no field"},
		{`{"location":"Rome"}`, "location", "object"},
		{`{"focal_point":{"x":0.5}}`, "focal_point.y", "required"},
		{`{"focal_point":{"x":0.5,"y":1.01}}`, "focal_point.y", "1"},
		{`{"usage_from":"2026-05-01T00:00:00Z","usage_until":"2026-05-01T00:00:00Z"}`, "usage_until", "after usage_from"},
		{`{"usage_until":"soon"}`, "usage_until", "date"},
		{`{"description":"` + strings.Repeat("x", 10_001) + `"}`, "description", "10000"},
		{`{"usage_terms":"` + strings.Repeat("x", 10_001) + `"}`, "usage_terms", "10000"},
	} {
		if a := s.do(t, "PUT", path, tt.body).want(t, 422); !strings.Contains(a.told(tt.field), tt.told) {
			t.Errorf("%.60s: %s, want %s: %s", tt.body, a, tt.field, tt.told)
		}
	}
	if a := s.do(t, "GET", path, ""); a.get("data.version") != 1.0 || a.get("data.location") != nil || a.get("data.rating") != nil {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", path, `{"usage_from":"2026-05-01T00:00:00Z"}`).want(t, 200)
	if a := s.do(t, "PUT", path, `{"usage_until":"2026-04-30T00:00:00Z"}`).want(t, 422); a.told("usage_until") == "[]" {
		t.Errorf("%s", a)
	}
}

// Changing a location keeps the members that are not named. Null clears a member; a
// location without members is removed.
func TestLocationIsChangedByMember(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := assets + "/" + s.one(t, "a.jpg", picture(1, 40, 30))
	for _, step := range [][2]string{
		{`{"location":{"latitude":53.5,"longitude":-10}}`, "map[latitude:53.5 longitude:-10 place:<nil>]"},
		{`{"location":{"place":" Hamburg "}}`, "map[latitude:53.5 longitude:-10 place:Hamburg]"},
		{`{"location":{}}`, "map[latitude:53.5 longitude:-10 place:Hamburg]"},
		{`{"location":{"latitude":0,"longitude":0}}`, "map[latitude:0 longitude:0 place:Hamburg]"},
		{`{"location":{"latitude":null,"longitude":null}}`, "map[latitude:<nil> longitude:<nil> place:Hamburg]"},
		{`{"location":{"place":null}}`, "<nil>"},
		{`{"location":{"place":"Rome"}}`, "map[latitude:<nil> longitude:<nil> place:Rome]"},
		{`{"location":null}`, "<nil>"},
	} {
		a := s.do(t, "PUT", path, step[0]).want(t, 200)
		if got := fmt.Sprint(a.get("data.location")); got != step[1] {
			t.Errorf("%s: %s, want %s", step[0], got, step[1])
		}
		if again := s.do(t, "GET", path, "").get("data.location"); fmt.Sprint(again) != step[1] {
			t.Errorf("%s: %v, want %s", step[0], again, step[1])
		}
	}
}

// Sorting, counting and filtering distinguish a rating of 0 from none. An unlimited usage
// period sorts after limited ones.
func TestRatingAndUsageInLists(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	for i, body := range []string{
		`{"title":"A","rating":0}`, `{"title":"B","rating":5,"usage_until":"2027-01-01T00:00:00Z"}`, `{"title":"C"}`,
		`{"title":"D","rating":5,"usage_until":"2026-01-01T00:00:00Z"}`,
	} {
		s.do(t, "PUT", assets+"/"+s.one(t, fmt.Sprint(i, ".jpg"), picture(i+1, 40, 30)), body).want(t, 200)
	}
	for query, want := range map[string]string{
		"sort_by=rating":                          "D B A C",
		"sort_by=rating&sort_direction=asc":       "C A B D",
		"sort_by=usage_until":                     "D B A C",
		"sort_by=usage_until&sort_direction=desc": "C A B D",
		"sort_by=title&filters=" + url.QueryEscape(rule("asset.rating", "equals", "0")):                                   "A",
		"sort_by=title&filters=" + url.QueryEscape(`{"type":"filter","field":"asset.rating","operator":"is_empty"}`):      "C",
		"sort_by=title&filters=" + url.QueryEscape(rule("asset.usage_until", "less_than", `"2026-06-01"`)):                "D",
		"sort_by=title&filters=" + url.QueryEscape(`{"type":"filter","field":"asset.usage_until","operator":"is_empty"}`): "A C",
	} {
		if got := titles(t, s.do(t, "GET", assets+"?"+query, "")); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	a := s.do(t, "GET", assets+"?facets=rating", "").want(t, 200)
	if got := fmt.Sprint(a.get("meta.facets.rating")); got != "[map[count:2 value:5] map[count:1 value:0]]" {
		t.Errorf("the ratings are %s", got)
	}
}

// Words in the description, the place and the usage terms match searches and are
// highlighted.
func TestNewTextsAreSearched(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	path := assets + "/" + s.one(t, "a.jpg", picture(1, 40, 30))
	s.do(t, "PUT", path, `{"description":"Two quartz dials.\n\nOn a table.","location":{"place":"Glashütte"},
		"usage_terms":"Editorial only"}`).want(t, 200)
	for q, want := range map[string]string{
		"dial":      "description Two quartz <mark>dials</mark>.",
		"glashutte": "place <mark>Glashütte</mark>",
		"editorial": "usage_terms <mark>Editorial</mark> only",
	} {
		a := s.search(t, "q", q).want(t, 200)
		got := fmt.Sprint(a.get("data.0.matched_on.0"), " ", a.get("data.0.highlights.0.html"))
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	for _, field := range []string{"asset.description", "asset.place", "asset.usage_terms"} {
		word := map[string]string{"asset.description": `"quartz"`, "asset.place": `"glashutte"`, "asset.usage_terms": `"editorial"`}[field]
		for _, operator := range []string{"contains", "hybrid_search", "exact_search"} {
			if n := s.filterTotal(t, field, operator, word); n != 1.0 {
				t.Errorf("%s %s finds %v", field, operator, n)
			}
		}
	}
}
