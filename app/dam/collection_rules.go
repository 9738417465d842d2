package dam

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// MapCollections returns a filter document in which each id of a collection rule is
// replaced by to(id). It returns the document unchanged if no id changes. ParseFilter must
// have accepted the document before.
func MapCollections(text string, to func(id int64) int64) string {
	mapped, changed := mapNode(json.RawMessage(text), to)
	if !changed {
		return text
	}
	return string(mapped)
}

func mapNode(text json.RawMessage, to func(int64) int64) (_ json.RawMessage, changed bool) {
	var n struct { // accepts the same spellings as ParseFilter
		Type     json.RawMessage    `json:"type,omitempty"`
		Field    *string            `json:"field,omitempty"`
		Operator json.RawMessage    `json:"operator,omitempty"`
		Value    json.RawMessage    `json:"value,omitempty"`
		Rules    *[]json.RawMessage `json:"rules,omitempty"`
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return text, false
	}
	if n.Field != nil && (*n.Field == "asset.collections" || *n.Field == "asset.collection_tree") {
		n.Value, changed = mapValue(n.Value, to)
	}
	if n.Rules != nil {
		for i, r := range *n.Rules {
			mapped, is := mapNode(r, to)
			(*n.Rules)[i], changed = mapped, changed || is
		}
	}
	if !changed {
		return text, false
	}
	return compactJSON(n), true
}

// mapValue maps the numbers in the value of a rule.
func mapValue(text json.RawMessage, to func(int64) int64) (_ json.RawMessage, changed bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return text, false
	}
	one := func(v any) any {
		n, ok := number(v)
		id := int64(n)
		if !ok || n != float64(id) {
			return v
		}
		mapped := to(id)
		if mapped == id {
			return v
		}
		changed = true
		return json.Number(strconv.FormatInt(mapped, 10))
	}
	if items, ok := v.([]any); ok {
		for i, item := range items {
			items[i] = one(item)
		}
	} else {
		v = one(v)
	}
	if !changed {
		return text, false
	}
	return compactJSON(v), true
}

// compactJSON marshals decoded JSON without HTML escapes.
func compactJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // decoded JSON can always be encoded
	return bytes.TrimSpace(b.Bytes())
}
