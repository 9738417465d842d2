package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// spec is the document as JSON.
type spec struct {
	t       *testing.T
	root    map[string]any
	missing map[string]bool // missing declarations, by location
}

func loadSpec(t *testing.T) *spec {
	t.Helper()
	srv, err := web.New(nil, web.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	d := &spec{t: t, missing: map[string]bool{}}
	if err := json.Unmarshal(srv.OpenAPI(), &d.root); err != nil {
		t.Fatal(err)
	}
	return d
}

// at returns the object at a path of keys, or nil if absent.
func (d *spec) at(keys ...string) map[string]any {
	v := any(d.root)
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	m, _ := v.(map[string]any)
	return m
}

func (d *spec) lacks(format string, args ...any) { d.missing[fmt.Sprintf(format, args...)] = true }

// request walks a request schema and records missing constraints.
func (d *spec) request(where string, s map[string]any, seen map[string]bool) {
	if ref, ok := s["$ref"].(string); ok {
		name := ref[strings.LastIndexByte(ref, '/')+1:]
		if seen[name] {
			return
		}
		seen[name] = true
		where, s = name, d.at("components", "schemas", name)
	}
	is := func(want string) bool {
		list, _ := s["type"].([]any)
		return s["type"] == want || slices.Contains(list, any(want))
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return s[k] != nil })
	}
	switch {
	case is("string") && !has("maxLength", "enum", "const", "format", "pattern"):
		d.lacks("%s: how long the text may be", where)
	case is("integer") && !(has("minimum") && has("maximum")):
		d.lacks("%s: the bounds of the integer", where)
	case is("number") && s["format"] != "double":
		d.lacks("%s: that the number is a double", where)
	case is("array") && !has("maxItems"):
		d.lacks("%s: how long the list may be", where)
	case is("object") && s["additionalProperties"] == nil:
		d.lacks("%s: whether there may be more members", where)
	}
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		if p := p.(map[string]any); p["readOnly"] != true {
			d.request(where+"."+name, p, seen)
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		d.request(where+"[]", items, seen)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		list, _ := s[key].([]any)
		for _, v := range list {
			d.request(where, v.(map[string]any), seen)
		}
	}
}

// words records enums without a name.
func (d *spec) words(where string, v any) {
	switch x := v.(type) {
	case map[string]any:
		parts := strings.Split(where, "/")
		if list, ok := x["enum"].([]any); ok && len(list) > 1 && !(len(parts) == 4 && parts[2] == "schemas") {
			d.lacks("%s: a name for %v (one in enums of document.go)", where, list)
		}
		for k, v := range x {
			d.words(where+"/"+k, v)
		}
	case []any:
		for i, v := range x {
			d.words(fmt.Sprint(where, "/", i), v)
		}
	}
}

// The document declares constraints for everything that a client can send.
func TestDocumentIsComplete(t *testing.T) {
	t.Parallel()
	d := loadSpec(t)
	content := func(where string, v any) {
		m, _ := v.(map[string]any)
		types, _ := m["content"].(map[string]any)
		for kind, media := range types {
			if m := media.(map[string]any); strings.Contains(kind, "json") && m["example"] == nil {
				d.lacks("%s: an example of %s", where, kind)
			}
		}
	}
	for path, item := range d.at("paths") {
		for method, v := range item.(map[string]any) {
			op := v.(map[string]any)
			where := method + " " + path
			params, _ := op["parameters"].([]any)
			seen := map[string]bool{}
			responses := op["responses"].(map[string]any)
			for _, p := range params {
				p := p.(map[string]any)
				d.request(fmt.Sprintf("%s %v", where, p["name"]), p["schema"].(map[string]any), seen)
				if p["name"] == "If-Match" && responses["412"] == nil || p["name"] == "If-None-Match" && method == "get" && responses["304"] == nil {
					d.lacks("%s: what %v is answered with", where, p["name"])
				}
			}
			if body, ok := op["requestBody"].(map[string]any); ok {
				content(where, body)
				for _, media := range body["content"].(map[string]any) {
					d.request(where, media.(map[string]any)["schema"].(map[string]any), seen)
				}
			}
			for code, r := range responses {
				content(where+" "+code, r)
				if code == "201" && d.at("paths", path, method, "responses", code, "headers", "Location") == nil {
					d.lacks("%s: the header Location", where)
				}
				if code < "300" {
					for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit"} {
						if d.at("paths", path, method, "responses", code, "headers", name) == nil {
							d.lacks("%s: the header %s of %s", where, name, code)
						}
					}
				}
			}
		}
	}
	for name, r := range d.at("components", "responses") {
		content("response "+name, r)
	}
	d.words("", d.root)
	for _, what := range slices.Sorted(func(yield func(string) bool) {
		for what := range d.missing {
			if !yield(what) {
				return
			}
		}
	}) {
		t.Error("the document does not say: " + what)
	}
}

// Every example matches its schema.
func TestExamplesFit(t *testing.T) {
	t.Parallel()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	check := func(where string, content openapi3.Content) {
		for kind, media := range content {
			if media.Example == nil || media.Schema == nil || strings.HasPrefix(kind, "multipart/") {
				continue
			}
			n++
			if err := c.doc.ValidateSchemaJSON(media.Schema.Value, media.Example, openapi3.MultiErrors()); err != nil {
				t.Errorf("%s: %v", where, err)
			}
		}
	}
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			where := method + " " + path
			if op.RequestBody != nil {
				check(where, op.RequestBody.Value.Content)
			}
			for code, r := range op.Responses.Map() {
				check(where+" "+code, r.Value.Content)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d examples", n)
	}
}

// The document describes the filter language that the server implements, and every event
// type has its own schema.
func TestDocumentNamesTheLanguage(t *testing.T) {
	t.Parallel()
	d := loadSpec(t)
	operators, _ := d.at("components", "schemas", "FilterOperator")["enum"].([]any)
	if len(operators) != len(dam.Values[dam.FilterOperator]()) || len(operators) != 19 {
		t.Errorf("operators %v", operators)
	}
	fields, _ := d.at("components", "schemas", "FilterField")["enum"].([]any)
	if len(fields) != len(dam.FilterFields()) {
		t.Errorf("fields %v", fields)
	}
	raw, _ := json.Marshal(d.at("paths", "/api/v1/assets", "get")["parameters"])
	if !strings.Contains(string(raw), `"contentSchema":{"$ref":"#/components/schemas/FilterDocument"}`) {
		t.Errorf("the parameter filters: %s", raw)
	}
	for _, where := range []string{"CreateCollection", "Collection", "SavedQuery", "OperationSpec", "Selection"} {
		raw, _ := json.Marshal(d.at("components", "schemas", where))
		if !strings.Contains(string(raw), `#/components/schemas/FilterDocument`) || strings.Contains(string(raw), "x-dal") {
			t.Errorf("%s: %s", where, raw)
		}
	}
	for _, typ := range dam.Values[dam.EventType]() {
		ref, _ := d.at("webhooks", string(typ), "post", "requestBody", "content", "application/json", "schema")["$ref"].(string)
		event := d.at("components", "schemas", ref[strings.LastIndexByte(ref, '/')+1:], "properties")
		if event["type"].(map[string]any)["const"] != string(typ) {
			t.Errorf("%s: %v", typ, event)
		}
		if data := event["data"].(map[string]any); data["$ref"] == nil {
			t.Errorf("%s: data %v", typ, data)
		}
	}
}
