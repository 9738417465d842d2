package dam

import (
	"encoding/json"
	"slices"
)

// MaxMetadataBytes is how much metadata an asset or a batch can have, all keys
// and values together as JSON.
const MaxMetadataBytes = 256 << 10

// metadataSize adds a problem if metadata is more than there can be. What there
// was before may be more, and get less.
func (p *Problems) metadataSize(field string, before, after map[string]any) {
	if n := jsonSize(after); n > MaxMetadataBytes && n > jsonSize(before) {
		p.Add(field, "The %s field must not be greater than %d bytes in all, as JSON; this would be %d.", label(field), MaxMetadataBytes, n)
	}
}

// jsonSize returns how many bytes metadata has as JSON. It may return less for
// what is surely within the bound.
func jsonSize(m map[string]any) int {
	if JSONAtMost(m) <= MaxMetadataBytes {
		return 0
	}
	text, err := json.Marshal(m)
	if err != nil {
		return 0 // it is refused for what cannot be written
	}
	return len(text)
}

// JSONAtMost is at least what a value has as JSON: a byte is written as six at most.
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

// title adds a problem if a title that somebody writes shows nothing, or not all
// that it is. One that is missing is found elsewhere.
func (p *Problems) title(s string, null bool) {
	if null || s == "" {
		return
	}
	if Unseen(s) {
		p.Add("title", "The title field is required.")
		return
	}
	p.seen("title", s, false)
}

// unseen adds a problem for each new word that people cannot see whole.
func (p *Problems) unseen(field string, before, after []string) {
	for i, w := range after {
		if !slices.Contains(before, w) {
			p.seen(field+"."+itoa(i), w, false)
		}
	}
}
