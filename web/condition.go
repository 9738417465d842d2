package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

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
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
