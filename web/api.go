package web

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/digital-asset-library/dal/app/dam"
)

// apiRoot is the version prefix of the API.
const apiRoot = "/api/v1"

const (
	bearerScheme  = "bearer"
	sessionScheme = "session"
)

// newAPI sets up huma, with its validation and OpenAPI document and our error bodies.
func (s *Server) newAPI() huma.API {
	configureHuma()
	c := huma.DefaultConfig("dal", "1.0.0")
	c.CreateHooks = nil // no $schema links in bodies
	c.DocsPath, c.OpenAPIPath, c.SchemasPath = "", "", ""
	c.DefaultFormat = "application/json"
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decodeJSON}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format}
	c.Info.Description = "The API of dal, a digital asset library: all paths, fields, limits, headers, abilities and errors."
	c.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	c.Servers = []*huma.Server{{URL: "/"}}
	c.Tags = []*huma.Tag{
		{Name: "User", Description: "The authenticated user and browser sessions."},
		{Name: "Users", Description: "Administration of users and their roles."},
		{Name: "Tokens", Description: "API tokens."},
		{Name: "Assets", Description: "Files in the library and their metadata."},
		{Name: "Collections", Description: "A tree of manual and smart collections of assets."},
		{Name: "Saved searches", Description: "Searches that users have saved."},
		{Name: "Files in place", Description: "External libraries: folders indexed in place, without copying their files."},
		{Name: "Uploads", Description: "Upload batches, which create assets from files."},
		{Name: "Metadata", Description: "Asset classes, custom fields and vocabularies."},
		{Name: "Pictures", Description: "Pictures of assets in any size: presets, and signed URLs for web pages."},
		{Name: "Shares", Description: "Pages for guests without an account, guest activity, and terms of use with their consents."},
		{Name: "Operations", Description: "Background operations on many assets."},
		{Name: "Webhooks", Description: "Endpoints that receive events."},
		{Name: "Stream", Description: "Live updates."},
		{Name: "Status", Description: "State of the library and its server."},
		{Name: "Analytics", Description: "Usage of the library: views, downloads and searches, without names or addresses."},
		{Name: "Audit", Description: "The audit log."},
		{Name: "Documentation", Description: "This document."},
	}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		bearerScheme: {
			Type: "http", Scheme: "bearer",
			Description: "An API token. The security requirement of an operation lists the abilities that the token needs.",
		},
		sessionScheme: {
			Type: "apiKey", In: "cookie", Name: SessionCookie,
			Description: "The session cookie that POST /session sets. It grants all abilities of its user.",
		},
	}
	registerEnums(c.Components.Schemas)
	c.Components.Responses = sharedResponses(c.Components.Schemas)
	c.Components.Headers = map[string]*huma.Header{
		"RequestID":          header("Id of the request, as recorded in the log.", "string", "1f0f2f4e-3f6c-4b43-9d5e-0a7e9d9b4c11"),
		"RateLimitLimit":     header("Maximum number of requests per minute.", "integer", 60),
		"RateLimitRemaining": header("Number of requests left.", "integer", 59),
		"RateLimitReset": header("When the full limit is available again or, if no requests are left, when the next one is allowed; "+
			"in seconds since 1970 UTC.", "integer", 1767225600),
		"RateLimit": header("IETF draft: r is the number of requests left, t is X-RateLimit-Reset in seconds from now.",
			"string", `"requests";r=59;t=1`),
		"RateLimitPolicy": header("IETF draft: q requests are allowed per w seconds.",
			"string", `"requests";q=60;w=60`),
		"RetryAfter": header("Seconds to wait before the next request.", "integer", 12),
	}
	c.Components.Headers["ETag"] = header("Entity tag of the response.", "string", `"0e1f5f4a9c3d7b2e8a6c4d1f"`)
	c.Components.Headers["IdempotencyReplayed"] = header("true if this is a repetition of the first response to the key.", "string", "true")
	c.OnAddOperation = append(c.OnAddOperation, s.describe)
	api := humamux.New(s.router, c)
	api.UseMiddleware(s.authorize, s.declaredOnly, s.plainNumbers, s.readBody, s.once, s.tag)
	return api
}

func header(doc, typ string, example any) *huma.Header {
	return &huma.Header{Description: doc, Schema: &huma.Schema{Type: typ}, Example: example}
}

// Error bodies, as described in the OpenAPI document.
type (
	errorBody struct {
		Message string        `json:"message" doc:"Error message, as a sentence." example:"Asset not found."`
		Code    dam.ErrorCode `json:"code" doc:"Machine-readable error code. Codes never change." example:"not_found"`
	}
	forbiddenBody struct {
		Message           string        `json:"message" doc:"Error message, as a sentence." example:"The token lacks a required ability."`
		RequiredAbilities []dam.Ability `json:"required_abilities" example:"[\"assets:write\"]"`
		Code              dam.ErrorCode `json:"code" example:"forbidden"`
	}
	validationBody struct {
		Message string              `json:"message" example:"per_page may not be greater than 100."`
		Code    dam.ErrorCode       `json:"code" doc:"Machine-readable error code. Codes never change." example:"validation_failed"`
		Errors  map[string][]string `json:"errors" example:"{\"per_page\":[\"per_page may not be greater than 100.\"]}"`
	}
)

// sharedResponses returns the errors that many operations have in common.
func sharedResponses(reg huma.Registry) map[string]*huma.Response {
	body := func(v any, name string) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: reg.Schema(reflect.TypeOf(v), true, name)}}
	}
	plain := func(status int, doc, example string) *huma.Response {
		c := body(errorBody{}, "Error")
		c["application/json"].Example = map[string]any{"message": example, "code": codeOf(status)}
		return &huma.Response{Description: doc, Content: c, Headers: commonHeaders()}
	}
	unauthenticated := plain(401, "The credentials are missing, wrong, expired or revoked.", "Unauthenticated.")
	unauthenticated.Headers["WWW-Authenticate"] = &huma.Header{Schema: &huma.Schema{Type: "string"}, Example: "Bearer"}
	tooMany := plain(429, "Too many requests.", "Too Many Attempts.")
	tooMany.Headers["Retry-After"] = &huma.Header{Ref: "#/components/headers/RetryAfter"}
	unavailable := plain(503, "The server is overloaded, or a service that it depends on is unavailable.",
		"The library is busy; try again.")
	unavailable.Headers["Retry-After"] = &huma.Header{Ref: "#/components/headers/RetryAfter"}
	return map[string]*huma.Response{
		"400": plain(400, "The request is malformed.", "The request body is not valid JSON."),
		"401": unauthenticated,
		"403": {
			Description: "The token lacks an ability, or the user is not allowed to do this.",
			Content:     body(forbiddenBody{}, "Forbidden"), Headers: commonHeaders(),
		},
		"404": plain(404, "The resource does not exist.", "Asset not found."),
		"406": plain(406, "The Accept header excludes the type of the response.", notAcceptable),
		"408": plain(408, "The request body did not arrive in time.", "The request body did not arrive in time."),
		"409": plain(409, "The request conflicts with the current state of the resource.", "The asset is not in the trash."),
		"410": plain(410, "The resource has been permanently deleted.", "The file of the export has expired."),
		"412": plain(412, "The resource has changed in the meantime.", "The asset was changed in the meantime: its ETag is now \"v2\"."),
		"413": plain(413, "The request is too large.", "The request body is too large."),
		"415": plain(415, "The request has the wrong content type.", "The request body must be application/json."),
		"416": plain(416, "The requested range is outside the file.", "The range is not satisfiable."),
		"422": {Description: "The request is invalid.", Content: body(validationBody{}, "ValidationError"), Headers: commonHeaders()},
		"423": plain(423, "Another request is using the resource.", "Another request is sending bytes of this upload."),
		"429": tooMany,
		"460": plain(460, "The checksum of the bytes does not match the one in the request.",
			checksumText),
		"500": plain(500, "Internal error. The server's log records the cause with the id of the request.", "Server Error"),
		"503": unavailable,
		"507": plain(507, "The server's disk is full.", "The server's disk is full."),
	}
}

// commonHeaders returns the headers of every answer.
func commonHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		"X-Request-Id":          {Ref: "#/components/headers/RequestID"},
		"X-RateLimit-Limit":     {Ref: "#/components/headers/RateLimitLimit"},
		"X-RateLimit-Remaining": {Ref: "#/components/headers/RateLimitRemaining"},
		"X-RateLimit-Reset":     {Ref: "#/components/headers/RateLimitReset"},
		"RateLimit":             {Ref: "#/components/headers/RateLimit"},
		"RateLimit-Policy":      {Ref: "#/components/headers/RateLimitPolicy"},
	}
}

// finishSpec completes the document once all operations are registered.
func (s *Server) finishSpec() (err error) {
	if err := s.reference.err(); err != nil {
		return err
	}
	reg := s.api.OpenAPI().Components.Schemas
	for _, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Delete} {
			if op != nil && op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil {
				boundIntegers(reg, "", op.RequestBody.Content["application/json"].Schema)
			}
		}
	}
	schemas := reg.Map()
	delete(schemas, "ApiError") // huma's default error; no operation uses it
	for _, schema := range schemas {
		allowNull(schema)
	}
	spec, err := json.Marshal(s.api.OpenAPI())
	if err == nil {
		s.spec, err = completeDocument(spec)
	}
	return err
}

// allowNull adds null to the values of the nullable enums in s, as JSON Schema
// requires and huma does not.
func allowNull(s *huma.Schema) {
	if s.Nullable && s.Enum != nil && !slices.Contains(s.Enum, nil) {
		s.Enum = append(s.Enum, nil)
	}
	for _, p := range s.Properties {
		allowNull(p)
	}
}
