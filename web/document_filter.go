package web

import (
	"maps"

	"github.com/digital-asset-library/dal/app/dam"
)

// filterMark marks the schemas of filter documents, which are replaced with the filter
// language in the document. huma does not check them, because the domain's error messages
// are better.
const filterMark = "x-dal-filter"

// addFilters adds the filter language to the document.
func (d *document) addFilters() {
	rule := map[string]any{"type": "filter", "field": "asset.width", "operator": "greater_than", "value": 2000}
	words := map[string]any{"type": "filter", "field": "asset.keywords", "operator": "in", "value": []any{"harbour", "dawn"}}
	group := map[string]any{"type": "group", "operator": "and", "rules": []any{rule, words}}
	maps.Copy(d.schemas, map[string]any{
		"FilterDocument": map[string]any{
			"description": "A filter: a rule, or a group of rules. Up to 200 rules in groups up to 10 levels deep, 64 KiB in all.",
			"oneOf":       []any{ref("FilterRule"), ref("FilterGroup")}, "examples": []any{group},
			"discriminator": map[string]any{"propertyName": "type",
				"mapping": map[string]any{"filter": ref("FilterRule")["$ref"], "group": ref("FilterGroup")["$ref"]}},
		},
		"FilterRule": map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"type", "field", "operator"}, "examples": []any{rule},
			"description": "Text is compared regardless of case and accents. A negative operator finds exactly what its positive one does not.",
			"properties": map[string]any{
				"type": map[string]any{"type": "string", "const": "filter", "examples": []any{"filter"}},
				"field": map[string]any{"anyOf": []any{ref("FilterField"), ref("FilterMetadataField")},
					"description": "Field to compare. asset stands for all text of an asset."},
				"operator": ref("FilterOperator"),
				"value":    map[string]any{"description": ruleValue, "examples": []any{2000}},
			},
		},
		"FilterGroup": map[string]any{
			"type": "object", "additionalProperties": false, "required": []any{"type", "operator", "rules"}, "examples": []any{group},
			"description": "Matches assets for which all rules (and), at least one rule (or) or no rule (not) holds. " +
				"Without rules, and and not match every asset, or matches none.",
			"properties": map[string]any{
				"type":     map[string]any{"type": "string", "const": "group", "examples": []any{"group"}},
				"operator": ref("FilterGroupOperator"),
				"rules": map[string]any{"type": "array", "maxItems": dam.MaxFilterRules, "items": ref("FilterDocument"),
					"examples": []any{[]any{rule}}},
			},
		},
		"FilterField": wordsOf(dam.FilterFields(), "asset.width"),
		"FilterMetadataField": map[string]any{"type": "string", "pattern": `^metadata\.[a-z][a-z0-9_]{0,63}$`,
			"description": "A custom field: metadata.{key}.", "examples": []any{"metadata.project"}},
		"FilterOperator":      wordsOf(dam.Values[dam.FilterOperator](), dam.OpGreaterThan),
		"FilterGroupOperator": wordsOf([]string{"and", "or", "not"}, "and"),
	})
	d.eachSchema(func(owner, name string, s map[string]any) {
		switch {
		case s[filterMark] != nil && hasType(s, "null"):
			s["anyOf"] = []any{ref("FilterDocument"), map[string]any{"type": "null"}}
		case s[filterMark] != nil:
			s["$ref"] = ref("FilterDocument")["$ref"]
		case name == "filters" && hasType(s, "string"): // encoded as a string
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

// ruleValue describes the value of a rule.
const ruleValue = "Value to compare the field with, of its type: a text, a number, a boolean, the id of a collection, or a date " +
	"(2026-01-31, which is the whole day in UTC, or for capture_date the day at the place; or 2026-01-31T06:12:00Z). in and not_in take " +
	"a list of up to 1,000 values, between a list of two, the minimum and the maximum; equals can take a list for a set. is_empty " +
	"and is_not_empty take no value. color_equals takes a colour #rrggbb, color_near takes that or {color, distance}. picked_in takes " +
	"ids of shares, up to 20 in all rules, and matches the assets that guests picked. downloads and views also take {value, days} to " +
	"count only the last days. collection_tree takes ids of collections and matches assets in or below them. gaid and " +
	"checksum_sha256 take GAIDs and checksums; owner, created_by and updated_by take ids of users."

// wordsOf returns the schema of an enum.
func wordsOf[S ~string](words []S, example S) map[string]any {
	return map[string]any{"type": "string", "enum": words, "examples": []any{example}}
}
