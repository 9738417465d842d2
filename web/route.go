package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/share"
)

// group holds the common parts of the routes of a resource.
type group struct {
	tag       string
	path      string        // prefix of its routes' paths
	abilities []dam.Ability // required by all of its routes
}

// route declares a route of the group that requires more in addition to the group's
// abilities.
func (g group) route(id, method, path, summary string, more ...dam.Ability) route {
	return route{id: id, method: method, path: g.path + path, tag: g.tag, summary: summary,
		abilities: append(slices.Clip(g.abilities), more...)}
}

// route is an operation of the API, declared in the file of its resource. Its description
// is in docs/reference.md.
type route struct {
	id, method, path string
	tag, summary     string
	abilities        []dam.Ability
	anyOf            []dam.Ability // at least one is required, checked before the body is read
	admin            bool          // requires an administrator
	administration   bool          // requires an administrator's session, or an administrator's token with all abilities
	public           bool          // requires no authentication
	browsers         bool          // requires a session
	unagreed         bool          // available before the terms of use are accepted
	searches         bool          // searches the library: has its own queue
	conditional      bool          // accepts If-Match: see registerChange
	onlyReads        bool          // a POST that changes nothing
	status           int           // of success; 0 means 200
	errors           []int         // in addition to the implied ones
	body             *huma.RequestBody
	maxBody          int64 // bytes of a JSON body; 1 MiB, 16 KiB if public
	responses        map[string]*huma.Response
}

func (r route) creating() route               { r.status = http.StatusCreated; return r }
func (r route) failing(statuses ...int) route { r.errors = append(r.errors, statuses...); return r }
func (r route) forAdmins() route              { r.admin = true; return r }
func (r route) administering() route          { r.administration = true; return r }
func (r route) forBrowsers() route            { r.browsers = true; return r }
func (r route) forAnyone() route              { r.public = true; return r }
func (r route) beforeTerms() route            { r.unagreed = true; return r }
func (r route) searching() route              { r.searches = true; return r }
func (r route) reading() route                { r.onlyReads = true; return r }

// keyed reports whether a request may have an idempotency key.
func (r route) keyed() bool { return r.method == http.MethodPost && !r.public && !r.onlyReads }

func (r route) huma() huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: apiRoot + r.path, Tags: []string{r.tag}, Summary: r.summary,
		DefaultStatus: r.status, MaxBodyBytes: r.maxBody, Responses: r.responses,
		Metadata: map[string]any{"route": r},
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
	if r.browsers {
		op.Security = []map[string][]string{{sessionScheme: {}}}
		return op
	}
	needs := mapped(r.abilities, func(a dam.Ability) string { return string(a) })
	op.Security = []map[string][]string{{bearerScheme: needs}, {sessionScheme: {}}}
	return op
}

// routeOf returns the route of an operation.
func routeOf(op *huma.Operation) route { return op.Metadata["route"].(route) }

// register adds a route with domain errors. If a request has parameters or members that the
// operation does not declare, the handler only checks the rest of it.
func register[I, O any](s *Server, r route, fn func(context.Context, *I) (*O, error)) {
	fn = gated(s, r, fn)
	_, streams := any((*O)(nil)).(*huma.StreamResponse)
	tries := r.body == nil && !r.public && !streams
	huma.Register(s.api, r.huma(), func(ctx context.Context, in *I) (*O, error) {
		if wrong := requestOf(ctx).wrong; wrong.Err() != nil {
			if tries {
				_, err := fn(access.Trial(ctx), in)
				wrong.Include(err)
			}
			return nil, toAPI(ctx, s.log, wrong.Err())
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, toAPI(ctx, s.log, err)
		}
		return out, nil
	})
}

// describe completes an operation in the document after huma has derived the schemas from
// its types: texts, errors, and headers of success answers.
func (s *Server) describe(doc *huma.OpenAPI, op *huma.Operation) {
	r := routeOf(op)
	s.reference.operation(op, doc.Components.Schemas.Map())
	if r.admin {
		op.Description += " Admins only."
	}
	if r.administration {
		op.Description += " Requires an admin's session, or an admin's token that has all abilities."
	}
	if r.browsers {
		op.Description += " Requires a browser's session; a token is answered with 403."
	}
	delete(op.Responses, "default")
	if r.keyed() {
		describeKey(op)
	}
	describeTag(op)
	if r.body != nil {
		op.RequestBody = r.body // for the document only: the handler reads the body
	}
	if b := op.RequestBody; b != nil && b.Content["application/json"] != nil {
		delete(b.Content, "application/octet-stream") // huma adds it for handlers with a raw body, but it is not accepted
	}
	for _, code := range statuses(op) {
		op.Responses[itoa(int64(code))] = &huma.Response{Ref: "#/components/responses/" + itoa(int64(code))}
	}
	for code, answer := range op.Responses {
		if answer.Ref != "" || code == "304" {
			continue
		}
		if answer.Headers == nil {
			answer.Headers = map[string]*huma.Header{}
		}
		for name, h := range commonHeaders() {
			answer.Headers[name] = h
		}
	}
}

// statuses returns the error statuses of an operation, and adds the 304 of one with
// conditions.
func statuses(op *huma.Operation) []int {
	codes := append([]int{422, 429, 500, 503}, routeOf(op).errors...)
	if routeOf(op).keyed() {
		codes = append(codes, 409)
	}
	switch {
	case len(op.Security) > 0:
		codes = append(codes, 401, 403)
	case op.Method != http.MethodGet: // for cross-site requests
		codes = append(codes, 403)
	}
	if strings.Contains(op.Path, "{") {
		codes = append(codes, 404)
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
			op.Responses["304"] = &huma.Response{Description: "The response has not changed."}
		case p.Name == "If-Match":
			codes = append(codes, 412)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// authorize refuses callers without the required permissions.
func (s *Server) authorize(ctx huma.Context, next func(huma.Context)) {
	r := routeOf(ctx.Operation())
	if r.public {
		next(ctx)
		return
	}
	info := requestOf(ctx.Context())
	if err := r.allows(info.actor); err != nil {
		if info.actor.User == nil { // answers to authenticated callers already have these headers
			s.showRate(info.w.Header(), s.opt.RateLimit, s.opt.RateLimit, 0)
		}
		writeError(info.w, toAPI(ctx.Context(), s.log, err))
		return
	}
	next(ctx)
}

// allows returns the reason why an actor may not call a route, or nil.
func (r route) allows(actor dam.Actor) error {
	if actor.User == nil {
		return &dam.Error{Kind: dam.Unauthenticated, Msg: "Unauthenticated."}
	}
	if actor.TermsDue != 0 && !r.unagreed {
		return share.ErrTermsFirst
	}
	if err := actor.Require(r.abilities...); err != nil {
		return err
	}
	if r.anyOf != nil && !slices.ContainsFunc(r.anyOf, actor.May) {
		role := actor.User.Role.Abilities() // a token cannot have others
		could := slices.DeleteFunc(slices.Clone(r.anyOf), func(a dam.Ability) bool { return !slices.Contains(role, a) })
		return actor.Require(could...)
	}
	switch {
	case r.browsers:
		return actor.RequireSession()
	case r.administration:
		return actor.RequireAdministration()
	case r.admin:
		return actor.RequireAdmin()
	}
	return nil
}
