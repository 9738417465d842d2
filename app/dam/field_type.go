package dam

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// FieldType is the type of a custom field.
type FieldType string

// The types of custom fields, with their JSON values.
const (
	FieldText     FieldType = "text"      // up to 1,000 characters
	FieldLongText FieldType = "long_text" // up to 100,000 characters
	FieldInteger  FieldType = "integer"   // whole number, within ±(2⁵³-1)
	FieldNumber   FieldType = "number"    // finite IEEE 754 double
	FieldBoolean  FieldType = "boolean"
	FieldDate     FieldType = "date"     // "2026-01-31"
	FieldDatetime FieldType = "datetime" // "2026-01-31T06:12:00.000Z", always UTC
	FieldTerm     FieldType = "term"     // the key of a term
	FieldTerms    FieldType = "terms"    // keys of terms, without duplicates
	FieldURL      FieldType = "url"      // http or https, up to 2,000 characters
)

// fieldKind describes a type of custom fields. A new type needs a constant above, an entry
// in fieldKinds, and a migration that allows it in the table metadata_fields.
type fieldKind struct {
	name FieldType
	// read converts a valid value to its stored form. For an invalid value it returns the
	// predicate of an error sentence whose subject is the field. It ignores the limits of
	// the field.
	read func(s *Schema, f *Field, raw any) (v any, problem string)
	// bound parses min and max of the validation like read; nil if the type has no limits.
	// measure returns the quantity that they limit, with its unit; nil means the value
	// itself.
	bound   func(raw any) (v any, problem string)
	measure func(v any) (n any, unit string)
	// parse converts a text to a value of the type, or returns it unchanged.
	parse     func(s *Schema, f *Field, text string) any
	maxLength int        // characters of a text; 0 for other types
	terms     bool       // values are terms of a vocabulary
	filter    FilterType // type of its filter rules; FilterText without full-text search becomes FilterPlain
}

var fieldKinds = []fieldKind{
	textKind(FieldText, MaxLine, nil, ""),
	textKind(FieldLongText, MaxText, nil, ""),
	{name: FieldInteger, read: readInteger, bound: readNumber, parse: parseNumber, filter: FilterNumber},
	{name: FieldNumber, read: free(readNumber), bound: readNumber, parse: parseNumber, filter: FilterNumber},
	{name: FieldBoolean, read: free(readBoolean), parse: parseBoolean, filter: FilterMetadata},
	{name: FieldDate, read: free(readDate), bound: readDate, filter: FilterDay},
	{name: FieldDatetime, read: free(readDatetime), bound: readDatetime, filter: FilterDate},
	{name: FieldTerm, read: (*Schema).readTerm, parse: (*Schema).parseTerm, terms: true, filter: FilterSet},
	{
		name: FieldTerms, read: (*Schema).readTerms, bound: readCount, measure: countItems, parse: (*Schema).parseTerm,
		terms: true, filter: FilterSet,
	},
	textKind(FieldURL, 2000, isURL, "must be a URL that begins with http:// or https://."),
}

// Values lists the types of custom fields.
func (FieldType) Values() []FieldType {
	types := make([]FieldType, len(fieldKinds))
	for i, k := range fieldKinds {
		types[i] = k.name
	}
	return types
}

// kind returns the description of f's type, nil for an unknown type.
func (f *Field) kind() *fieldKind {
	if i := slices.IndexFunc(fieldKinds, func(k fieldKind) bool { return k.name == f.Type }); i >= 0 {
		return &fieldKinds[i]
	}
	return nil
}

func (f *Field) hasTerms() bool { return f.kind().terms }

func (f *Field) isText() bool { return f.kind().maxLength > 0 }

// textKind describes a type of texts with a maximum length and an optional check.
func textKind(name FieldType, most int, check func(string) bool, problem string) fieldKind {
	read := func(raw any) (any, string) {
		s, ok := raw.(string)
		switch {
		case !ok:
			return nil, "must be a text."
		case !utf8.ValidString(s):
			return nil, "must be valid UTF-8."
		case utf8.RuneCountInString(s) > most:
			return nil, "may not have more than " + itoa(most) + " characters."
		case check != nil && !check(s):
			return nil, problem
		}
		return s, ""
	}
	return fieldKind{name: name, read: free(read), maxLength: most, filter: FilterText}
}

// free adapts a read function that needs no definitions.
func free(read func(any) (any, string)) func(*Schema, *Field, any) (any, string) {
	return func(_ *Schema, _ *Field, raw any) (any, string) { return read(raw) }
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsFunc(s, notInURL)
}

// notInURL reports whether a character must be escaped in a URL because it is invisible, is
// displayed differently, or ends a URL in most texts (RFC 3986 appendix C). Letters of all
// scripts are accepted unescaped.
func notInURL(r rune) bool {
	return r == ' ' || !unicode.IsPrint(r) || strings.ContainsRune("<>\"`\\", r)
}

func readNumber(raw any) (any, string) {
	n, ok := toNumber(raw)
	if !ok {
		return nil, "must be a number."
	}
	if n == 0 {
		n = 0 // not -0
	}
	return n, ""
}

func readInteger(_ *Schema, _ *Field, raw any) (any, string) {
	v, problem := readNumber(raw)
	if problem != "" {
		return nil, problem
	}
	if n := v.(float64); n != math.Trunc(n) || math.Abs(n) > maxInteger {
		return nil, "must be an integer between -9007199254740991 and 9007199254740991."
	}
	return v, ""
}

// parseNumber converts a decimal text to a number.
func parseNumber(_ *Schema, _ *Field, text string) any {
	if t := strings.TrimSpace(text); decimal.MatchString(t) {
		if n, err := strconv.ParseFloat(t, 64); err == nil {
			return n
		}
	}
	return text
}

func readBoolean(raw any) (any, string) {
	if b, ok := raw.(bool); ok {
		return b, ""
	}
	return nil, "must be true or false."
}

func parseBoolean(_ *Schema, _ *Field, text string) any {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true":
		return true
	case "false":
		return false
	}
	return text
}

func readDate(raw any) (any, string) {
	s, _ := raw.(string)
	if d, err := time.Parse(time.DateOnly, s); err == nil && d.Year() > 0 {
		return s, ""
	}
	return nil, "must be a date such as 2026-01-31."
}

// datetimeLayout is the stored form of the type datetime.
const datetimeLayout = "2006-01-02T15:04:05.000Z"

func readDatetime(raw any) (any, string) {
	s, _ := raw.(string)
	if at, err := time.Parse(time.RFC3339, s); err == nil && len(s) <= 64 {
		if at = at.UTC(); at.Year() > 0 && at.Year() < 10_000 {
			return at.Format(datetimeLayout), ""
		}
	}
	return nil, "must be a date and time such as 2026-01-31T12:00:00Z."
}

func (s *Schema) readTerm(f *Field, raw any) (any, string) {
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

func (s *Schema) readTerms(f *Field, raw any) (any, string) {
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
		key, problem := s.readTerm(f, x)
		if problem != "" {
			return nil, problem
		}
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out, ""
}

// parseTerm converts the key or the label of a term to its key.
func (s *Schema) parseTerm(f *Field, text string) any {
	if v := s.Vocabulary(f); v != nil {
		if found := v.Find(strings.TrimSpace(text)); len(found) == 1 {
			return found[0].Key
		}
	}
	return text
}

// readCount parses a limit for the number of terms in a value.
func readCount(raw any) (any, string) {
	n, ok := toNumber(raw)
	if !ok || n != math.Trunc(n) || n < 0 || n > MaxKeywords {
		return nil, "must be a number of terms, between 0 and " + itoa(MaxKeywords) + "."
	}
	return n, ""
}

func countItems(v any) (any, string) { return float64(len(v.([]any))), " items" }
