package dam

import (
	"maps"
	"reflect"
	"slices"
)

// Opt is a field of a patch: absent, null or a value.
type Opt[T any] struct {
	Sent, Null bool
	Value      T
}

// to returns the new value of a field: v if the field is absent, the zero value if it is
// null.
func (o Opt[T]) to(v T) T {
	switch {
	case !o.Sent:
		return v
	case o.Null:
		var zero T
		return zero
	}
	return o.Value
}

// Apply changes a, or returns the problems of the change. Changed metadata must match the
// definitions in s. Setting the class fills in the defaults of fields without a value.
// Changing the metadata or the class requires the required fields of the class.
func (p *AssetPatch) Apply(a *Asset, s *Schema) error {
	class := a.AssetClassID
	var wrong Problems
	p.apply(a, s, &wrong)
	if (p.Metadata.Sent || a.AssetClassID != class) && wrong.Err() == nil {
		s.required(&wrong, a.AssetClassID, a.Metadata)
	}
	return wrong.Err()
}

// TouchesFields reports whether p sends a field other than the metadata.
func (p *AssetPatch) TouchesFields() bool {
	return slices.ContainsFunc(assetFields, func(f AssetField) bool { return f.sent(p) })
}

// TouchesMetadata reports whether p changes the metadata of a.
func (p *AssetPatch) TouchesMetadata(a *Asset) bool {
	if !p.Metadata.Sent || p.Metadata.Null {
		return p.Metadata.Sent && len(a.Metadata) > 0
	}
	for k, v := range p.Metadata.Value {
		if had, ok := a.Metadata[k]; ok != (v != nil) || ok && !reflect.DeepEqual(had, v) {
			return true
		}
	}
	return false
}

// apply is Apply without the check for required fields.
func (p *AssetPatch) apply(a *Asset, s *Schema, wrong *Problems) {
	before, class := a.Metadata, a.AssetClassID
	for _, f := range assetFields {
		if f.sent(p) {
			f.apply(p, a, wrong)
		}
	}
	a.validate(wrong)
	a.Metadata = nilIfNone(s.check(wrong, a.AssetClassID, before, p.metadata(a.Metadata)))
	if a.AssetClassID != class {
		a.Metadata = s.fill(a.AssetClassID, a.Metadata, p.Metadata.Value)
	}
}

// metadata returns the patched metadata.
func (p *AssetPatch) metadata(before map[string]any) map[string]any {
	if !p.Metadata.Sent {
		return before
	}
	after := map[string]any{}
	if !p.Metadata.Null {
		maps.Copy(after, before)
	}
	maps.Copy(after, p.Metadata.Value)
	maps.DeleteFunc(after, func(_ string, v any) bool { return v == nil })
	return after
}

func nilIfNone(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	return m
}
