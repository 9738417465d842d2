package web

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// shaped is a body with every kind of member that checkShape distinguishes.
type shaped struct {
	Name string            `json:"name"`
	Tags []string          `json:"tags" maxItems:"3"`
	In   struct{ A int }   `json:"in"`
	List []struct{ B int } `json:"list"`
	Open map[string]any    `json:"open"`
}

func TestCheckShape(t *testing.T) {
	t.Parallel()
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := schemas.Schema(reflect.TypeFor[shaped](), true, "")
	for _, tt := range []struct {
		name, body, known string // known is "" if the body is not parsed
		wrong             string
	}{
		{"valid", `{"name":"a", "in":{"A":1}}`, `{"name":"a", "in":{"A":1}}`, ""},
		{"empty", `{}`, `{}`, ""},
		{"not JSON", `{"x":`, `{"x":`, ""},
		{"no object", `[{"x":1}]`, `[{"x":1}]`, ""},
		{"an unknown member alone", `{ "x" : 1 }`, `{}`, "x"},
		{"the first one", `{"x":[1,{"y":2}], "name":"a"}`, `{"name":"a"}`, "x"},
		{"the last one", `{"name":"a" , "x":"\"}"}`, `{"name":"a"}`, "x"},
		{"one in between", `{"name":"a","x":null,"tags":[]}`, `{"name":"a","tags":[]}`, "x"},
		{"several, first", `{"x":1,"y":2,"name":"a"}`, `{"name":"a"}`, "x y"},
		{"several, everywhere", `{"x":1,"name":"a","y":2,"z":3,"tags":[],"w":4}`, `{"name":"a","tags":[]}`, "x y z w"},
		{"in an object", `{"in":{"x":1,"A":2,"y":3}}`, `{"in":{"A":2}}`, "in.x in.y"},
		{"in an unknown object", `{"x":{"y":1}}`, `{}`, "x"},
		{"in a list", `{"list":[{"B":1,"x":1},{"y":2}],"z":3}`, `{"list":[{"B":1},{}]}`, "list.0.x list.1.y z"},
		{"in an open object", `{"open":{"x":1,"y":{"z":2}}}`, `{"open":{"x":1,"y":{"z":2}}}`, ""},
		{"twice", `{"name":"a","name":"b","tags":[]}`, `{"name":"a","tags":[]}`, "name"},
		{"twice, escaped", `{"name":"a","n\u0061me":"b"}`, `{"name":"a"}`, "name"},
		{"twice and unknown", `{"x":1,"x":2}`, `{}`, "x x"},
		{"twice in an open object", `{"open":{"x":1,"x":2}}`, `{"open":{"x":1}}`, "open.x"},
		{"a name with a dot and a quote", `{"a.b\"":1}`, `{}`, `a.b"`},
		{"other spelling", `{"Name":"a"}`, `{}`, "Name"},
		{"wrong type", `{"name":1,"x":1}`, `{"name":1}`, "x"}, // huma reports the type
		{"a long list after an unknown member", `{"x":1,"tags":["a","b","c","d"],"y":1}`, "", "x tags"},
		{"too many values", `{"x":1,"open":[` + strings.Repeat("1,", maxValues) + `1]}`, "", "x body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p dam.Problems
			known, err := checkShape(schemas, schema, []byte(tt.body), &p)
			if tight := strings.ReplaceAll(string(known), " ", ""); tight != strings.ReplaceAll(tt.known, " ", "") {
				t.Errorf("%.200s is left, want %s", known, tt.known)
			}
			if (err != nil) != (tt.known == "") {
				t.Errorf("error %v", err)
			}
			if wrong := strings.Join(fieldsOf(&p), " "); wrong != tt.wrong {
				t.Errorf("%s is wrong, want %s", wrong, tt.wrong)
			}
		})
	}
}

// fieldsOf returns the fields with problems, in the order found.
func fieldsOf(p *dam.Problems) (fields []string) {
	e, ok := errors.AsType[*dam.Error](p.Err())
	if !ok {
		return nil
	}
	for _, f := range e.Fields {
		fields = append(fields, f.Field)
	}
	return fields
}

// FuzzCheckShape checks that a body without its unknown members is valid JSON, and has
// nothing wrong.
func FuzzCheckShape(f *testing.F) {
	for _, s := range []string{
		`{"x":1,"name":"a","y":2}`, `{ "in" : {"x":1 , "A":2} , "in":{} }`, `{"list":[{"y":[]},{"B":1}],"open":{"a":{},"a":1}}`,
		`{"tags":["\"",{}],"\u0078":"}"}`, `[]`, `{}`, `"a"`, `{"open":{"x":[{"name":1,"name":2}]}}`,
	} {
		f.Add(s)
	}
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := schemas.Schema(reflect.TypeFor[shaped](), true, "")
	f.Fuzz(func(t *testing.T, body string) {
		var p dam.Problems
		known, err := checkShape(schemas, schema, []byte(body), &p)
		if err != nil || !json.Valid([]byte(body)) {
			return
		}
		var again dam.Problems
		if rest, err := checkShape(schemas, schema, known, &again); err != nil || !json.Valid(rest) || again.Err() != nil {
			t.Errorf("%q leaves %q: %v, %v", body, known, err, again.Err())
		}
		if p.Err() == nil && string(known) != body {
			t.Errorf("%q, in which nothing is wrong, becomes %q", body, known)
		}
	})
}
