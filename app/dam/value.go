package dam

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// datetimeLayout is how values of the type datetime are kept.
const datetimeLayout = "2006-01-02T15:04:05.000Z"

// value reads a value that somebody writes into a field, given the one that was
// there, and returns it as it is kept: nil if it is blank, which is no value.
func (p *Problems) value(path string, s *Schema, f *Field, raw, had any) any {
	if Blank(raw) {
		return nil
	}
	v, problem := s.typed(f, raw)
	if problem != "" {
		p.Add(path, "The %s field %s", f.Key, problem)
		return nil
	}
	switch {
	case f.Type.isText():
		p.textBounds(path, f, v.(string))
	case f.Type == FieldTerm:
		p.active(path, s, f, []any{v}, had)
	case f.Type == FieldTerms:
		p.active(path, s, f, v.([]any), had)
		p.bounds(path, f, float64(len(v.([]any))), " items")
	case f.Type != FieldBoolean:
		p.bounds(path, f, v, "")
	}
	return v
}

// Blank reports whether a value is none, as an empty input of a form is.
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
		p.Add(path, "The %s field must not be greater than %d characters.", f.Key, most)
	}
	if f.pattern != nil && !f.pattern.MatchString(v) {
		p.Add(path, "The %s field must match the pattern %s.", f.Key, f.Validation.Pattern)
	}
}

func (p *Problems) bounds(path string, f *Field, v any, unit string) {
	if f.lo != nil && compareBounds(v, f.lo) < 0 {
		p.Add(path, "The %s field must not be less than %s%s.", f.Key, plain(f.Validation.Min), unit)
	}
	if f.hi != nil && compareBounds(v, f.hi) > 0 {
		p.Add(path, "The %s field must not be greater than %s%s.", f.Key, plain(f.Validation.Max), unit)
	}
}

// plain writes a bound as people do: 1000000, not 1e+06.
func plain(bound any) string {
	if n, ok := bound.(float64); ok && math.Abs(n) < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(bound)
}

// active checks that terms can be given: they are active, or were there.
func (p *Problems) active(path string, s *Schema, f *Field, keys []any, had any) {
	before, _ := had.([]any)
	if had != nil && before == nil {
		before = []any{had}
	}
	for _, key := range keys {
		if t := s.Vocabulary(f).Term(key.(string)); !t.IsActive && !slices.Contains(before, key) {
			p.Add(path, "The term %q of the %s field is no longer in use.", t.Key, f.Key)
		}
	}
}

// typed returns a value as it is kept if it is one of the field's type, else
// how a sentence about it goes on. Bounds and the like do not count.
func (s *Schema) typed(f *Field, raw any) (v any, problem string) {
	switch {
	case f.Type.isText():
		return typedText(f.Type, raw)
	case f.Type.isNumber():
		n, ok := toNumber(raw)
		switch {
		case !ok:
			return nil, "must be a number."
		case f.Type == FieldInteger && (n != math.Trunc(n) || math.Abs(n) > maxInteger):
			return nil, "must be an integer between -9007199254740991 and 9007199254740991."
		}
		if n == 0 {
			n = 0 // not -0
		}
		return n, ""
	case f.Type == FieldBoolean:
		if b, ok := raw.(bool); ok {
			return b, ""
		}
		return nil, "must be true or false."
	case f.Type.isDate():
		if text, ok := dateText(f.Type, raw); ok {
			return text, ""
		}
		return nil, "must be " + dateExample(f.Type) + "."
	case f.Type == FieldTerm:
		return s.typedTerm(f, raw)
	}
	return s.typedTerms(f, raw)
}

func typedText(t FieldType, raw any) (any, string) {
	s, ok := raw.(string)
	switch {
	case !ok:
		return nil, "must be a text."
	case !utf8.ValidString(s):
		return nil, "must be valid UTF-8."
	case utf8.RuneCountInString(s) > t.maxLength():
		return nil, "must not be greater than " + itoa(t.maxLength()) + " characters."
	case t == FieldURL:
		if u, err := url.Parse(s); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsFunc(s, notInURL) {
			return nil, "must be a URL that begins with http:// or https://."
		}
	}
	return s, ""
}

// notInURL reports whether a character cannot be shown in a URL, shows it as
// another, or ends it in most texts (RFC 3986 appendix C): it has to be
// escaped. Letters of other scripts are taken as people write them.
func notInURL(r rune) bool {
	return r == ' ' || !unicode.IsPrint(r) || strings.ContainsRune("<>\"`\\", r)
}

func (s *Schema) typedTerm(f *Field, raw any) (any, string) {
	key, ok := raw.(string)
	if !ok {
		return nil, "must be a text: the key of a term."
	}
	v := s.Vocabulary(f)
	if v == nil || v.byKey[key] == nil {
		return nil, "has no term " + strconv.Quote(cut(key, 100)) + " in its vocabulary."
	}
	return key, ""
}

func (s *Schema) typedTerms(f *Field, raw any) (any, string) {
	var list []any
	switch x := raw.(type) {
	case []any:
		list = x
	case []string:
		for _, k := range x {
			list = append(list, k)
		}
	default:
		return nil, "must be a list of keys of terms."
	}
	if len(list) == 0 || len(list) > MaxKeywords {
		return nil, "must have between 1 and " + itoa(MaxKeywords) + " terms."
	}
	out := make([]any, 0, len(list))
	for _, x := range list {
		key, problem := s.typedTerm(f, x)
		if problem != "" {
			return nil, problem
		}
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out, ""
}

// toNumber returns a finite number.
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

// dateText returns a date or an instant as it is kept.
func dateText(t FieldType, raw any) (string, bool) {
	s, ok := raw.(string)
	if !ok || len(s) > 64 {
		return "", false
	}
	if t == FieldDate {
		d, err := time.Parse(time.DateOnly, s)
		return s, err == nil && d.Year() > 0
	}
	at, err := time.Parse(time.RFC3339, s)
	at = at.UTC()
	return at.Format(datetimeLayout), err == nil && at.Year() > 0 && at.Year() < 10_000
}

func dateExample(t FieldType) string {
	if t == FieldDate {
		return "a date such as 2026-01-31"
	}
	return "a date and time such as 2026-01-31T12:00:00Z"
}

// Fit returns a value that is there already as one of a field that is declared,
// or gets another type, later: as it is, or turned into the type without loss.
// It is not held to the field's bounds.
func (s *Schema) Fit(f *Field, v any) (any, bool) {
	if Blank(v) {
		return nil, false
	}
	list, isList := v.([]any)
	if isList && len(list) == 1 && f.Type != FieldTerms {
		v = list[0]
	}
	switch x := v.(type) {
	case float64:
		if f.Type.isText() {
			v = strconv.FormatFloat(x, 'f', -1, 64)
		}
	case bool:
		if f.Type.isText() {
			v = strconv.FormatBool(x)
		}
	case string:
		v = s.fitText(f, x)
	}
	if f.Type == FieldTerms {
		if !isList {
			list = []any{v}
		}
		keys := make([]any, len(list))
		for i, x := range list {
			if keys[i] = x; x != nil {
				if text, ok := x.(string); ok {
					keys[i] = s.fitText(f, text)
				}
			}
		}
		v = keys
	}
	v, problem := s.typed(f, v)
	return v, problem == ""
}

// fitText turns a text into a value of the field's type if it is one.
func (s *Schema) fitText(f *Field, text string) any {
	switch {
	case f.Type.isNumber():
		if t := strings.TrimSpace(text); decimal.MatchString(t) {
			if n, err := strconv.ParseFloat(t, 64); err == nil {
				return n
			}
		}
	case f.Type == FieldBoolean:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true":
			return true
		case "false":
			return false
		}
	case f.Type.hasTerms():
		if v := s.Vocabulary(f); v != nil {
			if found := v.Find(strings.TrimSpace(text)); len(found) == 1 {
				return found[0].Key
			}
		}
	}
	return text
}
