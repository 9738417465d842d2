package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// maxInteger is the largest integer that JSON represents safely (RFC 8259 section 6); its
// negative is the smallest.
const maxInteger = 1<<53 - 1

// decodeJSON is json.Unmarshal, but accepts 1.0 and 1e0 as integers, as JSON Schema does.
func decodeJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || !strings.HasPrefix(wrong.Value, "number") {
		return err
	}
	plain := plainIntegers(data)
	if plain == nil {
		return err
	}
	reflect.ValueOf(v).Elem().SetZero()
	return json.Unmarshal(plain, v)
}

// boundIntegers adds bounds to the integers in a request body, so that huma refuses numbers
// out of range, naming the field, before Go does.
func boundIntegers(reg huma.Registry, name string, s *huma.Schema) {
	for s != nil && s.Ref != "" {
		s = reg.SchemaFromRef(s.Ref)
	}
	if s == nil {
		return
	}
	if s.Type == huma.TypeInteger {
		if s.Minimum == nil {
			s.Minimum = ptr(float64(leastInteger(name)))
		}
		if s.Maximum == nil {
			s.Maximum = ptr(float64(maxInteger))
		}
		s.PrecomputeMessages()
	}
	for name, p := range s.Properties {
		if !p.ReadOnly { // read-only fields are compared, not stored
			boundIntegers(reg, name, p)
		}
	}
	boundIntegers(reg, name, s.Items)
}

// declaredOnly refuses query parameters that the operation does not declare, so that a
// misspelled filter does not match everything. Names are parsed as leniently as by huma.
// The request is refused only after its other checks: see register.
func (s *Server) declaredOnly(ctx huma.Context, next func(huma.Context)) {
	var known []string
	for _, p := range ctx.Operation().Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	takes := "this operation takes none"
	if len(known) > 0 {
		takes = "this operation takes " + strings.Join(known, ", ")
	}
	u := ctx.URL()
	p := &requestOf(ctx.Context()).wrong
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		raw, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(raw)
		if err != nil {
			name = raw
		}
		if pair == "" || seen[name] || slices.Contains(known, name) {
			continue
		}
		seen[name] = true
		p.Add(strings.ToValidUTF8(cmp.Or(name, "query"), "\uFFFD"), "Unknown parameter: %s.", takes)
	}
	next(ctx)
}

// plainNumbers refuses integers in paths and queries that are not plain digits, such as +1
// for 1.
func (s *Server) plainNumbers(ctx huma.Context, next func(huma.Context)) {
	for _, p := range ctx.Operation().Parameters {
		if p.Schema == nil || p.Schema.Type != huma.TypeInteger {
			continue
		}
		value := ctx.Query(p.Name)
		if p.In == "path" {
			value = ctx.Param(p.Name)
		}
		if strings.HasPrefix(value, "+") {
			requestOf(ctx.Context()).wrong.Add(p.Name, "%s", fieldMessage(p.Name, "invalid integer"))
		}
	}
	next(ctx)
}

// plainIntegers rewrites the integers of a valid JSON document that have a fraction or an
// exponent, if they are exact; it returns nil if there are none.
func plainIntegers(data []byte) []byte {
	var out bytes.Buffer
	changed, inText := false, false
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case inText && c == '\\':
			out.Write(data[i:min(i+2, len(data))])
			i += 2
			continue
		case c == '"':
			inText = !inText
		case !inText && (c == '-' || c >= '0' && c <= '9'):
			end := i + 1
			for end < len(data) && strings.IndexByte("0123456789.eE+-", data[end]) >= 0 {
				end++
			}
			token := data[i:end]
			f, err := strconv.ParseFloat(string(token), 64)
			if err == nil && bytes.ContainsAny(token, ".eE") && f == math.Trunc(f) && math.Abs(f) <= maxInteger {
				out.WriteString(strconv.FormatInt(int64(f), 10))
				changed = true
			} else {
				out.Write(token)
			}
			i = end
			continue
		}
		out.WriteByte(c)
		i++
	}
	if !changed {
		return nil
	}
	return out.Bytes()
}
