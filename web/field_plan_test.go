package web_test

import (
	"fmt"
	"testing"
)

// The effect of a change to a field can be previewed without changing anything.
func TestPlanField(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 3)
	s.define(t, `{"key":"place","label":"Place","type":"text"}`)
	s.define(t, `{"key":"year","label":"Year","type":"text"}`)
	s.do(t, "PUT", assets+"/"+g[0]+"/metadata", `{"year":"1920"}`).want(t, 200)
	s.do(t, "PUT", assets+"/"+g[1]+"/metadata", `{"year":"about 1920"}`).want(t, 200)
	id := idOf(s.collection(t, `{"name":"Old","rules":{"type":"filter","field":"metadata.year","operator":"starts_with","value":"19"}}`))
	plan := func(body, want string) {
		t.Helper()
		a := s.do(t, "POST", fieldsPath+"/year/plan", body).want(t, 200)
		if got := fmt.Sprint(a.get("data")); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	const nothing = "map[assets_count:2 collections:[] example:<nil> losing_count:0]"
	broken := "collections:[map[id:" + id + " name:Old]]"
	plan(`{"change":{}}`, nothing)
	plan(`{"change":{"label":"Made in","type":"long_text"}}`, nothing)
	plan(`{"change":{"type":"integer"}}`, "map[assets_count:2 "+broken+` example:"about 1920" losing_count:1]`)
	plan(`{"change":{"is_filterable":false}}`, "map[assets_count:2 "+broken+" example:<nil> losing_count:0]")
	plan(`{}`, "map[assets_count:2 "+broken+" example:<nil> losing_count:2]")
	if a := s.do(t, "POST", fieldsPath+"/year/plan", `{"change":{"type":"term"}}`).want(t, 422); a.told("vocabulary_id") == "" {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", fieldsPath+"/month/plan", `{"change":{}}`).want(t, 404)
	if a := s.do(t, "GET", fieldsPath+"/year", "").want(t, 200); a.get("data.type") != "text" || a.get("data.label") != "Year" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", assets+"/"+g[1], "").want(t, 200); a.get("data.metadata.year") != "about 1920" {
		t.Errorf("%s", a)
	}
}
