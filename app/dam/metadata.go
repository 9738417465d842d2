package dam

import "encoding/json"

// MaxMetadataBytes is the maximum size of the custom metadata of an asset or a batch, as
// JSON.
const MaxMetadataBytes = 256 << 10

// metadata checks the keys and the types of values: a text, a number, a boolean or a list
// of texts.
func (p *Problems) metadata(field string, m map[string]any) {
	if !p.items(field, len(m), MaxMetaKeys) {
		return
	}
	for _, k := range sortedKeys(m) {
		path := field + "." + k
		if !ValidMetadataKey(k) {
			p.Add(path, "A metadata key must start with a letter and may only have lower-case letters, digits and underscores, 64 at most.")
			continue
		}
		switch v := m[k].(type) {
		case string:
			p.length(path, v, 0, MaxText)
		case bool, float64, int64, int, json.Number:
		case []string:
			p.words(path, v)
		case []any:
			p.metadataList(path, v)
		default:
			p.Add(path, "The value must be a text, a number, a boolean or a list of texts.")
		}
	}
}

func (p *Problems) metadataList(path string, list []any) {
	if !p.items(path, len(list), MaxKeywords) {
		return
	}
	for i, x := range list {
		at := path + "." + itoa(i)
		if s, ok := x.(string); ok {
			p.length(at, s, 0, MaxKeyword)
		} else {
			p.Add(at, "The item must be a text.")
		}
	}
}

// metadataSize checks the size of metadata. Metadata above the limit may still shrink.
func (p *Problems) metadataSize(field string, before, after map[string]any) {
	if n := jsonSize(after); n > MaxMetadataBytes && n > jsonSize(before) {
		p.Add(field, "%s may not have more than %d bytes in all, as JSON; this would be %d.", field, MaxMetadataBytes, n)
	}
}

// jsonSize returns the size of metadata as JSON in bytes, or 0 if it is certainly within
// the limit.
func jsonSize(m map[string]any) int {
	if JSONAtMost(m) <= MaxMetadataBytes {
		return 0
	}
	text, err := json.Marshal(m)
	if err != nil {
		return 0 // rejected elsewhere because it cannot be encoded
	}
	return len(text)
}

// JSONAtMost returns an upper bound for the size of a value as JSON: a byte is escaped to
// at most six.
func JSONAtMost(v any) int {
	switch v := v.(type) {
	case string:
		return 6*len(v) + 2
	case []string:
		n := 2
		for _, s := range v {
			n += JSONAtMost(s) + 1
		}
		return n
	case []any:
		n := 2
		for _, x := range v {
			n += JSONAtMost(x) + 1
		}
		return n
	case map[string]any:
		n := 2
		for k, x := range v {
			n += JSONAtMost(k) + JSONAtMost(x) + 2
		}
		return n
	}
	return 32 // numbers and booleans
}
