package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Before the first definition, metadata is free-form; afterwards only defined fields can be
// written, and existing values are kept.
func TestFreeFormMetadata(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	s.do(t, "PUT", asset+"/metadata", `{"project":"Apollo","year":"1969","old":"free"}`).want(t, 200)
	s.define(t, `{"key":"project","label":"Project","type":"text"}`)
	if a := s.do(t, "GET", asset, ""); a.get("data.metadata.old") != "free" || a.get("data.version") != 2.0 {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "PUT", asset+"/metadata", `{"old":"other"}`).want(t, 422); a.get("errors").(map[string]any)["metadata.old"] == nil {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", asset, `{"title":"x","metadata":{"old":"free","project":"Gemini"}}`).want(t, 200) // sent back unchanged
	if total := s.do(t, "GET", "/api/v1/assets?q=free", "").get("meta.total"); total != 1.0 {
		t.Errorf("q finds %v with an undefined key", total)
	}
	free := rule("metadata.old", "equals", `"free"`)
	a := s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(group("and", free)), "").want(t, 422)
	if fmt.Sprint(a.get("errors")) != "map[filters.rules.0.field:[There is no metadata field old.]]" {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", "/api/v1/assets?facets=metadata.old", "").want(t, 422)
	s.do(t, "POST", "/api/v1/saved-searches", `{"name":"x","query":{"filters":`+free+`}}`).want(t, 422)
	s.do(t, "PUT", asset+"/metadata", `{"old":null}`).want(t, 200)

	// Existing values become the field's if no value is lost.
	a = s.do(t, "POST", fieldsPath, `{"key":"year","label":"Year","type":"boolean"}`).want(t, 409)
	if a.get("message") != "In the field year of the type boolean 1 asset has a value that does not fit, "+
		`for example "1969"; force=true removes such values.` {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", fieldsPath+"/year", "").want(t, 404)
	s.define(t, `{"key":"year","label":"Year","type":"integer"}`)
	if a := s.do(t, "GET", asset, ""); a.get("data.metadata.year") != 1969.0 || a.get("data.version") != 5.0 {
		t.Errorf("%s", a)
	}
	if n := s.filterTotal(t, "metadata.year", "between", `[1960,1970]`); n != 1.0 {
		t.Errorf("a filter finds %v", n)
	}
	facets := s.do(t, "GET", "/api/v1/assets?facets=metadata.year", "").get("meta.facets")
	if fmt.Sprint(facets) != "map[metadata.year:[map[count:1 value:1969]]]" {
		t.Errorf("facets: %v", facets)
	}
	s.do(t, "DELETE", fieldsPath+"/project", "").want(t, 409)
	s.do(t, "DELETE", fieldsPath+"/year?force=true", "").want(t, 200)
	s.do(t, "DELETE", fieldsPath+"/project?force=true", "").want(t, 200)
	if a := s.do(t, "GET", asset, ""); fmt.Sprint(a.get("data.metadata")) != "map[]" || a.get("data.version") != 7.0 {
		t.Errorf("%s", a)
	}
	if total := s.do(t, "GET", "/api/v1/assets?q=gemini", "").get("meta.total"); total != 0.0 {
		t.Errorf("what was deleted is found %v times", total)
	}
	s.do(t, "PUT", asset+"/metadata", `{"anything":"goes","empty":""}`).want(t, 200)
	s.do(t, "POST", fieldsPath, `{"key":"anything","label":"x","type":"url"}`).want(t, 409)
	s.do(t, "POST", fieldsPath+"?force=true", `{"key":"anything","label":"x","type":"url"}`).want(t, 201)
	s.define(t, `{"key":"empty","label":"x","type":"url"}`) // discarding a blank loses nothing
	if a := s.do(t, "GET", asset, ""); fmt.Sprint(a.get("data.metadata")) != "map[]" {
		t.Errorf("%s", a)
	}
}

// A change of type converts and keeps the values that fit, and no others.
func TestFieldType(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, _ := s.vocabulary(t, "cities", "paris=Paris", "rome=Rome", "rome2=rome")
	paths := []string{"/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30)), "/api/v1/assets/" + s.one(t, "b.jpg", picture(2, 40, 30))}
	value := func(i int) any { return s.do(t, "GET", paths[i], "").get("data.metadata.x") }
	s.define(t, `{"key":"x","label":"x","type":"text"}`)
	s.do(t, "PUT", paths[0]+"/metadata", `{"x":"PARIS"}`).want(t, 200)
	s.do(t, "PUT", paths[1]+"/metadata", `{"x":"rome"}`).want(t, 200)
	term := fmt.Sprintf(`{"type":"terms","vocabulary_id":%v}`, v)
	s.do(t, "PUT", fieldsPath+"/x", term).want(t, 200)
	if fmt.Sprint(value(0), value(1)) != "[paris] [rome]" {
		t.Errorf("as terms: %v, %v", value(0), value(1))
	}
	s.do(t, "PUT", paths[1]+"/metadata", `{"x":["rome","paris"]}`).want(t, 200)
	a := s.do(t, "PUT", fieldsPath+"/x", `{"type":"term"}`).want(t, 409)
	if !strings.Contains(a.get("message").(string), `for example ["rome","paris"]`) {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", fieldsPath+"/x?force=true", `{"type":"term"}`).want(t, 200)
	if value(0) != "paris" || value(1) != nil {
		t.Errorf("as a term: %v, %v", value(0), value(1))
	}
	s.do(t, "PUT", fieldsPath+"/x", `{"type":"text","vocabulary_id":null}`).want(t, 200)
	if value(0) != "paris" || s.do(t, "GET", "/api/v1/assets?q=paris", "").get("meta.total") != 1.0 {
		t.Errorf("as a text: %v", value(0))
	}
	s.do(t, "PUT", fieldsPath+"/x", `{"validation":{"max_length":2}}`).want(t, 200)
	s.do(t, "PUT", paths[0], `{"title":"what was there before stays"}`).want(t, 200)
	s.do(t, "PUT", paths[0]+"/metadata", `{"x":"london"}`).want(t, 422)
}

// Filters follow the type of a field.
func TestMetadataFilters(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, _ := s.vocabulary(t, "cities", "paris=Paris", "x=Twin", "y=twin")
	for _, f := range []string{
		`"key":"text","type":"text"`,
		`"key":"long","type":"long_text"`,
		`"key":"hidden","type":"text","is_searchable":false`,
		`"key":"secret","type":"text","is_filterable":false`,
		`"key":"int","type":"integer"`,
		`"key":"num","type":"number"`,
		`"key":"bool","type":"boolean"`,
		`"key":"date","type":"date"`,
		`"key":"at","type":"datetime"`,
		`"key":"url","type":"url"`,
		fmt.Sprintf(`"key":"city","type":"term","vocabulary_id":%v`, v),
	} {
		s.define(t, `{"label":"x",`+f+`}`)
	}
	one, two := "/api/v1/assets/"+s.one(t, "a.jpg", picture(1, 40, 30)), "/api/v1/assets/"+s.one(t, "b.jpg", picture(2, 40, 30))
	s.do(t, "PUT", one+"/metadata", `{
		"text": "Apollo eleven",
		"hidden": "quokka",
		"secret": "wombat",
		"int": 5,
		"num": 1.5,
		"bool": true,
		"date": "2026-01-31",
		"at": "2026-01-31T06:12:00Z",
		"url": "https://example.com/a",
		"city": "paris"
	}`).want(t, 200)
	s.do(t, "PUT", two+"/metadata", `{
		"text": "Gemini",
		"int": 7,
		"num": -2,
		"bool": false,
		"date": "2026-02-01",
		"at": "2026-02-01T23:59:59.999Z"
	}`).want(t, 200)
	for q, want := range map[string]float64{"eleven": 1, "quokka": 0, "wombat": 1, "paris": 1} {
		if got := s.do(t, "GET", "/api/v1/assets?q="+q, "").get("meta.total"); got != want {
			t.Errorf("q=%s finds %v, want %v", q, got, want)
		}
	}
	s.do(t, "PUT", fieldsPath+"/hidden", `{"is_searchable":true}`).want(t, 200)
	if got := s.do(t, "GET", "/api/v1/assets?q=quokka", "").get("meta.total"); got != 1.0 {
		t.Errorf("a field that became searchable finds %v", got)
	}
	s.do(t, "PUT", fieldsPath+"/hidden", `{"is_searchable":false}`).want(t, 200)
	if got := s.do(t, "GET", "/api/v1/assets?q=quokka", "").get("meta.total"); got != 0.0 {
		t.Errorf("a field that is no longer searchable finds %v", got)
	}
	for _, c := range []struct {
		key, operator, value string
		want                 float64
	}{
		{"text", "equals", `"apollo ELEVEN"`, 1}, {"text", "contains", `"leve"`, 1}, {"text", "starts_with", `"apo"`, 1},
		{"text", "ends_with", `"gemini"`, 1}, {"text", "in", `["gemini","x"]`, 1}, {"text", "hybrid_search", `"elevens"`, 1},
		{"text", "exact_search", `"apollo eleven"`, 1},
		{"long", "is_empty", `null`, 2},
		{"hidden", "contains", `"quok"`, 1}, {"url", "contains", `"example.com"`, 1},
		{"int", "equals", `5`, 1}, {"int", "greater_than", `5`, 1}, {"int", "greater_than_or_equal", `5`, 2},
		{"int", "between", `[6,8]`, 1}, {"int", "in", `[5,7,9]`, 2}, {"int", "equals", `"5"`, 1}, {"int", "not_equals", `5`, 1},
		{"num", "less_than", `0`, 1}, {"num", "equals", `1.5`, 1},
		{"bool", "equals", `true`, 1}, {"bool", "not_equals", `true`, 1}, {"bool", "equals", `"false"`, 1}, {"bool", "is_not_empty", `null`, 2},
		{"date", "equals", `"2026-01-31"`, 1}, {"date", "not_equals", `"2026-01-31"`, 1},
		{"date", "in", `["2026-01-31","2026-02-01"]`, 2}, {"date", "less_than", `"2026-02-01"`, 1},
		{"date", "between", `["2026-01-01","2026-02-01"]`, 2}, {"date", "greater_than", `"2026-01-31"`, 1},
		{"at", "equals", `"2026-01-31"`, 1}, {"at", "equals", `"2026-01-31T06:12:00Z"`, 1},
		{"at", "equals", `"2026-01-31T06:12:01Z"`, 0}, {"at", "less_than_or_equal", `"2026-02-01"`, 2},
		{"city", "equals", `"Paris"`, 1}, {"city", "not_contains", `"paris"`, 1}, {"city", "in", `["twin"]`, 0},
	} {
		if got := s.filterTotal(t, "metadata."+c.key, c.operator, c.value); got != c.want {
			t.Errorf("%s %s %s finds %v, want %v", c.key, c.operator, c.value, got, c.want)
		}
	}
	for _, c := range []struct{ key, operator, value, where, message string }{
		{"none", "equals", `"x"`, "field", "There is no metadata field none."},
		{"secret", "equals", `"wombat"`, "field", "The metadata field secret is not filterable."},
		{"hidden", "hybrid_search", `"quokka"`, "operator", "does not have the operator hybrid_search"},
		{"text", "greater_than", `1`, "operator", "does not have the operator greater_than"}, {"text", "equals", `1`, "value", "must be a text"},
		{"int", "contains", `1`, "operator", "does not have"}, {"int", "equals", `"x"`, "value", "must be a number"},
		{"bool", "in", `[true]`, "operator", "does not have"}, {"bool", "equals", `"yes"`, "value", "true or false"},
		{"bool", "equals", `null`, "value", "true or false"},
		{"date", "starts_with", `"2026"`, "operator", "does not have"}, {"date", "equals", `"soon"`, "value", "must be a date"},
		{"city", "starts_with", `"par"`, "operator", "does not have"}, {"city", "equals", `"london"`, "value", `has no term "london"`},
		{"city", "equals", `"twin"`, "value", "several terms"},
		{"city", "in", `"paris"`, "value", "must be a list"},
	} {
		filters := group("and", rule("metadata."+c.key, c.operator, c.value))
		a := s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(filters), "").want(t, 422)
		told := fmt.Sprint(a.get("errors").(map[string]any)["filters.rules.0."+c.where])
		if !strings.Contains(told, c.message) {
			t.Errorf("%s %s %s: %s", c.key, c.operator, c.value, a)
		}
	}
	s.do(t, "GET", "/api/v1/assets?facets=metadata.secret", "").want(t, 422)
	a := s.do(t, "GET", "/api/v1/assets?facets=metadata.bool,metadata.date,metadata.city", "").want(t, 200)
	want := "map[metadata.bool:[map[count:1 value:true] map[count:1 value:false]]" +
		" metadata.city:[map[count:1 label:Paris value:paris]]" +
		" metadata.date:[map[count:1 value:2026-01-31] map[count:1 value:2026-02-01]]]"
	if got := fmt.Sprint(a.get("meta.facets")); got != want {
		t.Errorf("facets: %s", got)
	}
}

// Fields of a class, defaults and required fields.
func TestMetadataClasses(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.define(t, `{"key":"photographer","label":"x","type":"text","is_required":true,"asset_class_ids":[1]}`)
	s.define(t, `{"key":"rights","label":"x","type":"text","default_value":"all reserved"}`)
	s.define(t, `{"key":"stars","label":"x","type":"integer","default_value":3,"asset_class_ids":[1]}`)

	// Ingestion ignores required fields and sets the defaults.
	plain := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	if a := s.do(t, "GET", plain, ""); fmt.Sprint(a.get("data.metadata")) != "map[rights:all reserved]" {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", "/api/v1/upload-batches", `{"metadata":{"stars":1}}`).want(t, 422) // the field stars requires its class
	batch := s.batch(t, `{"asset_class_id":1,"metadata":{"stars":5}}`)
	s.push(t, batch, upload{"b.jpg", picture(2, 40, 30)}).want(t, 201)
	s.finish(t, batch)
	gaid := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v/files", batch), "").get("data.0.gaid")
	classed := fmt.Sprintf("/api/v1/assets/%v", gaid)
	if a := s.do(t, "GET", classed, ""); fmt.Sprint(a.get("data.metadata")) != "map[rights:all reserved stars:5]" {
		t.Errorf("%s", a)
	}

	// Required values must be given when metadata or the class is written.
	s.do(t, "PUT", classed, `{"title":"other things are no matter"}`).want(t, 200)
	for _, request := range [][2]string{
		{classed, `{"metadata":{"stars":4}}`},
		{classed, `{"metadata":{}}`},
		{plain, `{"asset_class_id":1}`},
	} {
		a := s.do(t, "PUT", request[0], request[1]).want(t, 422)
		if fmt.Sprint(a.get("errors")) != "map[metadata.photographer:[photographer is required.]]" {
			t.Errorf("%s: %s", request, a)
		}
	}
	s.do(t, "PUT", classed+"/metadata", `{"stars":4,"photographer":" "}`).want(t, 422)
	s.do(t, "PUT", classed+"/metadata", `{"stars":4,"photographer":"Ada"}`).want(t, 200)
	s.do(t, "PUT", classed+"/metadata", `{"photographer":null}`).want(t, 422)
	s.do(t, "PUT", plain+"/metadata", `{"rights":null}`).want(t, 200) // nothing is required without the class

	// Assigning a class sets its defaults, unless the same request clears them.
	a := s.do(t, "PUT", plain, `{"asset_class_id":1,"metadata":{"photographer":"Bob","rights":null}}`).want(t, 200)
	if fmt.Sprint(a.get("data.metadata")) != "map[photographer:Bob stars:3]" {
		t.Errorf("%s", a)
	}
	// Without its class, a value is kept but cannot be changed.
	a = s.do(t, "PUT", plain, `{"asset_class_id":null}`).want(t, 200)
	if fmt.Sprint(a.get("data.metadata")) != "map[photographer:Bob rights:all reserved stars:3]" {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", plain+"/metadata", `{"stars":4}`).want(t, 422)
	s.do(t, "PUT", plain+"/metadata", `{"stars":3}`).want(t, 200)
	s.do(t, "PUT", plain+"/metadata", `{"stars":null}`).want(t, 200)
}

// A batch that was opened before its values became invalid is still processed.
func TestBatchBeforeDefinition(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := s.batch(t, `{"metadata":{"year":"1969","note":"x","gone":"y"}}`)
	s.define(t, `{"key":"year","label":"x","type":"integer"}`)
	s.define(t, `{"key":"note","label":"x","type":"boolean"}`)
	s.define(t, `{"key":"must","label":"x","type":"text","is_required":true}`)
	s.push(t, batch, upload{"b.jpg", picture(2, 40, 30)}).want(t, 201)
	s.finish(t, batch)
	a := s.do(t, "GET", "/api/v1/assets", "")
	if fmt.Sprint(a.get("data.0.metadata")) != "map[gone:y year:1969]" {
		t.Errorf("%s", a)
	}
}

// Deleting a field or changing its type emits an event for each changed asset.
func TestFieldEvents(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i := range 3 {
		s.do(t, "PUT", "/api/v1/assets/"+s.one(t, fmt.Sprint(i, ".jpg"), picture(i, 40, 30))+"/metadata", `{"x":"1"}`).want(t, 200)
	}
	before := len(s.events(t))
	s.define(t, `{"key":"x","label":"x","type":"text"}`)
	if n := len(s.events(t)) - before; n != 0 {
		t.Errorf("%d events for values that stayed", n)
	}
	s.do(t, "PUT", fieldsPath+"/x", `{"type":"integer"}`).want(t, 200)
	s.do(t, "DELETE", fieldsPath+"/x?force=true", "").want(t, 200)
	events := s.events(t)[before:]
	if len(events) != 6 {
		t.Fatalf("%d events, want 6", len(events))
	}
	for _, e := range events {
		if e.Type != dam.AssetUpdated {
			t.Errorf("%+v", e)
		}
	}
}

// Up to 500 fields can be defined.
func TestManyFields(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a flood, which takes long with the race detector, which .ci/run uses with -short")
	}
	s := start(t, nil)
	for i := range dam.MaxFields {
		s.define(t, fmt.Sprintf(`{"key":"f%d","label":"x","type":"text","default_value":"x"}`, i))
	}
	const tooMany = "A library can have at most 500 metadata fields; delete one first."
	body := `{"key":"more","label":"x","type":"text"}`
	if a := s.do(t, "POST", fieldsPath, body).want(t, 422); a.get("errors.body.0") != tooMany {
		t.Errorf("%s", a)
	}
	a := s.do(t, "GET", fieldsPath+"?per_page=100&page=5", "").want(t, 200)
	if a.get("meta.total") != 500.0 || a.get("data.99.key") != "f499" {
		t.Errorf("%v", a.get("meta"))
	}
	a = s.do(t, "GET", "/api/v1/assets/"+s.one(t, "a.jpg", picture(1, 40, 30)), "")
	if n := len(a.get("data.metadata").(map[string]any)); n != dam.MaxMetaKeys {
		t.Errorf("%d defaults, want as many as an asset can have values", n)
	}
}
