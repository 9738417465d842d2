package dam

import (
	"maps"
	"reflect"
	"slices"
)

// FieldChange is the change of one field of an asset.
type FieldChange struct {
	Field    string // name in the API: "title", "metadata.color"
	From, To any    // nil for no value
}

// DiffAssets lists the differences of the editable fields.
func DiffAssets(before, after *Asset) (list []FieldChange) {
	add := func(field string, from, to any) {
		if from, to = shown(from), shown(to); !reflect.DeepEqual(from, to) {
			list = append(list, FieldChange{field, from, to})
		}
	}
	for _, f := range assetFields {
		add(f.Name, f.value(before), f.value(after))
	}
	keys := maps.Clone(before.Metadata)
	if keys == nil {
		keys = map[string]any{}
	}
	maps.Copy(keys, after.Metadata)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		add("metadata."+k, before.Metadata[k], after.Metadata[k])
	}
	return list
}

// shown returns nil for values that the API returns as null.
func shown(v any) any {
	if r := reflect.ValueOf(v); !r.IsValid() || r.Kind() != reflect.Bool && r.Kind() != reflect.Float64 && r.IsZero() {
		return nil
	}
	return v
}
