package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
)

// ConditionInput are the preconditions of a change (RFC 9110 section 13). net/http checks
// them in the transaction that makes the change; huma's package conditional treats weak
// tags as strong ones, and * as a tag.
type ConditionInput struct {
	IfMatch     string `header:"If-Match" example:"\"v1\""`
	IfNoneMatch string `header:"If-None-Match" example:"\"v2\""`
}

const (
	ifMatch     = "If-Match"
	ifNoneMatch = "If-None-Match"
)

// assetCheck returns the preconditions of a request about an asset; nil if it has none.
func assetCheck(ctx context.Context) find.AssetCheck {
	check := conditions(ctx, "asset")
	if check == nil {
		return nil
	}
	now := requestOf(ctx).start
	return func(a *dam.Asset) error { return check(etag(a, now)) }
}

// collectionCheck returns the preconditions of a request about a collection; nil if it has
// none.
func collectionCheck(ctx context.Context) collection.Check {
	check := conditions(ctx, "collection")
	if check == nil {
		return nil
	}
	actor := requestOf(ctx).actor
	return func(d *collection.Detail) error { return check(hashTag(toCollectionDetail(actor, d))) }
}

// conditions returns a function that checks a request's preconditions against the entity
// tag of the resource to change; nil if it has none.
func conditions(ctx context.Context, noun string) func(tag string) error {
	h := requestOf(ctx).raw.Header
	if len(h.Values(ifMatch)) == 0 && len(h.Values(ifNoneMatch)) == 0 {
		return nil
	}
	return func(tag string) error {
		if !holds(h, ifMatch, tag) {
			return dam.Errorf(dam.Stale, "The %s was changed in the meantime: its ETag is now %s.", noun, tag)
		}
		if !holds(h, ifNoneMatch, tag) {
			return dam.Errorf(dam.Stale, "The %s exists, and its ETag is %s.", noun, tag)
		}
		return nil
	}
}

// shown returns the resource that a request changes, as returned by GET.
type shown[I any] func(context.Context, *I) (any, error)

// shownBy returns shown for a change with the same parameters as GET.
func shownBy[I, T any](get func(context.Context, *I) (*oneOutput[T], error)) shown[I] {
	return func(ctx context.Context, in *I) (any, error) {
		out, err := get(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Body.Data, nil
	}
}

// unlessChanged wraps fn to change a resource only if the request's preconditions hold,
// both before the call and when fn gets to write.
func unlessChanged[I, O any](show shown[I], fn func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		check := conditions(ctx, "resource")
		if check == nil {
			return fn(ctx, in)
		}
		holds := func() error {
			v, err := show(ctx, in)
			if err != nil {
				return err
			}
			var body bytes.Buffer
			if err := huma.DefaultJSONFormat.Marshal(&body, one[any]{v}); err != nil {
				return err
			}
			return check(bytesTag(body.Bytes()))
		}
		if err := holds(); err != nil {
			return nil, err
		}
		return fn(access.Provided(ctx, holds), in)
	}
}

// registerChange is register for changing or deleting a resource, with preconditions.
func registerChange[I, O any](s *Server, r route, show shown[I], fn func(context.Context, *I) (*O, error)) {
	r.conditional = true
	register(s, r, unlessChanged(show, fn))
}

// tag adds an entity tag, the checksum of the bytes, to answers, and sends 304 to clients
// that already have them.
func (s *Server) tag(ctx huma.Context, next func(huma.Context)) {
	if !tagged(ctx.Operation()) {
		next(ctx)
		return
	}
	w := requestOf(ctx.Context()).w
	w.holding(func() {
		next(ctx)
		if w.status != http.StatusOK || w.Header().Get("ETag") != "" {
			return
		}
		tag := bytesTag(w.held.Bytes())
		w.Header().Set("ETag", tag)
		if ctx.Operation().Method == http.MethodGet && unmodified(ctx.Context(), tag) {
			w.status = http.StatusNotModified
			w.held.Reset()
			w.Header().Del("Content-Type")
		}
	})
}

// tagged reports whether the answers of an operation get an entity tag: resources, lists
// and the new state of a changed resource do, files do not.
func tagged(op *huma.Operation) bool {
	r, ok := routeOf(op), op.Responses["200"]
	return ok != nil && !r.public && (r.method == http.MethodGet || r.conditional && r.method == http.MethodPut) &&
		len(ok.Content) == 1 && ok.Content["application/json"] != nil
}

// describeTag adds entity tags and preconditions to an operation in the document.
func describeTag(op *huma.Operation) {
	parameter := func(name, doc string) {
		if !slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == name }) {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "header", Description: doc,
				Example: `"0e1f5f4a9c3d7b2e8a6c4d1f"`, Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	if routeOf(op).conditional {
		parameter(ifMatch, "Make the change only if the resource, as GET shows it, still has one of these ETags; otherwise 412.")
	}
	if !tagged(op) {
		return
	}
	if op.Method == http.MethodGet {
		parameter(ifNoneMatch, "Respond with 304 if the response still has one of these ETags.")
	}
	ok := op.Responses["200"]
	if ok.Headers == nil {
		ok.Headers = map[string]*huma.Header{}
	}
	if ok.Headers["ETag"] == nil {
		ok.Headers["ETag"] = &huma.Header{Ref: "#/components/headers/ETag"}
	}
}

// unmodified reports whether the client of a GET already has the resource with this
// entity tag.
func unmodified(ctx context.Context, tag string) bool {
	return !holds(requestOf(ctx).raw.Header, ifNoneMatch, tag)
}

// holds reports whether a condition in a request's header, with all of its lines combined,
// holds for a resource with this entity tag. It lets net/http answer a request with only
// that condition.
func holds(h http.Header, condition, tag string) bool {
	lines := h.Values(condition)
	if len(lines) == 0 {
		return true
	}
	// net/http skips commas, but treats an empty condition as absent.
	r := &http.Request{Method: http.MethodGet, Header: http.Header{condition: {"," + strings.Join(lines, ",")}}}
	w := &statusOnly{header: http.Header{"Etag": {tag}}}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(""))
	return w.status == http.StatusOK
}

// statusOnly is an http.ResponseWriter that records only the status.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }

// hashTag returns the entity tag of a resource without a version: part of its checksum.
func hashTag(resource any) string {
	b, err := json.Marshal(resource)
	if err != nil {
		panic(err) // cannot happen: answers are valid JSON
	}
	return bytesTag(b)
}

func bytesTag(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
