package dam

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// ParseFilter parses a filter document with the custom fields of a schema. Problems are
// reported as an Invalid error whose fields are paths like "filters.rules.0.operator".
func ParseFilter(text string, s *Schema) (*Filter, error) {
	p := filterParser{schema: s}
	f := p.node("filters", json.RawMessage(text), 1)
	return f, p.Err()
}

// ParseSavedFilter is ParseFilter for a stored document: it must name terms by their keys,
// because labels change.
func ParseSavedFilter(text string, s *Schema) (*Filter, error) {
	p := filterParser{schema: s, saved: true}
	f := p.node("filters", json.RawMessage(text), 1)
	return f, p.Err()
}

type filterParser struct {
	Problems
	rules  int
	terms  int // total over all rules
	picks  int // shares in all rules
	schema *Schema
	saved  bool
}

// node parses a rule or a group. It returns nil if it is invalid.
func (p *filterParser) node(path string, text json.RawMessage, depth int) *Filter {
	if p.rules > MaxFilterRules {
		return nil // already reported
	}
	var n struct {
		Type     *string            `json:"type"`
		Operator *string            `json:"operator"`
		Field    *string            `json:"field"`
		Value    json.RawMessage    `json:"value"`
		Rules    *[]json.RawMessage `json:"rules"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&n)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more after it")
		}
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(text) {
		p.Add(path, "%s must be a JSON object with a rule or a group of rules.", path)
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind := "text"
		if wrong.Field == "rules" {
			kind = "list"
		}
		p.Add(path+"."+wrong.Field, "%s must be a %s.", wrong.Field, kind)
		return nil
	}
	var members map[string]json.RawMessage
	if err == nil && json.Unmarshal(text, &members) == nil { // checks the case of names, which Decode ignores
		for _, name := range sortedNames(members) {
			if !slices.Contains([]string{"type", "operator", "field", "value", "rules"}, name) {
				p.Add(path, "%s has a member it does not know: %q.", path, name)
				return nil
			}
		}
	}
	if err != nil { // an unknown member, whose name is only in the error text
		p.Add(path, "%s has a member it does not know: %s.", path, strings.TrimPrefix(err.Error(), "json: unknown field "))
		return nil
	}
	switch {
	case n.Type == nil:
		p.Add(path+".type", "type is required; it must be \"filter\" or \"group\".")
	case *n.Type == "group":
		if n.Field != nil || n.Value != nil && string(n.Value) != "null" {
			p.Add(path+".type", "A group has the members type, operator and rules only.")
			return nil
		}
		return p.group(path, n.Operator, n.Rules, depth)
	case *n.Type == "filter":
		if n.Rules != nil {
			p.Add(path+".type", "A filter has the members type, field, operator and value only.")
			return nil
		}
		return p.rule(path, n.Field, n.Operator, n.Value)
	default:
		p.Add(path+".type", "The selected type is invalid; it must be \"filter\" or \"group\".")
	}
	return nil
}

func (p *filterParser) group(path string, operator *string, rules *[]json.RawMessage, depth int) *Filter {
	f := &Filter{Group: true}
	switch {
	case operator == nil:
		p.Add(path+".operator", "operator is required; it must be \"and\", \"or\" or \"not\".")
	case *operator == "or":
		f.Any = true
	case *operator == "not":
		f.Not = true
	case *operator != "and":
		p.Add(path+".operator", "The selected operator is invalid; it must be \"and\", \"or\" or \"not\".")
	}
	switch {
	case depth > MaxFilterDepth:
		p.Add(path, "filters may not be nested more than %d groups deep.", MaxFilterDepth)
		return nil
	case rules == nil:
		p.Add(path+".rules", "rules is required.")
		return nil
	}
	for i, r := range *rules {
		if sub := p.node(path+".rules."+itoa(i), r, depth+1); sub != nil {
			f.Rules = append(f.Rules, sub)
		}
	}
	return f
}

func (p *filterParser) rule(path string, field, operator *string, value json.RawMessage) *Filter {
	if p.rules++; p.rules > MaxFilterRules {
		p.Add(path, "filters may not have more than %d rules.", MaxFilterRules)
		return nil
	}
	f := &Filter{}
	known := field != nil
	if !known {
		p.Add(path+".field", "The field of the rule is required.")
	} else if f.Field, known = filterField(*field); !known {
		p.Add(path+".field", "The field %q is not known; it must be asset, asset.title or another field of assets, or metadata.{key}.", *field)
	}
	switch {
	case operator == nil:
		p.Add(path+".operator", "operator is required.")
		return nil
	case !Valid(FilterOperator(*operator)):
		p.Add(path+".operator", "The operator %q is not known; it must be one of %s.", *operator, listed(Values[FilterOperator]()))
		return nil
	case !known:
		return nil
	}
	if f.Field.Type == FilterMetadata && p.schema.Declared() {
		return p.customRule(path, f, FilterOperator(*operator), value)
	}
	if !slices.Contains(f.Field.Type.operators(), FilterOperator(*operator)) {
		p.Add(path+".operator", "The field %s does not have the operator %s; it has %s.", *field, *operator, listed(f.Field.Type.operators()))
		return nil
	}
	f.Operator = FilterOperator(*operator)
	before := p.count()
	f.Value = p.value(path+".value", f.Field, f.Operator, value)
	if p.count() > before {
		return nil
	}
	return f
}

func filterField(full string) (f FilterField, ok bool) {
	if key, meta := strings.CutPrefix(full, "metadata."); meta {
		return FilterField{key, FilterMetadata}, metadataKey.MatchString(key)
	}
	t, ok := filterFields[full]
	return FilterField{strings.TrimPrefix(strings.TrimPrefix(full, "asset"), "."), t}, ok
}
