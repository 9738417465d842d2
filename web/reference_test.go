package web_test

import (
	"slices"
	"testing"
)

// plainNames are members that need no description: their name or type is sufficient.
var plainNames = []string{
	"data", "links", "meta", "id", "gaid", "name", "title", "label", "description", "type", "status", "code", "message", "url",
	"email", "password", "filename", "original_filename", "mime_type", "file_category", "creator", "copyright", "keywords", "hex", "share",
	"created_at", "updated_at", "created_by", "updated_by", "owner", "expires_at", "last_used_at", "capture_date", "workflow_status",
	"asset_class_id", "collection_type_id", "is_active", "is_required", "is_searchable", "is_filterable", "allow_duplicates", "position",
	"query", "rules", "operator", "validation", "trashed", "progress", "percent", "attempt", "counts", "count", "total", "queued", "ready",
	"duplicate", "rejected", "failed", "current_page", "last_page", "per_page",
}

// Everything in the document is described, in a struct tag or in docs/reference.md; web.New
// fails if a text of the latter is unused.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	d := loadSpec(t)
	for name, v := range d.at("components", "schemas") {
		members, _ := v.(map[string]any)["properties"].(map[string]any)
		for member, v := range members {
			if v.(map[string]any)["description"] == nil && !slices.Contains(plainNames, member) {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
	for path, item := range d.at("paths") {
		for method, v := range item.(map[string]any) {
			op := v.(map[string]any)
			if op["description"] == nil {
				t.Errorf("%s %s has no description", method, path)
			}
			params, _ := op["parameters"].([]any)
			for _, v := range params {
				if p := v.(map[string]any); p["description"] == nil {
					t.Errorf("%s %s: %s has no description", method, path, p["name"])
				}
			}
		}
	}
}
