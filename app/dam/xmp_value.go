package dam

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

// plusVocabulary is the prefix of PLUS terms, as in plus:DataMining; their keys are the
// rest in lower case.
const plusVocabulary = "http://ns.useplus.org/ldf/vocab/"

// FromXMP converts an XMP property to a valid value of a field. For an invalid property it
// returns nil and the predicate of an error sentence whose subject is the field. A keyword
// path represents its last term.
func (s *Schema) FromXMP(f *Field, texts []string) (v any, problem string) {
	var raw any
	switch {
	case len(texts) == 0:
		return nil, "is empty."
	case f.hasTerms() && s.Vocabulary(f) == nil:
		return nil, "has no vocabulary."
	case f.hasTerms():
		keys, unknown := s.termsOfXMP(f, texts)
		if raw = keys; len(keys) == 0 {
			return nil, "has no term " + strconv.Quote(cut(unknown[0], 100)) + " in its vocabulary."
		}
		if f.Type == FieldTerm && len(keys) == 1 {
			raw = keys[0]
		}
	case f.Type == FieldDate && len(texts[0]) > len("2026-01-31"):
		raw = texts[0][:len("2026-01-31")]
	case f.Type == FieldDatetime:
		if raw = texts[0]; len(texts[0]) == len("2026-01-31T12:00:00") {
			raw = texts[0] + "Z" // treated as UTC
		}
	case f.Type == FieldURL:
		raw = texts[0]
	default:
		raw = strings.Join(texts, ", ")
	}
	raw = s.parseXMP(f, raw)
	var p Problems
	v = p.value("value", s, f, raw, nil)
	if err := p.Err(); err != nil {
		return nil, strings.TrimPrefix(p.all().Fields[0].Msg, f.Key+" ")
	}
	if v == nil {
		return nil, "is empty."
	}
	return v, ""
}

// parseXMP converts a text to a value of the field's type.
func (s *Schema) parseXMP(f *Field, raw any) any {
	if text, ok := raw.(string); ok && !f.isText() && !f.hasTerms() {
		return s.parse(f, text)
	}
	return raw
}

// termsOfXMP returns the keys of the terms in texts, without duplicates, and the texts
// without an active term.
func (s *Schema) termsOfXMP(f *Field, texts []string) (keys []any, unknown []string) {
	v := s.Vocabulary(f)
	for _, text := range texts {
		key := s.termOfXMP(f, text)
		switch t := v.Term(key); {
		case t == nil || !t.IsActive || len(keys) >= MaxKeywords:
			unknown = append(unknown, text)
		case !slices.Contains(keys, any(key)):
			keys = append(keys, key)
		}
	}
	return keys, unknown
}

// UnknownInXMP returns the texts of an XMP property that have no active term in the field's
// vocabulary.
func (s *Schema) UnknownInXMP(f *Field, texts []string) []string {
	if !f.hasTerms() || s.Vocabulary(f) == nil {
		return nil
	}
	_, unknown := s.termsOfXMP(f, texts)
	return unknown
}

// termOfXMP returns the key of the term for a text, or the text itself.
func (s *Schema) termOfXMP(f *Field, text string) string {
	v := s.Vocabulary(f)
	if v == nil {
		return text
	}
	if rest, ok := strings.CutPrefix(text, plusVocabulary); ok && strings.HasPrefix(f.XMPPath, "plus:") {
		text = strings.ToLower(rest)
	}
	if f.XMPPath == XMPHierarchy {
		if t, missing := v.along(strings.Split(text, "|")); len(missing) == 0 && t != nil {
			return t.Key
		}
		return text
	}
	if found := v.Find(strings.TrimSpace(text)); len(found) == 1 {
		return found[0].Key
	}
	return text
}

// along follows labels or keys from the top level. It returns the last term found, nil for
// none, and the labels without a term.
func (v *Vocabulary) along(labels []string) (last *Term, missing []string) {
	parent := int64(0)
	for i, label := range labels {
		at := slices.IndexFunc(v.below[parent], func(t *Term) bool { return foldLabel(t.Label) == foldLabel(label) || t.Key == label })
		if at < 0 {
			return last, labels[i:]
		}
		last = v.below[parent][at]
		parent = last.ID
	}
	return last, nil
}

// NewTerms returns up to most new terms for the first text of an XMP property that the
// field's vocabulary lacks. Each term of list is the parent of the next, and parent is the
// existing parent of the first. The IDs of new terms, and the parents that are new, are not
// set.
func (s *Schema) NewTerms(f *Field, texts []string, most int) (parent *Term, list []*Term) {
	v := s.Vocabulary(f)
	if v == nil || !f.AcceptsNewTerms {
		return nil, nil
	}
	for _, text := range texts {
		labels := []string{text}
		if f.XMPPath == XMPHierarchy {
			labels = strings.Split(text, "|")
		} else if len(v.Find(strings.TrimSpace(text))) > 0 || strings.HasPrefix(text, plusVocabulary) {
			continue
		}
		last, missing := v.along(labels)
		if len(missing) == 0 || len(labels) > MaxTermDepth || len(missing) > most || len(v.Terms)+len(missing) > MaxTerms {
			continue
		}
		taken := map[string]bool{}
		for i, label := range missing {
			t := &Term{VocabularyID: v.ID, Label: cut(Visible(strings.Join(strings.Fields(label), " ")), 255), IsActive: true}
			t.Key = v.freeKey(t.Label, taken)
			if i == 0 {
				siblings := v.below[0]
				if last != nil {
					t.ParentID, siblings = last.ID, v.below[last.ID]
				}
				if n := len(siblings); n > 0 {
					t.Position = After(siblings[n-1].Position)
				}
			}
			list = append(list, t)
		}
		return last, list
	}
	return nil, nil
}

// freeKey returns an unused key for a label.
func (v *Vocabulary) freeKey(label string, taken map[string]bool) string {
	key := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r < 0x80:
			return ' '
		}
		return -1
	}, strings.ToLower(label))
	if key = strings.Join(strings.Fields(key), "-"); key == "" {
		key = fmt.Sprintf("term-%08x", crc32.ChecksumIEEE([]byte(label)))
	}
	key = key[:min(len(key), 56)]
	for n, base := 2, key; v.byKey[key] != nil || taken[key]; n++ {
		key = base + "-" + strconv.Itoa(n)
	}
	taken[key] = true
	return key
}

// ToXMP returns the XMP form of a field's value.
func (s *Schema) ToXMP(f *Field, v any) []string {
	var texts []string
	for _, x := range listOf(v) {
		switch x := x.(type) {
		case string:
			if f.hasTerms() {
				x = s.termToXMP(f, x)
			}
			texts = append(texts, x)
		case float64:
			texts = append(texts, strconv.FormatFloat(x, 'f', -1, 64))
		case bool:
			texts = append(texts, map[bool]string{true: "True", false: "False"}[x])
		}
	}
	return texts
}

// termToXMP returns the XMP form of a term.
func (s *Schema) termToXMP(f *Field, key string) string {
	v := s.Vocabulary(f)
	if v == nil || v.byKey[key] == nil {
		return key
	}
	switch {
	case strings.HasPrefix(f.XMPPath, "plus:"):
		return plusVocabulary + strings.ToUpper(key)
	case f.XMPPath != XMPHierarchy:
		return v.byKey[key].Label
	}
	var labels []string
	for t := v.byKey[key]; t != nil && len(labels) < MaxTermDepth; t = v.byID[t.ParentID] {
		labels = append(labels, strings.ReplaceAll(t.Label, "|", " "))
	}
	slices.Reverse(labels)
	return strings.Join(labels, "|")
}
