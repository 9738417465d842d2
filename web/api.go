package web

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/digital-asset-library/dal/app/dam"
)

// apiRoot is the version prefix of the interface.
const apiRoot = "/api/v1"

const (
	bearerScheme  = "bearer"
	sessionScheme = "session"
)

// newAPI sets huma up: its validation and its OpenAPI document, our errors.
func (s *Server) newAPI() huma.API {
	configureHuma()
	c := huma.DefaultConfig("dal", "1.0.0")
	c.CreateHooks = nil // no $schema links in bodies
	c.DocsPath, c.OpenAPIPath, c.SchemasPath = "", "", ""
	c.DefaultFormat = "application/json"
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decodeJSON}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format}
	c.Info.Description = "The interface of dal, a digital asset library. Every path, field, bound, header, ability and error is in this document."
	c.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	c.Servers = []*huma.Server{{URL: "/"}}
	c.Tags = []*huma.Tag{
		{Name: "User", Description: "The authenticated user and the browser's session."},
		{Name: "Tokens", Description: "API tokens: minted, listed, revoked."},
		{Name: "Assets", Description: "Files in the library with what is known of them."},
		{Name: "Collections", Description: "Sets of assets, in a tree, that people or rules fill."},
		{Name: "Saved searches", Description: "Searches that users keep for later."},
		{Name: "Uploads", Description: "Upload batches: files in, assets out."},
		{Name: "Metadata", Description: "Custom fields and vocabularies: what metadata assets have."},
		{Name: "Operations", Description: "Work on many assets, done in the background."},
		{Name: "Webhooks", Description: "Endpoints that events are sent to."},
		{Name: "Audit", Description: "Who did what, and when."},
		{Name: "Documentation", Description: "This document."},
	}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		bearerScheme:  {Type: "http", Scheme: "bearer", Description: "An API token. The abilities that an operation needs stand beside this scheme in its security requirement."},
		sessionScheme: {Type: "apiKey", In: "cookie", Name: SessionCookie, Description: "The cookie that POST /session sets. It acts with all abilities of its user."},
	}
	registerEnums(c.Components.Schemas)
	c.Components.Responses = sharedResponses(c.Components.Schemas)
	c.Components.Headers = map[string]*huma.Header{
		"RequestID":          header("The request's id, as the log has it.", "string", "1f0f2f4e-3f6c-4b43-9d5e-0a7e9d9b4c11"),
		"RateLimitLimit":     header("Requests a minute.", "integer", 60),
		"RateLimitRemaining": header("Requests left now.", "integer", 59),
		"RateLimitReset":     header("When there is a request left again, in seconds since 1970 UTC.", "integer", 1767225600),
		"RetryAfter":         header("Seconds to wait.", "integer", 12),
	}
	c.OnAddOperation = append(c.OnAddOperation, s.describe)
	api := humamux.New(s.router, c)
	api.UseMiddleware(s.authorize, s.plainNumbers, s.readBody)
	return api
}

func header(doc, typ string, example any) *huma.Header {
	return &huma.Header{Description: doc, Schema: &huma.Schema{Type: typ}, Example: example}
}

// The bodies of answers that are no success, as the document describes them.
type (
	errorBody struct {
		Message string `json:"message" doc:"What is wrong, in a sentence." example:"Asset not found."`
	}
	forbiddenBody struct {
		Message           string        `json:"message" doc:"What is wrong, in a sentence." example:"The token lacks a required ability."`
		RequiredAbilities []dam.Ability `json:"required_abilities" example:"[\"assets:write\"]"`
	}
	validationBody struct {
		Message string              `json:"message" example:"The per page field must not be greater than 100."`
		Errors  map[string][]string `json:"errors" example:"{\"per_page\":[\"The per page field must not be greater than 100.\"]}"`
	}
)

// sharedResponses are the answers that many operations have.
func sharedResponses(reg huma.Registry) map[string]*huma.Response {
	body := func(v any, name string) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: reg.Schema(reflect.TypeOf(v), true, name)}}
	}
	plain := func(doc, example string) *huma.Response {
		c := body(errorBody{}, "Error")
		c["application/json"].Example = map[string]any{"message": example}
		return &huma.Response{Description: doc, Content: c, Headers: commonHeaders()}
	}
	unauthenticated := plain("Nobody is known by the credentials: they are missing, wrong, expired or revoked.", "Unauthenticated.")
	unauthenticated.Headers["WWW-Authenticate"] = &huma.Header{Schema: &huma.Schema{Type: "string"}, Example: "Bearer"}
	tooMany := plain("Too many requests.", "Too Many Attempts.")
	tooMany.Headers["Retry-After"] = &huma.Header{Ref: "#/components/headers/RetryAfter"}
	tooMany.Headers["X-RateLimit-Reset"] = &huma.Header{Ref: "#/components/headers/RateLimitReset"}
	unavailable := plain("Something the server depends on is away, or more is asked of it than it can do.", "The library is busy; try again.")
	unavailable.Headers["Retry-After"] = &huma.Header{Ref: "#/components/headers/RetryAfter"}
	return map[string]*huma.Response{
		"400": plain("The request cannot be read.", "The request body is not valid JSON."),
		"401": unauthenticated,
		"403": {Description: "The token lacks an ability, or the user may not.", Content: body(forbiddenBody{}, "Forbidden"), Headers: commonHeaders()},
		"404": plain("There is no such resource.", "Asset not found."),
		"408": plain("The request's body did not arrive in time.", "The request body did not arrive in time."),
		"409": plain("Not in the present state of the resource.", "The asset is not in the trash."),
		"410": plain("It was there and will not be again.", "The file of the export has expired."),
		"412": plain("The resource was changed meanwhile.", "The asset was changed meanwhile."),
		"413": plain("The request is too large.", "The request body is too large."),
		"415": plain("The request's content type is not the one asked for.", "The request body must be application/json."),
		"416": plain("The file has no such range.", "The range is not satisfiable."),
		"422": {Description: "The request breaks a rule.", Content: body(validationBody{}, "ValidationError"), Headers: commonHeaders()},
		"429": tooMany,
		"500": plain("A fault of the server. The log has the cause with the request's id.", "Server Error"),
		"503": unavailable,
		"507": plain("The server's disk is full.", "The server's disk is full."),
	}
}

// commonHeaders are the headers of every answer.
func commonHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		"X-Request-Id":          {Ref: "#/components/headers/RequestID"},
		"X-RateLimit-Limit":     {Ref: "#/components/headers/RateLimitLimit"},
		"X-RateLimit-Remaining": {Ref: "#/components/headers/RateLimitRemaining"},
	}
}

// finishSpec marshals the document once all operations are in it.
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
	delete(schemas, "ApiError") // huma's default error, which no operation has
	for _, schema := range schemas {
		allowNull(schema)
	}
	spec, err := json.Marshal(s.api.OpenAPI())
	if err == nil {
		s.spec, err = completeDocument(spec)
	}
	return err
}

// allowNull names null among the values of the nullable enums in s, which JSON
// Schema asks for and huma leaves out.
func allowNull(s *huma.Schema) {
	if s.Nullable && s.Enum != nil && !slices.Contains(s.Enum, nil) {
		s.Enum = append(s.Enum, nil)
	}
	for _, p := range s.Properties {
		allowNull(p)
	}
}
