package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

func TestMetadataField(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	a := s.define(t, `{
		"key": "rating",
		"label": "Rating",
		"type": "integer",
		"validation": {"min":1,"max":5},
		"default_value": 3,
		"is_required": true,
		"is_filterable": false,
		"asset_class_ids": [1]
	}`)
	for path, want := range map[string]any{
		"key": "rating", "label": "Rating", "description": nil, "type": "integer", "vocabulary_id": nil,
		"is_required": true, "is_searchable": true, "is_filterable": false, "default_value": 3.0,
		"validation.min": 1.0, "validation.max": 5.0, "validation.pattern": nil,
		"asset_class_ids.0": 1.0, "position": 0.0,
	} {
		if got := a.get("data." + path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if b := s.do(t, "GET", fieldsPath+"/rating", "").want(t, 200); string(b.body) != string(a.body) {
		t.Errorf("shown: %s, created: %s", b, a)
	}
	s.define(t, `{"key":"note","label":"Note","type":"text"}`)
	b := s.do(t, "GET", fieldsPath, "").want(t, 200)
	if b.get("meta.total") != 2.0 || b.get("data.0.key") != "rating" ||
		b.get("data.1.key") != "note" || b.get("data.1.position") != 1.0 {
		t.Errorf("%s", b)
	}
	b = s.do(t, "GET", fieldsPath+"?per_page=1&page=2", "").want(t, 200)
	if b.get("data.0.key") != "note" || b.get("meta.last_page") != 2.0 {
		t.Errorf("%s", b)
	}
	a = s.do(t, "PUT", fieldsPath+"/rating", `{
		"label": "Stars",
		"description": "How good",
		"is_required": false,
		"default_value": null,
		"validation": null,
		"asset_class_ids": null,
		"position": 7
	}`).want(t, 200)
	for path, want := range map[string]any{
		"label": "Stars", "description": "How good", "type": "integer", "is_required": false, "is_filterable": false,
		"default_value": nil, "validation.min": nil, "asset_class_ids.0": nil, "position": 7.0,
	} {
		if got := a.get("data." + path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if b := s.do(t, "PUT", fieldsPath+"/rating", `{}`).want(t, 200); string(b.body) != string(a.body) {
		t.Errorf("nothing changed it: %s", b)
	}
	if b := s.do(t, "DELETE", fieldsPath+"/rating", "").want(t, 200); b.get("message") != "Metadata field deleted." {
		t.Errorf("%s", b)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		if b := s.do(t, method, fieldsPath+"/rating", "").want(t, 404); b.get("message") != "Metadata field not found." {
			t.Errorf("%s: %s", method, b)
		}
	}
}

// Invalid definitions, and their errors.
func TestMetadataFieldRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, _ := s.vocabulary(t, "regions", "fr=France", "old")
	s.define(t, `{"key":"taken","label":"x","type":"text"}`)
	_, terms := s.vocabulary(t, "gone", "x")
	s.do(t, "PUT", fmt.Sprintf("%s/gone/terms/%v", vocabulariesPath, terms["x"]), `{"is_active":false}`).want(t, 200)
	for _, c := range []struct{ body, where string }{
		{`{"label":"x","type":"text"}`, "key"},
		{`{"key":"x","type":"text"}`, "label"},
		{`{"key":"x","label":"x"}`, "type"},
		{`{"key":"X","label":"x","type":"text"}`, "key"},
		{`{"key":"1x","label":"x","type":"text"}`, "key"},
		{`{"key":"` + strings.Repeat("x", 65) + `","label":"x","type":"text"}`, "key"},
		{`{"key":"taken","label":"x","type":"text"}`, "key"},
		{`{"key":"x","label":"","type":"text"}`, "label"},
		{`{"key":"x","label":"x","type":"colour"}`, "type"},
		{`{"key":"x","label":"x","type":"text","nope":1}`, "nope"},
		{`{"key":"x","label":"x","type":"text","description":"` + strings.Repeat("x", 2001) + `"}`, "description"},
		{`{"key":"x","label":"x","type":"text","position":-1}`, "position"},
		{`{"key":"x","label":"x","type":"text","asset_class_ids":[1,99]}`, "asset_class_ids.1"},
		{`{"key":"x","label":"x","type":"term"}`, "vocabulary_id"},
		{`{"key":"x","label":"x","type":"term","vocabulary_id":99}`, "vocabulary_id"},
		{`{"key":"x","label":"x","type":"text","vocabulary_id":` + fmt.Sprint(v) + `}`, "vocabulary_id"},
		{`{"key":"x","label":"x","type":"text","validation":{"min":1}}`, "validation.min"},
		{`{"key":"x","label":"x","type":"integer","validation":{"min":"one"}}`, "validation.min"},
		{`{"key":"x","label":"x","type":"integer","validation":{"min":2,"max":1}}`, "validation.max"},
		{`{"key":"x","label":"x","type":"date","validation":{"max":"2026-13-01"}}`, "validation.max"},
		{`{"key":"x","label":"x","type":"boolean","validation":{"max_length":1}}`, "validation.max_length"},
		{`{"key":"x","label":"x","type":"text","validation":{"max_length":1001}}`, "validation.max_length"},
		{`{"key":"x","label":"x","type":"number","validation":{"pattern":"x"}}`, "validation.pattern"},
		{`{"key":"x","label":"x","type":"text","validation":{"pattern":"("}}`, "validation.pattern"},
		{`{"key":"x","label":"x","type":"text","validation":{"pattern":"a)(b"}}`, "validation.pattern"},
		{`{"key":"x","label":"x","type":"text","validation":{"pattern":"(?=x)"}}`, "validation.pattern"},
		{`{"key":"x","label":"x","type":"text","validation":{"pattern":"((a{30}){30}){30}"}}`, "validation.pattern"},
		{`{"key":"x","label":"x","type":"text","validation":{"pattern":"` + strings.Repeat("x", 501) + `"}}`, "validation.pattern"},
		{`{"key":"x","label":"x","type":"text","validation":{"nope":1}}`, "validation.nope"},
		{`{"key":"x","label":"x","type":"integer","default_value":"x"}`, "default_value"},
		{`{"key":"x","label":"x","type":"integer","default_value":9,"validation":{"max":5}}`, "default_value"},
		{`{"key":"x","label":"x","type":"term","vocabulary_id":` + fmt.Sprint(v) + `,"default_value":"de"}`, "default_value"},
		{`{"key":"x","label":"x","type":"term","vocabulary_id":2,"default_value":"x"}`, "default_value"},
	} {
		if a := s.do(t, "POST", fieldsPath, c.body).want(t, 422); a.get("errors") == nil || a.get("errors").(map[string]any)[c.where] == nil {
			t.Errorf("%s: %s", c.body, a)
		}
	}
}

// Values of each type: valid ones, with the stored form, and invalid ones.
func TestMetadataValues(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, terms := s.vocabulary(t, "regions", "eu=Europe", "fr=France<eu", "old=Old")
	s.do(t, "PUT", fmt.Sprintf("%s/%v/terms/%v", vocabulariesPath, v, terms["old"]), `{"is_active":false}`).want(t, 200)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	path := "/api/v1/assets/" + gaid + "/metadata"
	class := s.do(t, "GET", "/api/v1/assets/"+gaid, "").get("data.asset_class_id")
	if class != nil {
		t.Fatalf("class %v", class)
	}
	for _, field := range []string{
		`"key":"text","type":"text"`, `"key":"code","type":"text","validation":{"pattern":"[A-Z]{2}-[0-9]+|x","max_length":6}`,
		`"key":"long","type":"long_text"`, `"key":"int","type":"integer"`, `"key":"stars","type":"integer","validation":{"min":1,"max":5}`,
		`"key":"num","type":"number","validation":{"min":-0.5}`, `"key":"bool","type":"boolean"`,
		`"key":"date","type":"date","validation":{"min":"2000-01-01","max":"2029-12-31"}`,
		`"key":"at","type":"datetime","validation":{"min":"2000-01-01T00:00:00+02:00"}`,
		`"key":"term","type":"term","vocabulary_id":` + fmt.Sprint(v),
		`"key":"terms","type":"terms","vocabulary_id":` + fmt.Sprint(v) + `,"validation":{"max":2}`,
		`"key":"url","type":"url"`, `"key":"other","type":"text","asset_class_ids":[1]`,
	} {
		s.define(t, `{"label":"x",`+field+`}`)
	}
	long := strings.Repeat("é", 1000)
	for _, c := range []struct{ key, good, kept string }{
		{"text", `"Grüße 写真"`, ""}, {"text", `"` + long + `"`, ""}, {"text", `" x "`, ""},
		{"code", `"AB-123"`, ""}, {"code", `"x"`, ""},
		{"long", `"` + long + long + `\nmore"`, ""},
		{"int", `0`, ""}, {"int", `-9007199254740991`, ""}, {"int", `5.0`, "5"}, {"int", `1e3`, "1000"},
		{"stars", `1`, ""}, {"stars", `5`, ""},
		{"num", `-0.5`, ""}, {"num", `3.14159`, ""}, {"num", `1e300`, "1e+300"},
		{"bool", `true`, ""}, {"bool", `false`, ""},
		{"date", `"2000-01-01"`, ""}, {"date", `"2028-02-29"`, ""},
		{"at", `"2026-01-31T06:12:00+01:00"`, `"2026-01-31T05:12:00.000Z"`},
		{"at", `"2026-01-31T06:12:00.1234Z"`, `"2026-01-31T06:12:00.123Z"`},
		{"at", `"1999-12-31T22:00:00Z"`, `"1999-12-31T22:00:00.000Z"`},
		{"term", `"fr"`, ""}, {"term", `"eu"`, ""},
		{"terms", `["fr"]`, ""}, {"terms", `["fr","eu","fr"]`, `["fr","eu"]`},
		{"url", `"https://example.com/a?b=c#d"`, ""}, {"url", `"http://[2001:db8::1]:8080/"`, ""},
	} {
		if c.kept == "" {
			c.kept = c.good
		}
		var want any
		if err := json.Unmarshal([]byte(c.kept), &want); err != nil {
			t.Fatal(err)
		}
		a := s.do(t, "PUT", path, fmt.Sprintf(`{%q:%s}`, c.key, c.good)).want(t, 200)
		if got := a.get("data.metadata." + c.key); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s is kept as %v, want %v", c.key, c.good, got, want)
		}
	}
	before := s.do(t, "GET", "/api/v1/assets/"+gaid, "").get("data.version")
	for _, c := range []struct{ key, bad, message string }{
		{"text", `1`, "must be a text"}, {"text", `true`, "must be a text"}, {"text", `["x"]`, "must be a text"},
		{"text", `"` + long + `x"`, "more than 1000 characters"}, {"text", `{"a":1}`, "text, a number, a boolean"},
		{"code", `"AB-"`, "match the pattern"}, {"code", `"xAB-1"`, "match the pattern"},
		{"code", `"AB-1\n"`, "match the pattern"}, {"code", `"AB-12345"`, "more than 6 characters"},
		{"int", `1.5`, "integer"}, {"int", `"1"`, "number"}, {"int", `9007199254740994`, "integer"}, {"int", `true`, "number"},
		{"stars", `0`, "less than 1"}, {"stars", `6`, "greater than 5"},
		{"num", `-0.51`, "less than -0.5"}, {"num", `"x"`, "number"},
		{"bool", `"true"`, "true or false"}, {"bool", `1`, "true or false"},
		{"date", `"1999-12-31"`, "less than 2000-01-01"}, {"date", `"2030-01-01"`, "greater than 2029-12-31"},
		{"date", `"2027-02-29"`, "a date such as"}, {"date", `"2026-1-1"`, "a date such as"},
		{"date", `20260101`, "a date such as"}, {"date", `"2026-01-01T00:00:00Z"`, "a date such as"},
		{"at", `"2026-01-31"`, "a date and time"}, {"at", `"2026-01-31T06:12:00"`, "a date and time"},
		{"at", `"1999-12-31T21:59:59Z"`, "less than 1999-12-31T22:00:00.000Z"},
		{"term", `"de"`, `no term "de"`}, {"term", `"France"`, "no term"}, {"term", `["fr"]`, "key of a term"},
		{"term", `"old"`, "no longer in use"}, {"term", `3`, "key of a term"},
		{"terms", `"fr"`, "list of keys"}, {"terms", `["fr","de"]`, `no term "de"`},
		{"terms", `["old"]`, "no longer in use"}, {"terms", `[1]`, "must be a text"},
		{"url", `"example.com"`, "http"}, {"url", `"javascript:alert(1)"`, "http"}, {"url", `"ftp://example.com"`, "http"},
		{"url", `"https://"`, "http"}, {"url", `"https://exa mple.com/"`, "http"},
		{"url", `"https://example.com/` + strings.Repeat("x", 2000) + `"`, "more than 2000"},
		{"other", `"x"`, "does not apply"}, {"unknown", `"x"`, "There is no metadata field unknown."},
	} {
		for _, request := range [][3]string{
			{"PUT", path, fmt.Sprintf(`{%q:%s}`, c.key, c.bad)},
			{"PUT", "/api/v1/assets/" + gaid, fmt.Sprintf(`{"metadata":{%q:%s}}`, c.key, c.bad)},
			{"POST", "/api/v1/upload-batches", fmt.Sprintf(`{"metadata":{%q:%s}}`, c.key, c.bad)},
		} {
			a := s.do(t, request[0], request[1], request[2]).want(t, 422)
			told := ""
			for field, list := range a.get("errors").(map[string]any) {
				if field == "metadata."+c.key || strings.HasPrefix(field, "metadata."+c.key+".") {
					told = fmt.Sprint(list)
				}
			}
			if !strings.Contains(told, c.message) {
				t.Errorf("%s %s: %s", request[1], request[2], a)
			}
		}
	}
	if a := s.do(t, "GET", "/api/v1/assets/"+gaid, ""); a.get("data.version") != before {
		t.Errorf("what was refused changed the asset: %s", a)
	}
	// Blank values and null remove a value.
	a := s.do(t, "PUT", path, `{"text":"  ","terms":[],"int":null,"unknown":null}`).want(t, 200)
	for _, key := range []string{"text", "terms", "int", "unknown"} {
		if _, there := a.get("data.metadata").(map[string]any)[key]; there {
			t.Errorf("%s is still there: %s", key, a)
		}
	}
}

// PUT /assets/{gaid}/metadata merges, honors If-Match and emits an event.
func TestAssetMetadata(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	a := s.do(t, "PUT", path+"/metadata", `{"a":"x","b":2,"c":[],"d":{"no":"object"}}`).want(t, 422)
	if a.get("errors").(map[string]any)["metadata.d"] == nil {
		t.Errorf("%s", a)
	}
	a = s.do(t, "PUT", path+"/metadata", `{"a":"x","b":2}`, "If-Match", `"v1"`).want(t, 200)
	if a.Header.Get("ETag") != `"v2"` || a.get("data.version") != 2.0 ||
		a.get("data.metadata.a") != "x" || a.get("data.owner.email") != "ada@example.com" {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", path+"/metadata", `{"a":"y"}`, "If-Match", `"v1"`).want(t, 412)
	a = s.do(t, "PUT", path+"/metadata", `{"a":null,"z":null}`).want(t, 200)
	if fmt.Sprint(a.get("data.metadata")) != "map[b:2]" || a.get("data.version") != 3.0 {
		t.Errorf("%s", a)
	}
	if a = s.do(t, "PUT", path+"/metadata", `{"b":2}`).want(t, 200); a.get("data.version") != 3.0 {
		t.Errorf("nothing changed it: %s", a)
	}
	s.do(t, "PUT", path+"/metadata", `[]`).want(t, 422)
	s.do(t, "PUT", path+"/metadata", ``).want(t, 400)
	s.do(t, "PUT", "/api/v1/assets/01ARZ3NDEKTSV4RRFFQ69G5FAV/metadata", `{}`).want(t, 404)
	updated := 0
	for _, e := range s.events(t) {
		if e.Type == dam.AssetUpdated {
			updated++
		}
	}
	if updated != 2 {
		t.Errorf("%d events asset.updated, want 2", updated)
	}
}

// The abilities that each request requires.
func TestMetadataAbilities(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, terms := s.vocabulary(t, "regions", "fr")
	s.define(t, `{"key":"x","label":"x","type":"text"}`)
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	vocabulary := fmt.Sprintf("%s/%v", vocabulariesPath, v)
	term := fmt.Sprintf("%s/terms/%v", vocabulary, terms["fr"])
	tokens := map[string]string{
		"reader": s.user(t, "reader@example.com", dam.RoleAdmin, dam.MetadataRead),
		"writer": s.user(t, "writer@example.com", dam.RoleAdmin, dam.MetadataWrite),
		"other":  s.user(t, "other@example.com", dam.RoleAdmin, dam.AssetsRead, dam.AssetsWrite),
		"editor": s.user(t, "editor@example.com", dam.RoleEditor),
		"viewer": s.user(t, "viewer@example.com", dam.RoleViewer),
	}
	type result struct {
		status  int
		missing string
	}
	read := map[string]result{
		"reader": {200, ""},
		"writer": {403, "[metadata:read]"},
		"other":  {403, "[metadata:read]"},
		"editor": {200, ""},
		"viewer": {200, ""},
		"nobody": {401, ""},
	}
	define := map[string]result{
		"reader": {403, "[metadata:write]"},
		"other":  {403, "[metadata:write]"},
		"editor": {403, "[]"},
		"viewer": {403, "[]"},
		"nobody": {401, ""},
	}
	write := map[string]result{
		"reader": {403, "[metadata:write]"},
		"writer": {200, ""},
		"other":  {403, "[metadata:write]"},
		"editor": {200, ""},
		"viewer": {403, "[]"},
		"nobody": {401, ""},
	}
	for _, c := range []struct {
		method, path, body string
		want               map[string]result
	}{
		{"GET", fieldsPath, "", read}, {"GET", fieldsPath + "/x", "", read}, {"GET", vocabulariesPath, "", read}, {"GET", vocabulary, "", read},
		{"GET", vocabulary + "/terms", "", read}, {"GET", term, "", read},
		{"POST", fieldsPath, `{"key":"y","label":"y","type":"text"}`, define},
		{"PUT", fieldsPath + "/x", `{"label":"y"}`, define},
		{"DELETE", fieldsPath + "/x", "", define},
		{"POST", vocabulariesPath, `{"key":"y","name":"y"}`, define},
		{"PUT", vocabulary, `{"name":"y"}`, define},
		{"DELETE", vocabulary, "", define},
		{"POST", vocabulary + "/terms", `{"key":"y","label":"y"}`, define},
		{"PUT", term, `{"label":"y"}`, define},
		{"DELETE", term, "", define},
		{"PUT", asset + "/metadata", `{"x":"y"}`, write},
	} {
		for who, want := range c.want {
			a := s.as(t, tokens[who], c.method, c.path, c.body)
			if a.StatusCode != want.status || want.status == 403 && fmt.Sprint(a.get("required_abilities")) != want.missing {
				t.Errorf("%s %s as %s: %d %s, want %v", c.method, c.path, who, a.StatusCode, a, want)
			}
		}
	}
	// An administrator's token with only metadata:write may change definitions.
	for _, c := range [][3]string{
		{"PUT", term, `{"label":"y"}`},
		{"PUT", fieldsPath + "/x", `{"label":"y"}`},
		{"PUT", vocabulary, `{"name":"y"}`},
		{"DELETE", term, ""},
		{"DELETE", vocabulary, ""},
		{"DELETE", fieldsPath + "/x?force=true", ""},
	} {
		s.as(t, tokens["writer"], c[0], c[1], c[2]).want(t, 200)
	}
}
