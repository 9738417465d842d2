package web_test

import (
	"encoding/json"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// The limits in struct tags, which cannot contain constants, match those of the domain.
func TestBoundsAreTheDomains(t *testing.T) {
	t.Parallel()
	srv, err := web.New(nil, web.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		MaxLength, MaxItems, Maximum *int
		Items                        *schema
		AnyOf                        []*schema
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]*schema }
		}
	}
	if err := json.Unmarshal(srv.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	const length, items, maximum = "maxLength", "maxItems", "maximum"
	for _, tt := range []struct {
		component, member, bound string
		want                     int
	}{
		{"AssetChanges", "keywords", items, dam.MaxKeywords},
		{"AssetChanges", "ai_tags", items, dam.MaxKeywords},
		{"BulkChanges", "add_keywords", items, dam.MaxKeywords},
		{"BulkChanges", "remove_keywords", items, dam.MaxKeywords},
		{"BulkChanges", "add_people", items, dam.MaxKeywords},
		{"BulkChanges", "remove_people", items, dam.MaxKeywords},
		{"BulkChanges", "add_collection_ids", items, dam.MaxBulkCollections},
		{"BulkChanges", "remove_collection_ids", items, dam.MaxBulkCollections},
		{"CreateCollection", "name", length, dam.MaxName},
		{"CreateCollection", "position", maximum, dam.MaxPosition},
		{"CreateCollection", "viewer_ids", items, dam.MaxViewers},
		{"CreateSavedSearch", "name", length, dam.MaxName},
		{"CreateToken", "abilities", items, len(dam.Values[dam.Ability]())},
		{"CreateToken", "name", length, dam.MaxName},
		{"CreateWebhook", "description", length, dam.MaxWebhookDescription},
		{"CreateWebhook", "url", length, dam.MaxWebhookURL},
		{"FieldValidation", "max_length", maximum, dam.MaxText},
		{"FieldValidation", "pattern", length, dam.MaxPattern},
		{"NameBody", "name", length, dam.MaxName},
		{"Selection", "gaids", items, dam.MaxOperationGAIDs},
		{"UpdateCollection", "name", length, dam.MaxName},
		{"UpdateCollection", "viewer_ids", items, dam.MaxViewers},
		{"UpdateSavedSearch", "name", length, dam.MaxName},
		{"UpdateWebhook", "description", length, dam.MaxWebhookDescription},
		{"UpdateWebhook", "url", length, dam.MaxWebhookURL},
		{"WebhookDelivery", "attempt", maximum, dam.MaxDeliveryAttempts},
		{"WebhookDelivery", "attempts", items, dam.MaxDeliveryAttempts},
	} {
		s := doc.Components.Schemas[tt.component].Properties[tt.member]
		if s == nil {
			t.Errorf("the document has no %s.%s", tt.component, tt.member)
			continue
		}
		got := map[string]*int{length: s.MaxLength, items: s.MaxItems, maximum: s.Maximum}[tt.bound]
		if got == nil || *got != tt.want {
			t.Errorf("%s of %s.%s differs from the domain's %d", tt.bound, tt.component, tt.member, tt.want)
		}
	}
}
