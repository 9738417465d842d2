package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestVocabulary(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	a := s.do(t, "POST", vocabulariesPath, `{"key":"regions","name":" Regions ","description":"Where"}`).want(t, 201)
	path := fmt.Sprintf("%s/%v", vocabulariesPath, a.get("data.id"))
	if a.get("data.name") != "Regions" || a.get("data.description") != "Where" || a.get("data.terms_count") != 0.0 {
		t.Errorf("%s", a)
	}
	for _, p := range []string{path, vocabulariesPath + "/regions"} {
		if b := s.do(t, "GET", p, "").want(t, 200); string(b.body) != string(a.body) {
			t.Errorf("%s: %s", p, b)
		}
	}
	s.do(t, "POST", vocabulariesPath, `{"key":"animals","name":"animals"}`).want(t, 201)
	if b := s.do(t, "GET", vocabulariesPath, ""); names(b, "key") != "animals regions" || b.get("meta.total") != 2.0 {
		t.Errorf("%s", b)
	}
	for body, field := range map[string]string{
		`{"key":"regions","name":"x"}`:      "key",
		`{"key":"a-b","name":"x"}`:          "key",
		`{"key":"12","name":"x"}`:           "key",
		`{"key":"x","name":" "}`:            "name",
		`{"key":"x"}`:                       "name",
		`{"key":"x","name":"x","terms":[]}`: "terms",
	} {
		if b := s.do(t, "POST", vocabulariesPath, body).want(t, 422); b.get("errors").(map[string]any)[field] == nil {
			t.Errorf("%s: %s", body, b)
		}
	}
	a = s.do(t, "PUT", path, `{"name":"Places","description":null}`).want(t, 200)
	if a.get("data.name") != "Places" || a.get("data.description") != nil || a.get("data.key") != "regions" {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", path, `{"key":"places"}`).want(t, 422)
	s.define(t, `{"key":"region","label":"Region","type":"term","vocabulary_id":1}`)
	if b := s.do(t, "DELETE", path, "").want(t, 409); b.get("message") != "The vocabulary regions is used by the field region." {
		t.Errorf("%s", b)
	}
	s.do(t, "DELETE", fieldsPath+"/region", "").want(t, 200)
	s.do(t, "DELETE", path, "").want(t, 200)
	for _, p := range []string{path, path + "/terms", path + "/terms/1", vocabulariesPath + "/regions"} {
		if b := s.do(t, "GET", p, "").want(t, 404); b.get("message") != "Vocabulary not found." {
			t.Errorf("%s", b)
		}
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, ids := s.vocabulary(t, "regions", "eu=Europe", "as=Asia", "fr=France<eu", "de=Germany<eu", "paris=Paris<fr")
	path := vocabulariesPath + "/regions/terms"
	term := func(key string) string { return fmt.Sprintf("%s/%v", path, ids[key]) }
	a := s.do(t, "GET", path, "").want(t, 200)
	if names(a, "key") != "eu fr paris de as" || a.get("meta.total") != 5.0 {
		t.Errorf("%s", a)
	}
	if a.get("data.1.parent_id") != ids["eu"] || a.get("data.0.parent_id") != nil {
		t.Errorf("%s", a)
	}
	for query, want := range map[string]string{
		"per_page=2&page=2": "paris de",
		"q=AN":              "fr de",
		"q=eu":              "eu",
		"top=true":          "eu as",
		"is_active=0":       "",

		fmt.Sprintf("parent_id=%v", ids["eu"]):       "fr de",
		fmt.Sprintf("parent_id=%v&q=ger", ids["eu"]): "de",
	} {
		if got := names(s.do(t, "GET", path+"?"+query, "").want(t, 200), "key"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	// Positions, activity and moves.
	s.do(t, "PUT", term("de"), `{"position":0,"is_active":false}`).want(t, 200)
	s.do(t, "PUT", term("fr"), `{"position":1}`).want(t, 200)
	s.do(t, "PUT", term("as"), `{"position":0}`).want(t, 200) // the same as Europe's: sorted by label
	if got := names(s.do(t, "GET", path, ""), "key"); got != "as eu de fr paris" {
		t.Errorf("%s", got)
	}
	if got := names(s.do(t, "GET", path+"?is_active=true", ""), "key"); got != "as eu fr paris" {
		t.Errorf("%s", got)
	}
	s.do(t, "PUT", term("fr"), fmt.Sprintf(`{"parent_id":%v}`, ids["as"])).want(t, 200)
	if got := names(s.do(t, "GET", path, ""), "key"); got != "as fr paris eu de" {
		t.Errorf("%s", got)
	}
	if a := s.do(t, "PUT", term("fr"), `{"parent_id":null}`).want(t, 200); a.get("data.parent_id") != nil {
		t.Errorf("%s", a)
	}
	other, more := s.vocabulary(t, "other", "x")
	for _, c := range []struct{ method, path, body, field string }{
		{"POST", path, `{"label":"x"}`, "key"}, {"POST", path, `{"key":"x"}`, "label"},
		{"POST", path, `{"key":"fr","label":"x"}`, "key"}, {"POST", path, `{"key":"Fr","label":"x"}`, "key"},
		{"POST", path, `{"key":"x","label":""}`, "label"},
		{"POST", path, `{"key":"x","label":"x","parent_id":999}`, "parent_id"},
		{"POST", path, fmt.Sprintf(`{"key":"x","label":"x","parent_id":%v}`, more["x"]), "parent_id"},
		{"PUT", term("fr"), fmt.Sprintf(`{"parent_id":%v}`, ids["fr"]), "parent_id"},
		{"PUT", term("fr"), fmt.Sprintf(`{"parent_id":%v}`, ids["paris"]), "parent_id"},
		{"PUT", term("fr"), `{"key":"x"}`, "key"}, {"PUT", term("fr"), `{"position":-1}`, "position"},
	} {
		if a := s.do(t, c.method, c.path, c.body).want(t, 422); a.get("errors").(map[string]any)[c.field] == nil {
			t.Errorf("%s: %s", c.body, a)
		}
	}
	// Nesting limit.
	last := ids["paris"] // at depth 2
	for i := range 8 {
		last = s.do(t, "POST", path, fmt.Sprintf(`{"key":"d%d","label":"x","parent_id":%v}`, i, last)).want(t, 201).get("data.id")
	}
	for _, request := range [][3]string{
		{"POST", path, fmt.Sprintf(`{"key":"d8","label":"x","parent_id":%v}`, last)},
		{"PUT", term("fr"), fmt.Sprintf(`{"parent_id":%v}`, ids["eu"])},
	} {
		if a := s.do(t, request[0], request[1], request[2]).want(t, 422); a.get("errors.parent_id.0") != "Terms can be at most 10 deep." {
			t.Errorf("%s", a)
		}
	}
	if a := s.do(t, "DELETE", term("fr"), "").want(t, 409); !strings.Contains(a.get("message").(string), "terms below it") {
		t.Errorf("%s", a)
	}
	s.do(t, "DELETE", term("de"), "").want(t, 200)
	if a := s.do(t, "GET", term("de"), "").want(t, 404); a.get("message") != "Term not found." {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", fmt.Sprintf("%s/%v/terms/%v", vocabulariesPath, other, ids["fr"]), "").want(t, 404)
}

// Renaming a term takes effect everywhere; a term in use cannot be deleted.
func TestTermInUse(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, ids := s.vocabulary(t, "regions", "eu=Europe", "fr=Frankreich<eu", "de=Deutschland<eu", "jp=Japan", "old=Prussia")
	s.define(t, fmt.Sprintf(`{"key":"region","label":"Region","type":"term","vocabulary_id":%v}`, v))
	s.define(t, fmt.Sprintf(`{"key":"seen","label":"Seen","type":"terms","vocabulary_id":%v}`, v))
	one, two := s.one(t, "a.jpg", picture(1, 40, 30)), s.one(t, "b.jpg", picture(2, 40, 30))
	s.do(t, "PUT", "/api/v1/assets/"+one+"/metadata", `{"region":"fr","seen":["de","jp"]}`).want(t, 200)
	s.do(t, "PUT", "/api/v1/assets/"+two+"/metadata", `{"region":"jp","seen":["fr"]}`).want(t, 200)
	total := func(q string) any {
		return s.do(t, "GET", "/api/v1/assets?q="+url.QueryEscape(q), "").want(t, 200).get("meta.total")
	}
	if total("frankreich") != 2.0 || total("deutschland") != 1.0 || total("france") != 0.0 {
		t.Errorf("labels are not found: %v %v", total("frankreich"), total("deutschland"))
	}
	version := s.do(t, "GET", "/api/v1/assets/"+one, "").Header.Get("ETag")
	s.do(t, "PUT", fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids["fr"]), `{"label":"France"}`).want(t, 200)
	if total("frankreich") != 0.0 || total("france") != 2.0 {
		t.Errorf("after the new name: %v by the old, %v by the new", total("frankreich"), total("france"))
	}
	a := s.do(t, "GET", "/api/v1/assets?q=france&facets=metadata.region,metadata.seen", "").want(t, 200)
	facets := map[string]string{}
	for _, f := range []string{"region", "seen"} {
		var list []string
		for _, x := range a.get("meta.facets").(map[string]any)["metadata."+f].([]any) {
			m := x.(map[string]any)
			list = append(list, fmt.Sprint(m["value"], " ", m["label"], " ", m["count"]))
		}
		slices.Sort(list)
		facets[f] = strings.Join(list, ", ")
	}
	if facets["region"] != "fr France 1, jp Japan 1" || facets["seen"] != "de Deutschland 1, fr France 1, jp Japan 1" {
		t.Errorf("facets: %v", facets)
	}
	if !strings.Contains(string(a.body), `<mark>France</mark>`) {
		t.Errorf("no highlight: %s", a)
	}
	if now := s.do(t, "GET", "/api/v1/assets/"+one, ""); now.Header.Get("ETag") != version || now.get("data.metadata.region") != "fr" {
		t.Errorf("a new label changed the asset: %s", now.body)
	}
	for _, c := range []struct {
		field, operator, value string
		want                   float64
	}{
		{"metadata.region", "equals", `"fr"`, 1}, {"metadata.region", "equals", `"FRANCE"`, 1}, {"metadata.region", "equals", `"eu"`, 0},
		{"metadata.region", "in", `["eu"]`, 1}, {"metadata.region", "in", `["Europe","jp"]`, 2}, {"metadata.region", "contains", `"eu"`, 1},
		{"metadata.region", "not_in", `["eu"]`, 1}, {"metadata.region", "not_equals", `"fr"`, 1}, {"metadata.region", "not_contains", `"eu"`, 1},
		{"metadata.seen", "contains", `"eu"`, 2}, {"metadata.seen", "in", `["jp"]`, 1}, {"metadata.seen", "equals", `["jp","Deutschland"]`, 1},
		{"metadata.seen", "equals", `"de"`, 0}, {"metadata.seen", "is_empty", `null`, 0}, {"metadata.region", "is_not_empty", `null`, 2},
	} {
		if got := s.filterTotal(t, c.field, c.operator, c.value); got != c.want {
			t.Errorf("%s %s %s finds %v, want %v", c.field, c.operator, c.value, got, c.want)
		}
	}
	term := fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids["fr"])
	a = s.do(t, "DELETE", term, "").want(t, 409)
	if !strings.HasPrefix(a.get("message").(string), "2 assets have the term fr; a term in use cannot be deleted.") {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", term, `{"is_active":false}`).want(t, 200)
	s.do(t, "PUT", "/api/v1/assets/"+one+"/metadata", `{"seen":["fr"]}`).want(t, 422)
	s.do(t, "PUT", "/api/v1/assets/"+two+"/metadata", `{"seen":["fr","de"]}`).want(t, 200) // values that the asset already has are kept
	s.do(t, "DELETE", fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids["old"]), "").want(t, 200)
	s.do(t, "PUT", fieldsPath+"/region", `{"default_value":"de"}`).want(t, 200)
	s.do(t, "PUT", "/api/v1/assets/"+one+"/metadata", `{"seen":null}`).want(t, 200)
	s.do(t, "PUT", "/api/v1/assets/"+two+"/metadata", `{"seen":null}`).want(t, 200)
	a = s.do(t, "DELETE", fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids["de"]), "").want(t, 409)
	if a.get("message") != "The term de is the default of the field region." {
		t.Errorf("%s", a)
	}
}
