package web

import "strings"

// wholeExamples are examples of bodies with mutually exclusive members, by component.
var wholeExamples = map[string]any{
	"StartOperation": map[string]any{"type": "bulk_update", "selection": map[string]any{"gaids": []any{exampleGAID}},
		"changes": map[string]any{"workflow_status": "approved", "add_keywords": []any{"harbour"}}},
	"FieldValidation": map[string]any{"min": nil, "max": nil, "max_length": nil, "pattern": nil},
	"CreateMetadataField": map[string]any{"key": "region", "label": "Region", "type": "term", "vocabulary_id": 2, "is_required": false,
		"default_value": "europe", "asset_class_ids": []any{1}},
	"UpdateMetadataField": map[string]any{"label": "Region", "is_required": true, "position": 3},
	"CreateCollection": map[string]any{"name": "Harbours", "description": "Ports, piers and quays", "collection_type_id": 1,
		"visibility": "restricted", "viewer_ids": []any{2, 3}},
	"UpdateCollection": map[string]any{"name": "Harbours", "description": nil, "is_active": true, "cover_gaid": exampleGAID},
	"CreateShare": map[string]any{"name": "Press pictures, spring", "gaids": []any{exampleGAID}, "max_resolution": 2000,
		"watermark": map[string]any{"text": "© Harbour Museum"}, "expires_at": "2027-01-31T12:00:00Z"},
	"UpdateShare": map[string]any{"allow_download": false, "password": "harbour at dawn"},
	"CreateEmbed": map[string]any{"allowed_origins": []any{"https://www.example.com"}, "width": 960},
	"UpdateAsset": map[string]any{"title": "Harbour at dawn", "keywords": []any{"harbour", "dawn"}},
}

const exampleGAID = "01KB3J8Q5V7X9Z1B3D5F7H9K1M"

// addExamples adds an example to the body of each request and answer, built from the
// examples of its members.
func (d *document) addExamples() {
	add := func(v any, request bool) {
		for _, media := range object(object(v)["content"]) {
			m := object(media)
			if s := object(m["schema"]); s != nil && m["example"] == nil && m["examples"] == nil {
				m["example"] = d.example(s, request)
			}
		}
	}
	for _, r := range object(object(d.root["components"])["responses"]) {
		add(r, false)
	}
	d.eachOperation(func(op map[string]any) {
		add(op["requestBody"], true)
		for _, r := range object(op["responses"]) {
			add(r, false)
		}
	})
}

// example returns an example of a schema: its own, or one built from those of its members.
// Requests contain no read-only members.
func (d *document) example(s map[string]any, request bool) any {
	if list, ok := s["examples"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	if v, ok := s["example"]; ok {
		return v
	}
	if ref, ok := s["$ref"].(string); ok {
		name := ref[strings.LastIndexByte(ref, '/')+1:]
		if v, ok := wholeExamples[name]; ok {
			return v
		}
		return d.example(object(d.schemas[name]), request)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return d.example(object(list[0]), request)
		}
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	switch {
	case hasType(s, "object"):
		v := map[string]any{}
		for name, p := range object(s["properties"]) {
			if p := object(p); !request || p["readOnly"] != true {
				v[name] = d.example(p, request)
			}
		}
		return v
	case hasType(s, "array"):
		return []any{d.example(object(s["items"]), request)}
	case hasType(s, "null"): // usually null
		return nil
	case hasType(s, "boolean"):
		return false
	case hasType(s, "integer"), hasType(s, "number"):
		if v, ok := s["minimum"]; ok {
			return v
		}
		return 1
	case s["format"] == "date-time":
		return "2026-01-31T12:00:00.000Z"
	}
	return "text"
}
