package ingest

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/schema"
)

// sayableField is a field of an asset that is read from files.
type sayableField struct {
	name string
	of   func(*dam.Asset) any // returns a pointer to the field
}

func (f sayableField) in(a *dam.Asset) reflect.Value { return reflect.ValueOf(f.of(a)).Elem() }

// sayable lists these fields.
var sayable = []sayableField{
	{"title", func(a *dam.Asset) any { return &a.Title }},
	{"creator", func(a *dam.Asset) any { return &a.Creator }},
	{"copyright", func(a *dam.Asset) any { return &a.Copyright }},
	{"description", func(a *dam.Asset) any { return &a.Description }},
	{"keywords", func(a *dam.Asset) any { return &a.Keywords }},
	{"people", func(a *dam.Asset) any { return &a.People }},
	{"capture_date", func(a *dam.Asset) any { return &a.CaptureDate }},
	{"rating", func(a *dam.Asset) any { return &a.Rating }},
	{"location", func(a *dam.Asset) any { return &a.Location }},
	{"usage_terms", func(a *dam.Asset) any { return &a.UsageTerms }},
}

// keptField is a field that keeps a user's value, with the value from the files.
type keptField struct {
	name string
	said any
}

// merge updates the fields of an asset whose value still equals the one previously read
// from its files. It returns the fields that keep a user's value although a sidecar differs
// from the file.
func merge(asset *dam.Asset, file, before, after *media.Facts) (kept []keptField) {
	alone, was, will := saidBy(asset, file), saidBy(asset, before), saidBy(asset, after)
	for _, f := range sayable {
		have, old, said := f.in(asset), f.in(was), f.in(will)
		switch {
		case same(have.Interface(), said.Interface()):
		case same(have.Interface(), old.Interface()):
			have.Set(said)
		case !same(f.in(alone).Interface(), said.Interface()):
			kept = append(kept, keptField{f.name, said.Interface()})
		}
	}
	return kept
}

// mergePart replaces the values of an asset that a part of it recorded by those of its file
// and sidecars, if they have any.
func mergePart(asset *dam.Asset, part, after *media.Facts) {
	was, will := saidBy(asset, part), saidBy(asset, after)
	for _, f := range sayable {
		have, old, said := f.in(asset), f.in(was), f.in(will)
		empty := said.IsZero() || said.Kind() == reflect.Slice && said.Len() == 0
		if !empty && same(have.Interface(), old.Interface()) {
			have.Set(said)
		}
	}
}

// saidBy returns the asset as its files alone would define it.
func saidBy(asset *dam.Asset, f *media.Facts) *dam.Asset {
	a := &dam.Asset{OriginalFilename: asset.OriginalFilename}
	assets.Says(a, f)
	a.Clamp()
	return a
}

// same reports whether two values of a field are equal; an empty list equals no list. A
// capture time without a known offset, as older versions always recorded, equals the same
// instant with an offset.
func same(a, b any) bool {
	x, _ := a.(*dam.CaptureTime)
	y, _ := b.(*dam.CaptureTime)
	if x != nil && y != nil {
		_, known := dam.OffsetOf(y.Time)
		return x.Equal(y.Time) && (!known || x.Text() == y.Text())
	}
	if x, ok := a.([]string); ok {
		if y, ok := b.([]string); ok && len(x) == 0 && len(y) == 0 {
			return true
		}
	}
	return reflect.DeepEqual(a, b)
}

// withLibrary records in conflicts which fields keep a user's value.
func withLibrary(conflicts []any, kept []keptField) []any {
	for _, field := range kept {
		found := false
		for i, c := range conflicts {
			m, ok := c.(map[string]any)
			if ok && m["field"] == field.name {
				m = maps.Clone(m)
				m["chosen"] = "library"
				conflicts[i], found = m, true
			}
		}
		if !found {
			sources := []any{}
			if s := sayableText(field.said); s != "" {
				sources = append(sources, map[string]any{"source": "sidecar", "value": s})
			}
			conflicts = append(conflicts, map[string]any{"field": field.name, "chosen": "library", "sources": sources})
		}
	}
	return conflicts
}

// sayableText formats the value of a field for people, shortened; "" for none.
func sayableText(v any) string {
	switch v := v.(type) {
	case string:
		return schema.Shortened(v)
	case []string:
		return schema.Shortened(strings.Join(v, ", "))
	case *int64:
		if v != nil {
			return strconv.FormatInt(*v, 10)
		}
	case *dam.CaptureTime:
		if v != nil {
			return v.Text()
		}
	case *dam.Location:
		switch {
		case v == nil:
		case v.Latitude != nil && v.Longitude != nil:
			return fmt.Sprintf("%.5f, %.5f", *v.Latitude, *v.Longitude)
		default:
			return schema.Shortened(v.Place)
		}
	}
	return ""
}

func cloned(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}
