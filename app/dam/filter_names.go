package dam

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// FilterFields returns the names of all fields that rules can be about, beside
// metadata.{key}, sorted.
func FilterFields() []string {
	names := make([]string, 0, len(filterFields))
	for name := range filterFields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// SameFilter reports whether two filter documents are the same but for white
// space, the order of members and how numbers are written.
func SameFilter(a, b string) bool {
	if a == b {
		return true
	}
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func sortedNames(members map[string]json.RawMessage) []string {
	return slices.Sorted(maps.Keys(members))
}
