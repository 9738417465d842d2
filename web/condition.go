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

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// ConditionInput are the conditions of a change (RFC 9110 section 13). They are
// checked in the transaction that makes the change, by net/http: huma's package
// conditional takes weak tags for strong ones, and * for a tag.
type ConditionInput struct {
	IfMatch     string `header:"If-Match" example:"\"v1\""`
	IfNoneMatch string `header:"If-None-Match" example:"\"v2\""`
}

const (
	ifMatch     = "If-Match"
	ifNoneMatch = "If-None-Match"
)

// assetCheck returns the conditions of a request about an asset; nil if it has
// none.
func assetCheck(ctx context.Context) app.AssetCheck {
	check := conditions(ctx, "asset")
	if check == nil {
		return nil
	}
	now := requestOf(ctx).start
	return func(a *dam.Asset) error { return check(etag(a, now)) }
}

// collectionCheck returns the conditions of a request about a collection; nil if
// it has none.
func collectionCheck(ctx context.Context) app.CollectionCheck {
	check := conditions(ctx, "collection")
	if check == nil {
		return nil
	}
	actor := requestOf(ctx).actor
	return func(d *app.CollectionDetail) error { return check(hashTag(toCollectionDetail(actor, d))) }
}

// conditions returns a function that checks the conditions of a request against
// the entity tag of what the request changes; nil if it has none.
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

// shown is the resource that a request changes, as GET shows it.
type shown[I any] func(context.Context, *I) (any, error)

// shownBy is shown for a change that has the parameters of GET.
func shownBy[I, T any](get func(context.Context, *I) (*oneOutput[T], error)) shown[I] {
	return func(ctx context.Context, in *I) (any, error) {
		out, err := get(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Body.Data, nil
	}
}

// unlessChanged has fn change a resource only if the conditions of the request hold for
// it, both before and when it is fn's turn to write.
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
		return fn(app.Provided(ctx, holds), in)
	}
}

// registerChange is register for a change of a resource, or its deletion, that can have
// conditions.
func registerChange[I, O any](s *Server, r route, show shown[I], fn func(context.Context, *I) (*O, error)) {
	r.conditional = true
	register(s, r, unlessChanged(show, fn))
}

// tag gives answers an entity tag, the checksum of their bytes, and answers 304 to a
// client that has them.
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

// tagged reports whether the answers of an operation get an entity tag: resources and
// lists, but no files, and what is shown of a resource after a change.
func tagged(op *huma.Operation) bool {
	r, ok := routeOf(op), op.Responses["200"]
	return ok != nil && !r.public && (r.method == http.MethodGet || r.conditional && r.method == http.MethodPut) &&
		len(ok.Content) == 1 && ok.Content["application/json"] != nil
}

// describeTag adds entity tags and conditions to an operation of the document.
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

// holds reports whether a condition in the header of a request, all of its lines taken
// together, holds for a resource with this entity tag. It has net/http answer a
// request with that condition only.
func holds(h http.Header, condition, tag string) bool {
	lines := h.Values(condition)
	if len(lines) == 0 {
		return true
	}
	// net/http skips commas and takes an empty condition for none.
	r := &http.Request{Method: http.MethodGet, Header: http.Header{condition: {"," + strings.Join(lines, ",")}}}
	w := &statusOnly{header: http.Header{"Etag": {tag}}}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(""))
	return w.status == http.StatusOK
}

// statusOnly keeps the status of an answer and nothing else.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }

// hashTag is the entity tag of a resource that has no version: a part of its
// checksum.
func hashTag(resource any) string {
	b, err := json.Marshal(resource)
	if err != nil {
		panic(err) // cannot happen: it is an answer, which is JSON
	}
	return bytesTag(b)
}

func bytesTag(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
