package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// document is the OpenAPI document as JSON. It is completed with parts that the route
// declarations omit: parts that are the same everywhere, and constraints that huma would
// otherwise check with its own messages.
type document struct {
	root    map[string]any
	schemas map[string]any // of the components
}

// completeDocument completes the document that huma derived from the routes.
func completeDocument(spec []byte) ([]byte, error) {
	d := document{}
	if err := json.Unmarshal(spec, &d.root); err != nil {
		return nil, err
	}
	d.schemas = d.root["components"].(map[string]any)["schemas"].(map[string]any)
	if err := d.addPrimer(); err != nil {
		return nil, err
	}
	d.addPages()
	d.addFilters()
	d.eachSchema(d.bound)
	d.nameEnums()
	d.addExamples()
	return d.marshal()
}

// eachSchema calls do for each schema of the document, with the component or operation id
// that contains it, and its name there: "" for the whole, and with the suffix "[]" for the
// items of a list.
func (d *document) eachSchema(do func(owner, name string, s map[string]any)) {
	var walk func(owner, name string, v any)
	walk = func(owner, name string, v any) {
		s, ok := v.(map[string]any)
		if !ok {
			return
		}
		do(owner, name, s)
		for p, v := range object(s["properties"]) {
			walk(owner, p, v)
		}
		walk(owner, name+"[]", s["items"])
		walk(owner, name, s["additionalProperties"])
		for _, key := range []string{"oneOf", "anyOf", "allOf"} {
			list, _ := s[key].([]any)
			for _, v := range list {
				walk(owner, name, v)
			}
		}
	}
	for name, s := range d.schemas {
		walk(name, "", s)
	}
	content := func(owner string, v any) {
		for _, media := range object(object(v)["content"]) {
			walk(owner, "", object(media)["schema"])
		}
	}
	headers := func(v any) {
		for name, h := range object(v) {
			walk("", name, object(h)["schema"])
		}
	}
	headers(object(d.root["components"])["headers"])
	d.eachOperation(func(op map[string]any) {
		id, _ := op["operationId"].(string)
		params, _ := op["parameters"].([]any)
		for _, p := range params {
			walk(id, object(p)["name"].(string), object(p)["schema"])
		}
		content(id, op["requestBody"])
		for _, r := range object(op["responses"]) {
			content(id, r)
			headers(object(r)["headers"])
		}
	})
}

// eachOperation calls do for each operation, including those of webhooks.
func (d *document) eachOperation(do func(op map[string]any)) {
	for _, where := range []string{"paths", "webhooks"} {
		for _, item := range object(d.root[where]) {
			for _, op := range object(item) {
				do(object(op))
			}
		}
	}
}

// object returns v as a JSON object, or nil if it is not one.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// hasType reports whether a schema allows values of a type.
func hasType(s map[string]any, want string) bool {
	if list, ok := s["type"].([]any); ok {
		return slices.Contains(list, any(want))
	}
	return s["type"] == want
}

// maxLengths are the limits, in characters, of texts that the domain checks, by owner and
// name; assetBound has those of assets, and all headers share one limit.
var maxLengths = map[string]int{
	"BulkChanges.add_keywords[]": dam.MaxKeyword, "BulkChanges.remove_keywords[]": dam.MaxKeyword,
	"BulkChanges.add_people[]": dam.MaxKeyword, "BulkChanges.remove_people[]": dam.MaxKeyword,
	"AssetChanges.place": dam.MaxLine, "BulkChanges.place": dam.MaxLine,
	"CreateCollection.description": dam.MaxDescription, "UpdateCollection.description": dam.MaxDescription,
	"CreateMetadataField.key": 64, "CreateMetadataField.label": dam.MaxName, "CreateMetadataField.description": 2000,
	"UpdateMetadataField.label": dam.MaxName, "UpdateMetadataField.description": 2000,
	"CreateMetadataField.default_value": dam.MaxText, "UpdateMetadataField.default_value": dam.MaxText,
	"CreateMetadataField.default_value[]": 64, "UpdateMetadataField.default_value[]": 64,
	"CreateMetadataField.min": 40, "CreateMetadataField.max": 40,
	"UpdateMetadataField.min": 40, "UpdateMetadataField.max": 40, "FieldValidation.min": 40, "FieldValidation.max": 40,
	"CreateVocabulary.key": 64, "CreateVocabulary.name": dam.MaxName, "CreateVocabulary.description": 2000,
	"UpdateVocabulary.name": dam.MaxName, "UpdateVocabulary.description": 2000,
	"CreateTerm.key": 64, "CreateTerm.label": dam.MaxName, "UpdateTerm.label": dam.MaxName,
	"CreateUploadBatch.name": dam.MaxName, "Selection.filters": dam.MaxFilterBytes, "StartOperation.tasks[]": 64,
	"CreateShare.extensions[]": 20, "UpdateShare.extensions[]": 20,
	"CreateShare.emails[]": 254, "CreateShare.email_domains[]": 252, "CreateShare.ip_ranges[]": 49,
	"UpdateShare.emails[]": 254, "UpdateShare.email_domains[]": 252, "UpdateShare.ip_ranges[]": 49,
	"CreateEmbed.allowed_origins[]": dam.MaxOrigin,
	"CreateShare.terms_text":        dam.MaxTermsText, "UpdateShare.terms_text": dam.MaxTermsText,
	"CountAssets.facets[]":  100,
	"listAssets.keywords[]": dam.MaxKeyword, "listCollectionAssets.keywords[]": dam.MaxKeyword,
	"outlineAssets.keywords[]": dam.MaxKeyword, "outlineCollectionAssets.keywords[]": dam.MaxKeyword,
	"listCollections.collection_type_id": 19, "listCollections.parent_id": 19,
}

// maxItems are the limits of lists that the domain checks, by owner and name.
var maxItems = map[string]int{
	"BulkChanges.add_keywords": dam.MaxKeywords, "BulkChanges.remove_keywords": dam.MaxKeywords,
	"BulkChanges.add_people": dam.MaxKeywords, "BulkChanges.remove_people": dam.MaxKeywords,
	"CreateCollection.viewer_ids": dam.MaxViewers, "UpdateCollection.viewer_ids": dam.MaxViewers,
	"CreateMetadataField.asset_class_ids": dam.MaxAssetClasses, "UpdateMetadataField.asset_class_ids": dam.MaxAssetClasses,
	"CreateMetadataField.default_value": dam.MaxFilterValues, "UpdateMetadataField.default_value": dam.MaxFilterValues,
	"CreateUploadBatch.collection_ids": dam.MaxCollections, "uploadFiles.files[]": 1_000_000, // the actual limit is a setting
}

// assetBound returns the limit of a list or text in an asset change, or 0 if it has none.
func assetBound(owner, name string) int {
	if owner != "AssetChanges" && owner != "BulkChanges" {
		return 0
	}
	for _, f := range dam.AssetFields() {
		switch {
		case name == f.Name && f.MaxItems > 0:
			return f.MaxItems
		case name == f.Name, name == f.Name+"[]":
			return f.MaxLength
		}
	}
	return 0
}

// patterns are the formats of texts, by name.
var patterns = map[string]string{
	"gaid": gaidPattern, "cover_gaid": gaidPattern, "gaids[]": gaidPattern, "gaids[][]": gaidPattern, "after": gaidPattern,
	"hex":             "^#[0-9a-f]{6}$",
	"checksum_sha256": "^[0-9a-f]{64}$", "capture_utc_offset": `^[+-]\d{2}:\d{2}$`,
}

// gaidPattern is the format of a ULID: https://github.com/ulid/spec
const gaidPattern = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$"

// anyGAID lists the schemas that contain GAIDs as sent by the client, valid or not.
var anyGAID = []string{"OperationItem", "AddedAssets", "RemovedAssets", "PreviewItem", "OperationPreview"}

// bound adds the limits of its values to a schema.
func (d *document) bound(owner, name string, s map[string]any) {
	where := owner + "." + name
	switch {
	case hasType(s, "integer"):
		if _, ok := s["minimum"]; !ok {
			s["minimum"] = leastInteger(name)
		}
		if _, ok := s["maximum"]; !ok {
			s["maximum"] = maxInteger
		}
	case hasType(s, "number") && s["format"] == nil:
		s["format"] = "double"
	case hasType(s, "array"):
		if n := cmp.Or(maxItems[where], assetBound(owner, name)); n > 0 && s["maxItems"] == nil {
			s["maxItems"] = n
		}
	case hasType(s, "string") && s["enum"] == nil:
		if name == "hex" && s["examples"] == nil { // defined in the domain
			s["examples"] = []any{"#1e90ff"}
		}
		if p, ok := patterns[name]; ok && s["pattern"] == nil && !slices.Contains(anyGAID, owner) {
			s["pattern"] = p
		}
		if n := cmp.Or(maxLengths[where], assetBound(owner, name)); n > 0 && s["maxLength"] == nil {
			s["maxLength"] = n
		}
		if strings.HasPrefix(name, "If-") || name == "Range" {
			s["maxLength"] = MaxHeader // of all headers together
		}
	}
}

// leastInteger returns the minimum of an integer by its name: ids start at 1, and counts
// are never negative.
func leastInteger(name string) int {
	name = strings.TrimSuffix(name, "[]")
	if name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids") || slices.Contains(pathIDs, name) {
		return 1
	}
	return 0
}

// pathIDs are the parameters that are ids, despite their names.
var pathIDs = []string{"asset_class", "collection_type", "collection", "term", "operation", "saved_search", "token", "batch", "file"}
