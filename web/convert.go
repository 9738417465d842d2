package web

import (
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Time is a time in the API's format: RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON encodes t.
func (t Time) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(timeLayout)+2), '"')
	return append(t.UTC().AppendFormat(b, timeLayout), '"'), nil
}

// Schema describes a time.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-01-31T12:00:00.000Z"}}
}

// NullTime is a time or null.
type NullTime struct{ *time.Time }

// MarshalJSON encodes t.
func (t NullTime) MarshalJSON() ([]byte, error) {
	if t.Time == nil {
		return []byte("null"), nil
	}
	return Time{*t.Time}.MarshalJSON()
}

// Schema describes a time or null.
func (NullTime) Schema(r huma.Registry) *huma.Schema {
	s := Time{}.Schema(r)
	s.Nullable = true
	return s
}

// Null is a T or null.
type Null[T any] struct{ Value *T }

// MarshalJSON encodes the value or null.
func (n Null[T]) MarshalJSON() ([]byte, error) {
	if n.Value == nil {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// UnmarshalJSON decodes the value or null.
func (n *Null[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &n.Value) }

// Schema describes T or null.
func (n Null[T]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeFor[T](), true, "")
	if s.Ref != "" {
		return &huma.Schema{OneOf: []*huma.Schema{s, {Type: "null"}}}
	}
	s.Nullable = true
	return s
}

// null converts what p points to; nil becomes null.
func null[A, B any](p *A, to func(*A) B) Null[B] {
	if p == nil {
		return Null[B]{}
	}
	return Null[B]{ptr(to(p))}
}

// nullWord converts an empty enum value to null.
func nullWord[E dam.Enum[E]](v E) Null[E] {
	if v == "" {
		return Null[E]{}
	}
	return Null[E]{&v}
}

// Opt is a request field that may be absent, null or a value.
type Opt[T any] struct {
	dam.Opt[T]
}

// UnmarshalJSON decodes a field and marks it as sent.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	o.Sent = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

// Schema describes the value or null.
func (o Opt[T]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeOf(o.Value), true, "")
	if s.Ref != "" { // inline: huma's validator accepts anything for a nullable reference
		s = r.SchemaFromRef(s.Ref)
	}
	c := *s
	c.Nullable = c.Type != "" // without a type, the schema itself defines its values
	return &c
}

// set assigns the value if the field was sent; null becomes the zero value.
func set[T any](to *T, o Opt[T]) {
	if o.Sent {
		*to = o.Value
	}
}

// optAs converts the value of a request field.
func optAs[A, B any](o Opt[A], to func(A) B) dam.Opt[B] {
	return dam.Opt[B]{Sent: o.Sent, Null: o.Null, Value: to(o.Value)}
}

// sent returns a patch field with a value.
func sent[T any](v T) dam.Opt[T] { return dam.Opt[T]{Sent: true, Value: v} }

// orTrue returns the value that was sent, and true otherwise.
func orTrue(o Opt[bool]) bool { return !o.Sent || o.Value }

func ptr[T any](v T) *T { return &v }

// value returns *p, or the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// text returns nil for "".
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// number returns nil for 0.
func number[N ~int | ~int64](n N) *int64 {
	if n == 0 {
		return nil
	}
	return ptr(int64(n))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// orEmpty replaces a nil list, so that it is encoded as [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// orEmptyMap replaces a nil map, so that it is encoded as {} instead of null.
func orEmptyMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// mapped returns the results of fn for each item.
func mapped[A, B any](list []A, fn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = fn(v)
	}
	return out
}
