package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Stored rules refer to terms by their keys, so that a new label changes nothing, and
// definitions that rules depend on cannot be removed unnoticed.
func TestRulesAndDefinitions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const filter = `{"type":"filter","field":"metadata.%s","operator":"%s","value":%s}`
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	s.do(t, "PUT", asset+"/metadata", `{"mood":"calm"}`).want(t, 200)
	mood := s.do(t, "POST", "/api/v1/collections", `{"name":"Calm","rules":`+fmt.Sprintf(filter, "mood", "equals", `"calm"`)+`}`).want(t, 201)

	// The first field definition ends free-form metadata, which rules may depend on.
	v, ids := s.vocabulary(t, "regions", "eu=Europe", "fr=Frankreich<eu", "de=Deutschland<eu")
	region := fmt.Sprintf(`{"key":"region","label":"x","type":"term","vocabulary_id":%v}`, v)
	want := fmt.Sprintf("The rules of the collection %v would find nothing: There is no metadata field mood. "+
		"Change the rules first, or send force=true.", mood.get("data.id"))
	if a := s.do(t, "POST", fieldsPath, region).want(t, 409); a.get("message") != want {
		t.Errorf("%s", a)
	}
	s.define(t, `{"key":"mood","label":"Mood","type":"text"}`)
	s.define(t, region)
	for _, change := range []string{`{"is_filterable":false}`, `{"type":"boolean"}`} {
		s.do(t, "PUT", fieldsPath+"/mood", change).want(t, 409)
	}
	s.do(t, "PUT", fieldsPath+"/mood", `{"label":"Feeling"}`).want(t, 200)

	// Terms by key.
	s.do(t, "PUT", asset+"/metadata", `{"region":"fr"}`).want(t, 200)
	for _, kept := range [][2]string{
		{"/api/v1/saved-searches", `{"name":"x","query":{"filters":%s}}`},
		{"/api/v1/collections", `{"name":"x","rules":%s}`},
	} {
		path, body := kept[0], kept[1]
		a := s.do(t, "POST", path, fmt.Sprintf(body, fmt.Sprintf(filter, "region", "in", `["de","frankreich"]`))).want(t, 422)
		if !strings.Contains(string(a.body), `has to be named by its key, such as \"fr\": a label can change.`) {
			t.Errorf("%s", a)
		}
		a = s.do(t, "POST", path, fmt.Sprintf(body, fmt.Sprintf(filter, "region", "in", `["fr","eu"]`))).want(t, 201)
		if path == "/api/v1/collections" {
			id := a.get("data.id")
			fr := fmt.Sprintf("%s/%v/terms/%v", vocabulariesPath, v, ids["fr"])
			s.do(t, "PUT", fr, `{"label":"France"}`).want(t, 200)
			if a := s.do(t, "GET", fmt.Sprintf("%s/%v/assets", path, id), ""); a.get("meta.total") != 1.0 {
				t.Errorf("after a new label: %s", a)
			}
			s.do(t, "PUT", asset+"/metadata", `{"region":null}`).want(t, 200)
			a := s.do(t, "DELETE", fr, "").want(t, 409)
			if !strings.Contains(a.get("message").(string), `has no term "fr". Change the rules first.`) {
				t.Errorf("%s", a)
			}
			s.do(t, "DELETE", fmt.Sprintf("%s/%v/terms/%v", vocabulariesPath, v, ids["de"]), "").want(t, 200) // matches only below eu
			s.do(t, "DELETE", fieldsPath+"/region", "").want(t, 409)
		}
	}
	if n := s.filterTotal(t, "metadata.region", "in", `["france"]`); n != 0.0 { // requests may use labels
		t.Errorf("a label finds %v", n)
	}
	s.do(t, "DELETE", fieldsPath+"/mood?force=true", "").want(t, 200)
}

// A term that an open upload batch assigns to its files cannot be deleted before the batch
// is complete.
func TestTermOfOpenBatch(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, ids := s.vocabulary(t, "regions", "fr=France", "de=Germany", "it=Italy")
	s.define(t, fmt.Sprintf(`{"key":"main_region","label":"x","type":"term","vocabulary_id":%v}`, v))
	s.define(t, fmt.Sprintf(`{"key":"seen_in","label":"x","type":"terms","vocabulary_id":%v}`, v))
	batch := s.batch(t, `{"metadata":{"main_region":"fr","seen_in":["de"]}}`)
	for _, key := range []string{"fr", "de"} {
		a := s.do(t, "DELETE", fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids[key]), "").want(t, 409)
		if a.get("message") != "1 upload batch that has not ended gives the term "+key+" to its files." {
			t.Errorf("%s", a)
		}
	}
	s.do(t, "DELETE", fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids["it"]), "").want(t, 200)
	s.push(t, batch, upload{"b.jpg", picture(2, 40, 30)}).want(t, 201)
	s.finish(t, batch)
	if a := s.do(t, "GET", "/api/v1/assets", ""); fmt.Sprint(a.get("data.0.metadata")) != "map[main_region:fr seen_in:[de]]" {
		t.Errorf("%s", a)
	}
}

// Rules that expand to too many terms are refused before the search.
func TestFilterTerms(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.terms(t, "big", 5000)
	s.define(t, `{"key":"x","label":"x","type":"term","vocabulary_id":1}`)
	rules := func(n int) string {
		rule := `{"type":"filter","field":"metadata.x","operator":"in","value":["root"]}`
		return `{"type":"group","operator":"or","rules":[` + strings.TrimSuffix(strings.Repeat(rule+",", n), ",") + `]}`
	}
	s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(rules(10)), "").want(t, 200)
	a := s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(rules(50)), "").want(t, 422)
	if !strings.Contains(a.told("filters.rules.39.value"), "more than 200000 terms") {
		t.Errorf("%s", a)
	}
}

// Every type of metadata field can be defined: the document lists it and the database
// accepts it.
func TestEveryFieldType(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	vocabulary, _ := s.vocabulary(t, "regions", "fr=France")
	for _, kind := range dam.FieldType("").Values() {
		body := fmt.Sprintf(`{"key":"of_%s","label":"x","type":%q`, kind, kind)
		if kind == dam.FieldTerm || kind == dam.FieldTerms {
			body += fmt.Sprintf(`,"vocabulary_id":%v`, vocabulary)
		}
		if a := s.do(t, "POST", fieldsPath, body+"}"); a.StatusCode != 201 || a.get("data.type") != string(kind) {
			t.Errorf("%s: %d %v", kind, a.StatusCode, a.get("message"))
		}
	}
}
