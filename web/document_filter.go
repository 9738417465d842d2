package web

import (
	"maps"

	"github.com/digital-asset-library/dal/app/dam"
)

// filterMark marks the schemas that stand for a filter document. The document
// has the language in their place; huma is not to check it, for the domain says
// better what is wrong with a rule.
const filterMark = "x-dal-filter"

// addFilters writes the filter language into the document.
func (d *document) addFilters() {
	ref := func(name string) map[string]any { return map[string]any{"$ref": "#/components/schemas/" + name} }
	rule := map[string]any{"type": "filter", "field": "asset.width", "operator": "greater_than", "value": 2000}
	group := map[string]any{"type": "group", "operator": "and", "rules": []any{rule, map[string]any{
		"type": "filter", "field": "asset.keywords", "operator": "in", "value": []any{"harbour", "dawn"}}}}
	maps.Copy(d.schemas, map[string]any{
		"FilterDocument": map[string]any{
			"description":   "A filter: a rule, or a group of rules. Up to 10 groups deep, 200 rules and 64 KiB.",
			"oneOf":         []any{ref("FilterRule"), ref("FilterGroup")},
			"discriminator": map[string]any{"propertyName": "type", "mapping": map[string]any{"filter": ref("FilterRule")["$ref"], "group": ref("FilterGroup")["$ref"]}},
			"examples":      []any{group},
		},
		"FilterRule": map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"type", "field", "operator"}, "examples": []any{rule},
			"description": "One rule. Text is compared without case and accents; a negative operator finds exactly what its positive one does not.",
			"properties": map[string]any{
				"type":     map[string]any{"type": "string", "const": "filter", "examples": []any{"filter"}},
				"field":    map[string]any{"anyOf": []any{ref("FilterField"), ref("FilterMetadataField")}, "description": "What the rule is about. asset is all text of an asset."},
				"operator": ref("FilterOperator"),
				"value": map[string]any{
					"description": "What the field is compared with, of its type: a text, a number, a date (2026-01-31, which is the whole day in UTC, or 2026-01-31T06:12:00Z), a boolean or the id of a collection. " +
						"in and not_in have a list of up to 1,000, between a list of two, the least and the greatest; equals of a set may have a list. is_empty and is_not_empty have none. " +
						"color_equals has a colour #rrggbb, color_near that or {color, distance}.",
					"examples": []any{2000},
				},
			},
		},
		"FilterGroup": map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"type", "operator", "rules"}, "examples": []any{group},
			"description": "Rules of which all (and) or at least one (or) must hold. Of no rules all hold always, and one never.",
			"properties": map[string]any{
				"type":     map[string]any{"type": "string", "const": "group", "examples": []any{"group"}},
				"operator": ref("FilterGroupOperator"),
				"rules":    map[string]any{"type": "array", "maxItems": dam.MaxFilterRules, "items": ref("FilterDocument"), "examples": []any{[]any{rule}}},
			},
		},
		"FilterField":         map[string]any{"type": "string", "enum": mapped(dam.FilterFields(), func(s string) any { return s }), "examples": []any{"asset.width"}},
		"FilterMetadataField": map[string]any{"type": "string", "pattern": `^metadata\.[a-z][a-z0-9_]{0,63}$`, "description": "A custom field: metadata.{key}.", "examples": []any{"metadata.project"}},
		"FilterOperator":      map[string]any{"type": "string", "enum": mapped(dam.Values[dam.FilterOperator](), func(o dam.FilterOperator) any { return string(o) }), "examples": []any{string(dam.OpGreaterThan)}},
		"FilterGroupOperator": map[string]any{"type": "string", "enum": []any{"and", "or"}, "examples": []any{"and"}},
	})
	d.eachSchema(func(owner, name string, s map[string]any) {
		switch {
		case s[filterMark] != nil && hasType(s, "null"):
			s["anyOf"] = []any{ref("FilterDocument"), map[string]any{"type": "null"}}
		case s[filterMark] != nil:
			s["$ref"] = ref("FilterDocument")["$ref"]
		case name == "filters" && hasType(s, "string"): // the document as a text
			s["contentMediaType"], s["contentSchema"] = "application/json", ref("FilterDocument")
			return
		default:
			return
		}
		delete(s, filterMark)
		delete(s, "type")
		delete(s, "additionalProperties")
	})
}
