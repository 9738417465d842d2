package web

// addPages writes into the document where it is itself. These are no operations
// of huma's: they answer whoever asks, with bytes.
func (d *document) addPages() {
	headers := map[string]any{"ETag": map[string]any{"description": "Changes with the bytes.", "schema": map[string]any{"type": "string", "examples": []any{`"9f86d081884c7d65"`}}}}
	for name, h := range commonHeaders() {
		headers[name] = map[string]any{"$ref": h.Ref}
	}
	page := func(id, summary, doc, mimeType string, media map[string]any) map[string]any {
		return map[string]any{"get": map[string]any{
			"operationId": id, "tags": []any{"Documentation"}, "summary": summary, "description": doc, "security": []any{},
			"parameters": []any{map[string]any{"name": "If-None-Match", "in": "header", "description": "Answer 304 when it still has one of these ETags.", "schema": map[string]any{"type": "string", "examples": []any{`"9f86d081884c7d65"`}}}},
			"responses": map[string]any{
				"200": map[string]any{"description": "It.", "headers": headers, "content": map[string]any{mimeType: media}},
				"304": map[string]any{"description": "It still has the ETag."},
				"412": map[string]any{"$ref": "#/components/responses/412"},
				"416": map[string]any{"$ref": "#/components/responses/416"},
				"429": map[string]any{"$ref": "#/components/responses/429"},
				"500": map[string]any{"$ref": "#/components/responses/500"},
			},
		}}
	}
	paths := object(d.root["paths"])
	paths["/docs"] = page("showDocs", "Read this document", "A page that needs nothing from elsewhere.", "text/html", map[string]any{})
	paths["/docs/api.json"] = page("showDocument", "Fetch this document", "OpenAPI 3.1.", "application/json",
		map[string]any{"schema": map[string]any{"type": "object", "additionalProperties": true}, "example": map[string]any{"openapi": "3.1.0"}})
}
