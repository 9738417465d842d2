package web

// addPages adds the public pages about the API to the document. They are not registered
// with huma.
func (d *document) addPages() {
	tag := func() map[string]any {
		return map[string]any{"type": "string", "examples": []any{`"9f86d081884c7d65"`}}
	}
	headers := map[string]any{"ETag": map[string]any{"description": "Entity tag of the page, which changes with its bytes.", "schema": tag()}}
	for name, h := range commonHeaders() {
		headers[name] = map[string]any{"$ref": h.Ref}
	}
	match := map[string]any{"name": "If-None-Match", "in": "header", "schema": tag(),
		"description": "Respond with 304 if the page still has one of these ETags."}
	page := func(id, summary, doc, mimeType string, media map[string]any) map[string]any {
		responses := map[string]any{
			"200": map[string]any{"description": "The page.", "headers": headers, "content": map[string]any{mimeType: media}},
			"304": map[string]any{"description": "The page has not changed."},
		}
		for _, code := range []string{"412", "416", "429", "500"} {
			responses[code] = map[string]any{"$ref": "#/components/responses/" + code}
		}
		return map[string]any{"get": map[string]any{
			"operationId": id, "tags": []any{"Documentation"}, "summary": summary, "description": doc, "security": []any{},
			"parameters": []any{match}, "responses": responses,
		}}
	}
	paths := object(d.root["paths"])
	paths["/docs"] = page("showDocs", "Read this document", "API reference as a self-contained HTML page.", "text/html", map[string]any{})
	paths["/docs/api.json"] = page("showDocument", "Fetch this document", "The document as OpenAPI 3.1.", "application/json", map[string]any{
		"schema": map[string]any{"type": "object", "additionalProperties": true}, "example": map[string]any{"openapi": "3.1.0"}})
}
