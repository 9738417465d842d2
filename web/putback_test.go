package web_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// PUT accepts the answer of GET and changes nothing; changed read-only members are refused
// by name.
func TestPutTakesWhatGetGave(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	make := func(path, body string) string {
		t.Helper()
		return fmt.Sprintf("/api/v1%s/%v", path, s.do(t, "POST", "/api/v1"+path, body).want(t, 201).get("data.id"))
	}
	bare := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	full := "/api/v1/assets/" + s.one(t, "b.jpg", picture(2, 40, 30))
	class := make("/asset-classes", `{"name":"Photo"}`)
	s.do(t, "PUT", full, `{
		"title": "b",
		"creator": "Ada",
		"keywords": ["x", "y"],
		"capture_date": "2026-01-31T06:12:00.123456+02:00",
		"asset_class_id": `+idOf(class)+`,
		"metadata": {"n": 1.5, "list": ["a"], "b": true}
	}`).want(t, 200)
	plain := make("/collections", `{"name":"plain"}`)
	gaid := full[strings.LastIndexByte(full, '/')+1:]
	s.do(t, "POST", plain+"/assets", `{"gaids":["`+gaid+`"]}`).want(t, 200)
	cover := "/api/v1/assets/" + s.one(t, "c.jpg", picture(3, 40, 30))
	trashed := make("/collections", `{"name":"trashed","cover_gaid":"`+cover[strings.LastIndexByte(cover, '/')+1:]+`"}`)
	s.do(t, "DELETE", cover, "").want(t, 200)
	s.do(t, "POST", "/api/v1/metadata/vocabularies", `{"key":"regions","name":"Regions"}`).want(t, 201)
	s.do(t, "POST", "/api/v1/metadata/fields", `{"key":"n","label":"N","type":"number"}`).want(t, 201)
	paths := []string{bare, full, plain, trashed,
		make("/collections", `{"name":"below","parent_id":1,"description":"d","visibility":"restricted","viewer_ids":[1]}`),
		make("/collections", `{"name":"ruled","rules":{"type":"group","operator":"or","rules":[`+
			rule("asset.width", "equals", `40.0`)+`]}}`),
		"/api/v1/metadata/vocabularies/regions", make("/metadata/vocabularies/regions/terms", `{"key":"fr","label":"France"}`),
		"/api/v1/metadata/fields/n",
		make("/saved-searches", `{"name":"s","query":{"q":"x","filters":`+rule("asset.width", "equals", `1e1`)+`}}`),
		make("/saved-searches", `{"name":"empty","query":{}}`),
		make("/webhooks", `{"url":"https://e.example/","events":["asset.created","*"],"is_active":false}`)}
	events := len(s.events(t))
	for _, path := range paths {
		before := s.do(t, "GET", path, "").want(t, 200)
		data := before.get("data").(map[string]any)
		body, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		s.do(t, "PUT", path, string(body)).want(t, 200)
		if after := s.do(t, "GET", path, "").want(t, 200); !reflect.DeepEqual(after.get("data"), before.get("data")) {
			t.Errorf("%s changed:\n%s\n%s", path, before.body, after.body)
		}
		// The same instant in another time zone is equal.
		created, err := time.Parse(time.RFC3339, fmt.Sprint(data["created_at"]))
		if data["created_at"] != nil {
			if err != nil {
				t.Fatal(err)
			}
			elsewhere := created.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano)
			s.do(t, "PUT", path, `{"created_at":"`+elsewhere+`"}`).want(t, 200)
			a := s.do(t, "PUT", path, `{"created_at":"`+created.Add(time.Second).Format(time.RFC3339)+`"}`).want(t, 422)
			if a.get("message") != "created_at is read-only." || a.get("errors.created_at") == nil {
				t.Errorf("%s: %s", path, a)
			}
		}
	}
	if n := len(s.events(t)); n != events {
		t.Errorf("there are %d events more", n-events)
	}
	s.do(t, "POST", cover+"/restore", "").want(t, 200)
	if got := s.do(t, "GET", trashed, "").get("data.cover_gaid"); got == nil {
		t.Error("the cover in the trash did not come back")
	}

	// Classes and types can only be read in lists.
	for _, list := range []string{"/asset-classes", "/collection-types"} {
		if list == "/collection-types" {
			make(list, `{"name":"Type"}`)
		}
		for _, item := range s.do(t, "GET", "/api/v1"+list, "").get("data").([]any) {
			body, _ := json.Marshal(item)
			id := item.(map[string]any)["id"]
			s.do(t, "PUT", fmt.Sprintf("/api/v1%s/%v", list, id), string(body)).want(t, 200)
			a := s.do(t, "PUT", fmt.Sprintf("/api/v1%s/%v", list, id), `{"id":999,"name":"x"}`)
			if a.StatusCode != 422 || a.get("errors.id") == nil {
				t.Errorf("%s: %d %s", list, a.StatusCode, a)
			}
		}
	}
	for _, tt := range []struct{ path, body, field string }{
		{bare, `{"gaid":"01KB3J8Q5V7X9Z1B3D5F7H9K1M"}`, "gaid"},
		{bare, `{"title":"x","version":99,"owner":null}`, "version"},
		{bare, `{"urls":{"original":"x","preview":null,"thumbnail":null,"large":null,"proxy":null}}`, "urls"},
		{plain, `{"id":77}`, "id"},
		{plain, `{"assets_count":5}`, "assets_count"},
		{"/api/v1/metadata/fields/n", `{"key":"m"}`, "key"},
		{"/api/v1/metadata/vocabularies/regions", `{"terms_count":9}`, "terms_count"},
		{bare, `{"nonsense":1}`, "nonsense"},
	} {
		if a := s.do(t, "PUT", tt.path, tt.body); a.StatusCode != 422 || a.get("errors."+tt.field) == nil {
			t.Errorf("PUT %s %s = %d %s", tt.path, tt.body, a.StatusCode, a)
		}
	}
}

// Integers are accepted in every JSON notation, and other numbers are refused at their
// position, in English.
func TestIntegers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	asset := "/api/v1/assets/" + gaid
	class := s.do(t, "POST", "/api/v1/asset-classes", `{"name":"Photo"}`).want(t, 201).get("data.id")
	if got := s.do(t, "PUT", asset, fmt.Sprintf(`{"asset_class_id":%v.0}`, class)).want(t, 200).get("data.asset_class_id"); got != class {
		t.Errorf("asset_class_id %v", got)
	}
	a := s.do(t, "POST", "/api/v1/collections", `{"name":"1.0 \"1e0","position":1e2,"viewer_ids":[1.0,1E0]}`).want(t, 201)
	if a.get("data.position") != 100.0 || a.get("data.viewer_ids.0") != 1.0 || a.get("data.name") != `1.0 "1e0` {
		t.Errorf("%s", a)
	}
	s.define(t, `{"key":"a","label":"A","type":"text","position":3.0,"validation":{"max_length":1e1}}`)
	s.do(t, "POST", "/api/v1/saved-searches", `{"name":"a","query":{"asset_class_id":1.0}}`).want(t, 201)
	s.do(t, "POST", "/api/v1/upload-batches", `{"expected_files":2.0,"collection_ids":[1.0]}`).want(t, 201)
	update := `{"type":"bulk_update","selection":{"gaids":["` + gaid + `"]},"changes":{"add_collection_ids":[1.0]}}`
	s.do(t, "POST", "/api/v1/operations", update, "Idempotency-Key", "a").want(t, 202)
	s.list(t, "filters", `{"type":"filter","field":"asset.collections","operator":"in","value":[1.0]}`).want(t, 200)
	const (
		greatest = "9007199254740991"
		date     = "a date and time such as 2026-01-31T12:00:00Z"
	)
	for _, tt := range []struct{ method, path, body, field, want string }{
		{"DELETE", "/api/v1/tokens/+1", "", "token", "token must be an integer."},
		{"GET", "/api/v1/assets?page=%2B1", "", "page", "page must be an integer."},
		{"PUT", asset, `{"asset_class_id":1.5}`, "asset_class_id", "asset_class_id must be an integer."},
		{"PUT", asset, `{"asset_class_id":"1"}`, "asset_class_id", "asset_class_id must be an integer."},
		{"PUT", asset, `{"asset_class_id":0}`, "asset_class_id", "asset_class_id may not be less than 1."},
		{
			"PUT", asset, `{"asset_class_id":1e308}`,
			"asset_class_id", "asset_class_id may not be greater than " + greatest + ".",
		},
		{
			"PUT", asset, `{"asset_class_id":9223372036854775808}`,
			"asset_class_id", "asset_class_id may not be greater than " + greatest + ".",
		},
		{"PUT", asset, `{"asset_class_id":-1e308}`, "asset_class_id", "asset_class_id may not be less than 1."},
		{"PUT", asset, `{"keywords":["a",1]}`, "keywords.1", "keywords.1 must be a string."},
		{"PUT", asset, `{"keywords":"a"}`, "keywords", "keywords must be a list."},
		{"PUT", asset, `{"metadata":[]}`, "metadata", "metadata must be an object."},
		{"PUT", asset, `{"capture_date":"yesterday"}`, "capture_date", "capture_date must be " + date + "."},
		{"PUT", asset, `{"":1}`, "body", ""},
		{"PUT", asset, `{"a b\u0000":1}`, "", `There is no field "a b\x00".`},
		{
			"POST", "/api/v1/collections", `{"name":"x","viewer_ids":[1,1e308]}`,
			"viewer_ids.1", "viewer_ids.1 may not be greater than " + greatest + ".",
		},
		{
			"POST", fieldsPath, `{"key":"b","label":"B","type":"text","validation":{"max_length":"x"}}`,
			"validation.max_length", "validation.max_length must be an integer.",
		},
		{
			"POST", fieldsPath, `{"key":"b","label":"B","type":"integer","validation":{"min":[]}}`,
			"validation.min", "validation.min must be a number or a date.",
		},
		{
			"POST", fieldsPath, `{"key":"b","label":"B","type":"text","default_value":{}}`,
			"default_value", "default_value must be a string, a number, true, false or a list of strings.",
		},
		{
			"POST", fieldsPath, `{"key":"b","label":"B","type":"text","validation":{"pattern":"(a"}}`,
			"validation.pattern", `validation.pattern is invalid: missing closing ) in "(a".`,
		},
		{
			"POST", operations, `{"type":"bulk_delete","selection":{"filters":7}}`,
			"selection.filters", "selection.filters must be an object, or a string that has one.",
		},
		{"GET", "/api/v1/assets?asset_class_id=0", "", "asset_class_id", "asset_class_id may not be less than 1."},
		{"GET", "/api/v1/assets?ingestion_batch_id=0", "", "ingestion_batch_id", "ingestion_batch_id may not be less than 1."},
		{"GET", "/api/v1/assets?asset_class_id=1.0", "", "asset_class_id", "asset_class_id must be an integer."},
		{"GET", "/api/v1/audit-logs?from=x", "", "from", "from must be " + date + "."},
		{"GET", "/api/v1/assets?filters=%7B%22type%22:%22filter%22%7D", "", "filters.field", ""},
	} {
		a := s.do(t, tt.method, tt.path, tt.body, "Idempotency-Key", tt.want)
		errs, _ := a.get("errors").(map[string]any)
		if a.StatusCode != 422 || tt.want != "" && a.get("message") != tt.want || tt.field != "" && errs[tt.field] == nil {
			t.Errorf("%s %s %s = %d %s", tt.method, tt.path, tt.body, a.StatusCode, a)
		}
		for _, internal := range []string{"json:", "Go ", "regexp", "RE2", "expected "} {
			if strings.Contains(string(a.body), internal) {
				t.Errorf("%s %s %s: %s", tt.method, tt.path, tt.body, a)
			}
		}
	}
	s.list(t, "asset_class_id", "").want(t, 200) // treated as absent
}

// All errors of a request are reported together, each with the client's spelling.
func TestAllThatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	a := s.do(t, "GET", "/api/v1/assets?per_page=1000&page=%2B1&nothing=1&asset_class_id=x", "").want(t, 422)
	for field, want := range map[string]string{
		"per_page":       "per_page may not be greater than 100.",
		"page":           "page must be an integer.",
		"asset_class_id": "asset_class_id must be an integer.",
	} {
		if got := a.told(field); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	if a.told("nothing") == "" {
		t.Errorf("%s", a)
	}
}
