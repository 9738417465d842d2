package dam

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"time"
)

// Schema is an immutable snapshot of the definitions of a library: its custom fields and
// vocabularies. Without fields, or if it is nil, metadata is free-form: any key takes any
// value.
type Schema struct {
	Version      int64            // incremented by each change of a definition
	Fields       []*Field         // by position, then by key
	Vocabularies []*Vocabulary    // by name, then by key
	Now          func() time.Time // reference time of relative dates in filters; nil for the system clock

	fields       map[string]*Field
	vocabularies map[int64]*Vocabulary
}

// NewSchema builds a schema and takes ownership of its arguments. A field loses a stored
// validation that Validate would reject.
func NewSchema(version int64, fields []*Field, vocabularies []*Vocabulary) *Schema {
	s := &Schema{
		Version: version, Fields: fields, Vocabularies: vocabularies,
		fields: map[string]*Field{}, vocabularies: map[int64]*Vocabulary{},
	}
	for _, f := range fields {
		if !f.ready && f.prepare() != nil {
			f.Validation, f.lo, f.hi, f.pattern = FieldValidation{}, nil, nil, nil
		}
		f.ready = true
		s.fields[f.Key] = f
	}
	for _, v := range vocabularies {
		s.vocabularies[v.ID] = v
	}
	slices.SortFunc(s.Fields, func(a, b *Field) int { return cmp.Or(a.Position-b.Position, cmp.Compare(a.Key, b.Key)) })
	slices.SortFunc(s.Vocabularies, func(a, b *Vocabulary) int {
		return cmp.Or(cmp.Compare(foldLabel(a.Name), foldLabel(b.Name)), cmp.Compare(a.Key, b.Key))
	})
	return s
}

// With returns s with f added, replacing a field with the same key.
func (s *Schema) With(f *Field) *Schema {
	fields := []*Field{f}
	for _, other := range s.Fields {
		if other.Key != f.Key {
			fields = append(fields, other)
		}
	}
	return NewSchema(s.Version, fields, slices.Clone(s.Vocabularies))
}

// Without returns s without the field with the given key.
func (s *Schema) Without(key string) *Schema {
	fields := slices.DeleteFunc(slices.Clone(s.Fields), func(f *Field) bool { return f.Key == key })
	return NewSchema(s.Version, fields, slices.Clone(s.Vocabularies))
}

// Declared reports whether custom fields are declared, so that metadata is not free-form.
func (s *Schema) Declared() bool { return s != nil && len(s.Fields) > 0 }

// Field returns the field with the given key, nil for none.
func (s *Schema) Field(key string) *Field {
	if s == nil {
		return nil
	}
	return s.fields[key]
}

// Vocabulary returns the vocabulary of a field, nil for none.
func (s *Schema) Vocabulary(f *Field) *Vocabulary { return s.VocabularyByID(f.VocabularyID) }

// VocabularyByID returns the vocabulary with the given ID, nil for none.
func (s *Schema) VocabularyByID(id int64) *Vocabulary {
	if s == nil {
		return nil
	}
	return s.vocabularies[id]
}

// VocabularyNamed returns the vocabulary with the given key, nil for none.
func (s *Schema) VocabularyNamed(key string) *Vocabulary {
	for _, v := range s.Vocabularies {
		if v.Key == key {
			return v
		}
	}
	return nil
}

// check validates written metadata against the previous metadata and returns its stored
// form. Unchanged values are kept even if they violate a rule that was added later, and so
// are undeclared keys.
func (s *Schema) check(p *Problems, class int64, before, after map[string]any) map[string]any {
	n := p.count()
	p.metadata("metadata", after)
	if p.count() > n {
		return after
	}
	if !s.Declared() {
		p.metadataSize("metadata", before, after)
		return after
	}
	out := make(map[string]any, len(after))
	for _, key := range sortedKeys(after) {
		v, path := after[key], "metadata."+key
		if had, ok := before[key]; ok && reflect.DeepEqual(had, v) {
			out[key] = v
			continue
		}
		f := s.fields[key]
		switch {
		case f == nil:
			p.Add(path, "There is no metadata field %s.", key)
		case !f.AppliesTo(class):
			p.Add(path, "The field %s does not apply to assets of this class.", key)
		default:
			if v = p.value(path, s, f, v, before[key]); v != nil {
				out[key] = v
			}
		}
	}
	p.metadataSize("metadata", before, out)
	return out
}

// fill adds the defaults of a class's fields without a value, except for those in skip, up
// to the metadata limits.
func (s *Schema) fill(class int64, m, skip map[string]any) map[string]any {
	if !s.Declared() {
		return m
	}
	for _, f := range s.Fields {
		_, skipped := skip[f.Key]
		if _, has := m[f.Key]; has || skipped || f.Default == nil || !f.AppliesTo(class) || len(m) >= MaxMetaKeys {
			continue
		}
		if m == nil {
			m = map[string]any{}
		}
		m[f.Key] = f.Default
		if jsonSize(m) > MaxMetadataBytes {
			delete(m, f.Key)
		}
	}
	return m
}

// required adds a problem for each required field of a class without a value.
func (s *Schema) required(p *Problems, class int64, m map[string]any) {
	if !s.Declared() {
		return
	}
	for _, f := range s.Fields {
		if _, has := m[f.Key]; !has && f.IsRequired && f.AppliesTo(class) {
			p.Add("metadata."+f.Key, "%s is required.", f.Key)
		}
	}
}

// Ingested returns the metadata that a new asset of a class gets from its batch: values
// that match the current fields, plus the defaults.
func (s *Schema) Ingested(class int64, m map[string]any) map[string]any {
	m = maps.Clone(m)
	if !s.Declared() {
		return m
	}
	for key, v := range m {
		if f := s.fields[key]; f != nil {
			if fit, ok := s.Fit(f, v); ok {
				m[key] = fit
			} else {
				delete(m, key)
			}
		}
	}
	return s.fill(class, m, nil)
}

// ForSearch returns metadata for the search index: with the labels of terms instead of
// their keys, and without fields that are not searchable.
func (s *Schema) ForSearch(m map[string]any) map[string]any {
	if !s.Declared() || len(m) == 0 {
		return m
	}
	out := make(map[string]any, len(m))
	for key, v := range m {
		f := s.fields[key]
		switch {
		case f == nil:
			out[key] = v
		case !f.IsSearchable:
		case f.hasTerms():
			out[key] = s.labels(f, v)
		default:
			out[key] = v
		}
	}
	return out
}

func (s *Schema) labels(f *Field, v any) any {
	if list, ok := v.([]any); ok {
		out := make([]any, len(list))
		for i, x := range list {
			out[i] = s.labels(f, x)
		}
		return out
	}
	key, _ := v.(string)
	if label := s.Label(f.Key, key); label != "" {
		return label
	}
	return v
}

// Label returns the label of a term in a field, "" if the value is not a term.
func (s *Schema) Label(field, value string) string {
	f := s.Field(field)
	if f == nil || !f.hasTerms() {
		return ""
	}
	if v := s.Vocabulary(f); v != nil && v.byKey[value] != nil {
		return v.byKey[value].Label
	}
	return ""
}

// Countable returns "" if the custom field with the given key can be used in filters and
// facets, otherwise an error sentence.
func (s *Schema) Countable(key string) string {
	if !s.Declared() {
		return ""
	}
	switch f := s.fields[key]; {
	case f == nil:
		return "There is no metadata field " + key + "."
	case !f.IsFilterable:
		return "The metadata field " + key + " is not filterable."
	}
	return ""
}
