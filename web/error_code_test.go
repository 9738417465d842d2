package web_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// Every error has a code for programs, whichever layer it comes from. The contract check,
// which sees all answers of all tests, requires this too.
func TestErrorCode(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	reader := s.user(t, "reader@example.com", dam.RoleViewer, dam.AssetsRead)
	big := `{"name":"` + string(make([]byte, 2<<20)) + `"}`
	for _, tt := range []struct {
		token, method, path, body string
		status                    int
		code                      dam.ErrorCode
	}{
		{s.token, "POST", "/api/v1/collections", `{`, 400, dam.ErrorMalformed},
		{"", "GET", "/api/v1/assets", "", 401, dam.ErrorUnauthenticated},
		{reader, "POST", "/api/v1/collections", `{"name":"x"}`, 403, dam.ErrorForbidden},
		{s.token, "GET", "/api/v1/assets/01TEST00000000000000000000", "", 404, dam.ErrorNotFound},
		{s.token, "GET", "/api/v1/nothing", "", 404, dam.ErrorNotFound},
		{"", "GET", "/nothing", "", 404, dam.ErrorNotFound},
		{s.token, "PATCH", "/api/v1/user", "", 405, dam.ErrorMethodNotAllowed},
		{s.token, "POST", "/api/v1/collections", big, 413, dam.ErrorRequestTooLarge},
		{s.token, "GET", "/api/v1/assets?per_page=1000", "", 422, dam.ErrorValidationFailed},
		{s.token, "GET", "/api/v1/assets?nothing=1", "", 422, dam.ErrorValidationFailed},
	} {
		if a := s.as(t, tt.token, tt.method, tt.path, tt.body).want(t, tt.status); a.get("code") != string(tt.code) {
			t.Errorf("%s %s: %s, want the code %s", tt.method, tt.path, a, tt.code)
		}
	}
	op := func(keywords string) answer {
		return s.do(t, "POST", "/api/v1/operations", `{"type":"bulk_update","selection":{"gaids":["nobody"]},"changes":{"creator":"`+
			keywords+`"}}`, "Idempotency-Key", "once")
	}
	op("x").want(t, 202)
	if a := op("y").want(t, 422); a.get("code") != string(dam.IdempotencyConflict) {
		t.Errorf("another request with the key: %s", a)
	}
}

// The document requires the code in every error and lists all codes.
func TestErrorCodesInTheDocument(t *testing.T) {
	t.Parallel()
	srv, err := web.New(nil, web.DefaultOptions())
	must(t, err)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Enum     []dam.ErrorCode
				Required []string
			}
		}
	}
	must(t, json.Unmarshal(srv.OpenAPI(), &doc))
	if got, want := doc.Components.Schemas["ErrorCode"].Enum, dam.Values[dam.ErrorCode](); !slices.Equal(got, want) {
		t.Errorf("the document lists %q, want %q", got, want)
	}
	for _, name := range []string{"ErrorBody", "ForbiddenBody", "ValidationBody"} {
		if !slices.Contains(doc.Components.Schemas[name].Required, "code") {
			t.Errorf("%s does not require the code", name)
		}
	}
}
