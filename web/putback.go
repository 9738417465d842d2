package web

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// ReturnedInput stores the raw body of a PUT for registerPut.
type ReturnedInput struct {
	RawBody []byte
}

func (in *ReturnedInput) returned() []byte { return in.RawBody }

// registerPut is register for a PUT whose body may be the whole resource as returned by
// GET: members that cannot be changed are ignored if they equal those that show returns,
// and refused otherwise.
func registerPut[I, O any, P interface {
	*I
	returned() []byte
}](s *Server, r route, show func(context.Context, *I) (any, error),
	fn func(context.Context, *I) (*O, error)) {
	var readOnly []string // set below, before the first request
	put := func(ctx context.Context, in *I) (*O, error) {
		if err := asShown(P(in).returned(), readOnly, func() (any, error) { return show(ctx, in) }); err != nil {
			return nil, err
		}
		return fn(ctx, in)
	}
	if _, own := reflect.TypeFor[I]().FieldByName("IfMatch"); own || r.browsers { // GET returns less of the user's own account
		register(s, r, put)
	} else {
		registerChange(s, r, show, put)
	}
	readOnly = s.describePut(apiRoot + r.path)
	body, _ := reflect.TypeFor[I]().FieldByName("Body")
	s.api.OpenAPI().Paths[apiRoot+r.path].Put.RequestBody.Required = body.Type.Kind() != reflect.Pointer // RawBody made it required
}

// describePut adds the members that only the answer of a PUT contains to its body, as
// read-only ones, and returns their names.
func (s *Server) describePut(path string) (names []string) {
	reg := s.api.OpenAPI().Components.Schemas
	deref := func(schema *huma.Schema) *huma.Schema {
		for schema.Ref != "" {
			schema = reg.SchemaFromRef(schema.Ref)
		}
		return schema
	}
	op := s.api.OpenAPI().Paths[path].Put
	body := deref(op.RequestBody.Content["application/json"].Schema)
	answer := deref(deref(op.Responses["200"].Content["application/json"].Schema).Properties["data"])
	for name, p := range answer.Properties {
		if b := body.Properties[name]; b != nil && !b.ReadOnly { // already added by another PUT with the same body
			continue
		}
		c := *p
		c.ReadOnly = true
		if c.OneOf != nil { // huma's validator accepts null for each alternative, so OneOf would fail
			c.AnyOf, c.OneOf = c.OneOf, nil
		}
		body.Properties[name] = &c
		names = append(names, name)
	}
	slices.Sort(names)
	body.PrecomputeMessages()
	return names
}

// asShown reports which read-only members of a body differ from the current resource.
func asShown(body []byte, readOnly []string, show func() (any, error)) error {
	var sent map[string]json.RawMessage
	if len(bytes.TrimSpace(body)) == 0 || json.Unmarshal(body, &sent) != nil {
		return nil // the route handles empty bodies
	}
	readOnly = slices.DeleteFunc(slices.Clone(readOnly), func(name string) bool { return sent[name] == nil })
	if len(readOnly) == 0 {
		return nil
	}
	resource, err := show()
	if err != nil {
		return err
	}
	b, err := json.Marshal(resource)
	if err != nil {
		return err
	}
	var shown map[string]json.RawMessage
	if err := json.Unmarshal(b, &shown); err != nil {
		return err
	}
	var p dam.Problems
	for _, name := range readOnly {
		if !sameJSON(sent[name], shown[name]) {
			p.Add(name, "%s is read-only.", name)
		}
	}
	return p.Err()
}

// sameJSON reports whether two values are equivalent: numbers are compared by value, times
// by instant.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(instants(x), instants(y))
}

// instants normalizes all times in v.
func instants(v any) any {
	switch x := v.(type) {
	case string:
		if t, err := time.Parse(time.RFC3339Nano, x); err == nil {
			return t.UTC().Format(time.RFC3339Nano)
		}
	case []any:
		for i := range x {
			x[i] = instants(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = instants(x[k])
		}
	}
	return v
}
