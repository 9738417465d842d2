package dam

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// operatorsOf returns the operators of rules over a custom field, and the type of their
// values.
func (f *Field) operatorsOf() ([]FilterOperator, FilterType) {
	as := f.kind().filter
	switch {
	case as == FilterText && !f.IsSearchable:
		as = FilterPlain
	case as == FilterMetadata:
		return []FilterOperator{OpEquals, OpNotEquals, OpIsEmpty, OpIsNotEmpty}, as
	case as == FilterSet:
		return FilterIDs.operators(), as
	}
	return as.operators(), as
}

// customRule parses a rule over a declared custom field. The type of the field determines
// the operators and values. The search evaluates the rule like one over an undeclared
// field.
func (p *filterParser) customRule(path string, f *Filter, op FilterOperator, value json.RawMessage) *Filter {
	if problem := p.schema.Countable(f.Field.Name); problem != "" {
		p.Add(path+".field", "%s", problem)
		return nil
	}
	field := p.schema.Field(f.Field.Name)
	operators, as := field.operatorsOf()
	if !slices.Contains(operators, op) {
		p.Add(path+".operator", "The field metadata.%s does not have the operator %s; it has %s.", field.Key, op, listed(operators))
		return nil
	}
	f.Operator = op
	path += ".value"
	before := p.count()
	if field.Type == FieldBoolean {
		f.Value = p.boolean(path, op, value)
	} else {
		f.Value = p.value(path, FilterField{field.Key, as}, op, value)
	}
	if field.hasTerms() && p.count() == before {
		p.termKeys(path, field, f)
	}
	if p.count() > before {
		return nil
	}
	return f
}

func (p *filterParser) boolean(path string, op FilterOperator, text json.RawMessage) (v FilterValue) {
	if op == OpIsEmpty || op == OpIsNotEmpty {
		return v
	}
	switch strings.Trim(string(bytes.TrimSpace(text)), `"`) { // forms send it as a string
	case "true":
		v.Bools = []bool{true}
	case "false":
		v.Bools = []bool{false}
	default:
		p.Add(path, "value must be true or false.")
	}
	return v
}

// termKeys replaces the keys or labels of terms in a rule by keys. The operators contains
// and in match a term and its descendants; equals matches exactly the given terms.
func (p *filterParser) termKeys(path string, field *Field, f *Filter) {
	v := p.schema.Vocabulary(field)
	if v == nil || len(f.Value.Texts) == 0 {
		return
	}
	switch f.Operator {
	case OpContains:
		f.Operator = OpIn
	case OpNotContains:
		f.Operator = OpNotIn
	}
	below := f.Operator == OpIn || f.Operator == OpNotIn
	seen := map[string]bool{}
	var keys []string
	add := func(t *Term) {
		if !seen[t.Key] {
			seen[t.Key] = true
			keys = append(keys, t.Key)
		}
	}
	for _, text := range f.Value.Texts {
		found := v.Find(text)
		if len(found) == 0 {
			p.Add(path, "The vocabulary of %s has no term %q.", field.Key, text)
			return
		}
		if !below && len(found) > 1 {
			p.Add(path, "The vocabulary of %s has several terms with the label %q; name one by its key.", field.Key, text)
			return
		}
		if p.saved && found[0].Key != text {
			p.Add(path, "The term %q has to be named by its key, such as %q: a label can change.", cut(text, 100), found[0].Key)
			return
		}
		for _, t := range found {
			add(t)
			if below {
				v.walk(t.ID, add)
			}
		}
	}
	if p.terms += len(keys); p.terms > MaxFilterTerms {
		p.Add(path, "The rules stand for more than %d terms.", MaxFilterTerms)
		return
	}
	f.Value.Texts = keys
}
