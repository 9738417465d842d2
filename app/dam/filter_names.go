package dam

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// FilterFields returns the sorted names of all filterable fields, except for
// metadata.{key}.
func FilterFields() []string {
	names := make([]string, 0, len(filterFields))
	for name := range filterFields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// SameFilter reports whether two filter documents are equal, ignoring whitespace, the order
// of members and the notation of numbers.
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
