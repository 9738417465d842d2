package web

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

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
	c.OnAddOperation = append(c.OnAddOperation, describe)
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
		RequiredAbilities []dam.Ability `json:"required_abilities" doc:"The abilities that the token lacks; empty when it is the user who may not." example:"[\"assets:write\"]"`
	}
	validationBody struct {
		Message string              `json:"message" doc:"The first problem and how many more there are." example:"The per page field must not be greater than 100."`
		Errors  map[string][]string `json:"errors" doc:"What is wrong with each field, by its path." example:"{\"per_page\":[\"The per page field must not be greater than 100.\"]}"`
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

// A route is one operation of the interface, as its file declares it.
type route struct {
	id, method, path string
	tag              string
	summary          string
	doc              string
	abilities        []dam.Ability
	admin            bool  // for administrators only
	administration   bool  // for administrators, and tokens of theirs with all abilities
	public           bool  // nobody need be known
	searches         bool  // looks through the library: waits in a line of its own
	status           int   // of success; 200
	errors           []int // besides those that follow from the rest
	body             *huma.RequestBody
	maxBody          int64 // bytes of a JSON body; 1 MiB, 16 KiB if public
	responses        map[string]*huma.Response
}

func (r route) huma() huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: apiRoot + r.path, Tags: []string{r.tag}, Summary: r.summary, Description: r.doc,
		DefaultStatus: r.status, MaxBodyBytes: r.maxBody, Responses: r.responses,
		Metadata: map[string]any{"errors": r.errors, "body": r.body, "abilities": r.abilities, "admin": r.admin, "administration": r.administration, "searches": r.searches},
	}
	if r.admin {
		op.Description += " For admins."
	}
	if r.administration {
		op.Description += " For admins: their sessions, and tokens of theirs that have all abilities."
	}
	if op.DefaultStatus == 0 {
		op.DefaultStatus = http.StatusOK
	}
	if op.MaxBodyBytes == 0 {
		op.MaxBodyBytes = defaultBody
	}
	if r.public {
		op.MaxBodyBytes = min(op.MaxBodyBytes, publicBody)
		op.Security = []map[string][]string{}
		return op
	}
	needs := make([]string, len(r.abilities))
	for i, a := range r.abilities {
		needs[i] = string(a)
	}
	op.Security = []map[string][]string{{bearerScheme: needs}, {sessionScheme: {}}}
	return op
}

// describe completes an operation in the document: the errors that follow from
// what it is, and the headers of its success. It runs after huma has derived
// the rest.
func describe(_ *huma.OpenAPI, op *huma.Operation) {
	delete(op.Responses, "default")
	if b, _ := op.Metadata["body"].(*huma.RequestBody); b != nil {
		op.RequestBody = b // described only: the handler reads the body itself
	}
	if b := op.RequestBody; b != nil && b.Content["application/json"] != nil {
		delete(b.Content, "application/octet-stream") // a handler that wants the body as it is takes no other
	}
	codes := []int{429, 500, 503}
	if len(op.Security) > 0 {
		codes = append(codes, 401, 403)
	}
	if strings.Contains(op.Path, "{") {
		codes = append(codes, 404)
	}
	if len(op.Parameters) > 0 || op.RequestBody != nil {
		codes = append(codes, 422)
	}
	if op.RequestBody != nil {
		codes = append(codes, 400, 413, 415)
	}
	if op.Method != http.MethodGet {
		codes = append(codes, 400, 408, 507)
	}
	for _, p := range op.Parameters {
		switch {
		case p.Name == "If-None-Match" && op.Method == http.MethodGet && op.Responses["304"] == nil:
			op.Responses["304"] = &huma.Response{Description: "It still has the ETag."}
		case p.Name == "If-Match":
			codes = append(codes, 412)
		}
	}
	more, _ := op.Metadata["errors"].([]int)
	codes = append(codes, more...)
	slices.Sort(codes)
	for _, c := range slices.Compact(codes) {
		op.Responses[itoa(int64(c))] = &huma.Response{Ref: "#/components/responses/" + itoa(int64(c))}
	}
	for code, r := range op.Responses {
		if r.Ref != "" || code == "304" {
			continue
		}
		if r.Headers == nil {
			r.Headers = map[string]*huma.Header{}
		}
		for name, h := range commonHeaders() {
			r.Headers[name] = h
		}
	}
}

// authorize holds an operation to what its security asks for.
func (s *Server) authorize(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	if len(op.Security) == 0 {
		next(ctx)
		return
	}
	info := requestOf(ctx.Context())
	err := error(&dam.Error{Kind: dam.Unauthenticated, Msg: "Unauthenticated."})
	if info.actor.User != nil {
		abilities, _ := op.Metadata["abilities"].([]dam.Ability)
		err = info.actor.Require(abilities...)
		if admin, _ := op.Metadata["admin"].(bool); admin && err == nil {
			err = info.actor.RequireAdmin()
		}
		if administration, _ := op.Metadata["administration"].(bool); administration && err == nil {
			err = info.actor.RequireAdministration()
		}
	}
	if err != nil {
		writeError(info.w, toAPI(ctx.Context(), s.log, err))
		return
	}
	next(ctx)
}

// finishSpec marshals the document once all operations are in it.
func (s *Server) finishSpec() (err error) {
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
