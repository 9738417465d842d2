package dam

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value parses a new value of a field, given its previous value. It returns the stored
// form, or nil for a blank value.
func (p *Problems) value(path string, s *Schema, f *Field, raw, had any) any {
	if Blank(raw) {
		return nil
	}
	kind := f.kind()
	v, problem := kind.read(s, f, raw)
	if problem != "" {
		p.Add(path, "%s %s", f.Key, problem)
		return nil
	}
	if text, ok := v.(string); ok && f.isText() {
		p.textBounds(path, f, text)
	}
	if kind.terms {
		p.active(path, s, f, v, had)
	}
	if kind.bound != nil {
		p.bounds(path, f, v)
	}
	return v
}

// Blank reports whether a value is empty, such as an empty form input.
func Blank(raw any) bool {
	switch v := raw.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case []string:
		return len(v) == 0
	}
	return false
}

func (p *Problems) textBounds(path string, f *Field, v string) {
	if most := f.Validation.MaxLength; most > 0 && utf8.RuneCountInString(v) > most {
		p.Add(path, "%s may not have more than %d characters.", f.Key, most)
	}
	if f.pattern != nil && !f.pattern.MatchString(v) {
		p.Add(path, "%s must match the pattern %s.", f.Key, f.Validation.Pattern)
	}
}

// bounds checks a value against the field's min and max.
func (p *Problems) bounds(path string, f *Field, v any) {
	unit := ""
	if measure := f.kind().measure; measure != nil {
		v, unit = measure(v)
	}
	if f.lo != nil && compareBounds(v, f.lo) < 0 {
		p.Add(path, "%s may not be less than %s%s.", f.Key, plain(f.Validation.Min), unit)
	}
	if f.hi != nil && compareBounds(v, f.hi) > 0 {
		p.Add(path, "%s may not be greater than %s%s.", f.Key, plain(f.Validation.Max), unit)
	}
}

// plain formats a limit without an exponent: 1000000, not 1e+06.
func plain(bound any) string {
	if n, ok := bound.(float64); ok && math.Abs(n) < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(bound)
}

// active checks that the terms in a value are active or were part of the previous value.
func (p *Problems) active(path string, s *Schema, f *Field, v, had any) {
	before := listOf(had)
	for _, key := range listOf(v) {
		if t := s.Vocabulary(f).Term(key.(string)); !t.IsActive && !slices.Contains(before, key) {
			p.Add(path, "The term %q of the %s field is no longer in use.", t.Key, f.Key)
		}
	}
}

// listOf returns the items of a list, or a list of one value.
func listOf(v any) []any {
	if list, ok := v.([]any); ok || v == nil {
		return list
	}
	return []any{v}
}

// toNumber converts a finite number to float64.
func toNumber(raw any) (n float64, ok bool) {
	switch x := raw.(type) {
	case float64:
		n, ok = x, true
	case int:
		n, ok = float64(x), true
	case int64:
		n, ok = float64(x), true
	case json.Number:
		f, err := x.Float64()
		n, ok = f, err == nil
	}
	return n, ok && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// Fit converts an existing value of an asset when a field is declared or changes its type.
// It returns the value unchanged or converted without loss, and ignores the field's limits.
func (s *Schema) Fit(f *Field, v any) (any, bool) {
	if Blank(v) {
		return nil, false
	}
	if f.Type == FieldTerms {
		keys := slices.Clone(listOf(v))
		for i, x := range keys {
			keys[i] = s.parse(f, x)
		}
		v = keys
	} else {
		if list, ok := v.([]any); ok && len(list) == 1 {
			v = list[0]
		}
		v = s.parse(f, v)
	}
	v, problem := f.kind().read(s, f, v)
	return v, problem == ""
}

// parse converts a value to the field's type if no information is lost.
func (s *Schema) parse(f *Field, v any) any {
	switch x := v.(type) {
	case float64:
		if f.isText() {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	case bool:
		if f.isText() {
			return strconv.FormatBool(x)
		}
	case string:
		if parse := f.kind().parse; parse != nil {
			return parse(s, f, x)
		}
	}
	return v
}
