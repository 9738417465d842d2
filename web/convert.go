package web

import (
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Time is a time as the API writes it: RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes t.
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

// MarshalJSON writes t.
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

// MarshalJSON writes the value or null.
func (n Null[T]) MarshalJSON() ([]byte, error) {
	if n.Value == nil {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// UnmarshalJSON reads the value or null.
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

// null maps what p points to, nil to null.
func null[A, B any](p *A, to func(*A) B) Null[B] {
	if p == nil {
		return Null[B]{}
	}
	return Null[B]{ptr(to(p))}
}

// nullWord shows an empty word as null.
func nullWord[E dam.Enum[E]](v E) Null[E] {
	if v == "" {
		return Null[E]{}
	}
	return Null[E]{&v}
}

// Opt is a field of a request that may be absent, null or a value.
type Opt[T any] struct {
	dam.Opt[T]
}

// UnmarshalJSON notes that the field was sent.
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
	if s.Ref != "" { // inline: huma's validator lets null beside a reference match anything
		s = r.SchemaFromRef(s.Ref)
	}
	c := *s
	c.Nullable = c.Type != "" // otherwise the schema itself says what it takes
	return &c
}

// set assigns what was sent; null is the zero value.
func set[T any](to *T, o Opt[T]) {
	if o.Sent {
		*to = o.Value
	}
}

// optAs converts the value of a field of a request.
func optAs[A, B any](o Opt[A], to func(A) B) dam.Opt[B] {
	return dam.Opt[B]{Sent: o.Sent, Null: o.Null, Value: to(o.Value)}
}

// sent is a field of a patch that has a value.
func sent[T any](v T) dam.Opt[T] { return dam.Opt[T]{Sent: true, Value: v} }

// orTrue is true unless something else was sent.
func orTrue(o Opt[bool]) bool { return !o.Sent || o.Value }

func ptr[T any](v T) *T { return &v }

// value returns what p points to, the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// text shows an empty text as null.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// number shows 0 as null.
func number[N ~int | ~int64](n N) *int64 {
	if n == 0 {
		return nil
	}
	return ptr(int64(n))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// orEmpty shows a list without items as [], not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// orEmptyMap shows an object without members as {}, not null.
func orEmptyMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// mapped applies fn to each item of a list.
func mapped[A, B any](list []A, fn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = fn(v)
	}
	return out
}
