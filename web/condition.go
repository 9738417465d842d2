package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// ConditionInput has the conditions of a change (RFC 9110 section 13). They are
// checked in the transaction that makes it. huma's package conditional does not
// serve: it takes weak tags for strong ones, and * for a tag.
type ConditionInput struct {
	IfMatch     string `header:"If-Match" example:"\"v1\""`
	IfNoneMatch string `header:"If-None-Match" example:"\"v2\""`
}

// assetCheck checks the conditions of a request about an asset; nil if it has
// none.
func assetCheck(ctx context.Context) app.AssetCheck {
	check := conditions(ctx, "asset")
	if check == nil {
		return nil
	}
	return func(a *dam.Asset) error { return check(etag(a)) }
}

// collectionCheck checks the conditions of a request about a collection; nil if
// it has none.
func collectionCheck(ctx context.Context) app.CollectionCheck {
	check := conditions(ctx, "collection")
	if check == nil {
		return nil
	}
	actor := requestOf(ctx).actor
	return func(d *app.CollectionDetail) error { return check(hashTag(toCollectionDetail(actor, d))) }
}

// conditions returns a function that checks the conditions of the request against
// the entity tag of a resource; nil if it has none.
func conditions(ctx context.Context, noun string) func(tag string) error {
	h := requestOf(ctx).raw.Header
	match, isMatch := strings.Join(h.Values("If-Match"), ","), len(h.Values("If-Match")) > 0
	none, isNone := strings.Join(h.Values("If-None-Match"), ","), len(h.Values("If-None-Match")) > 0
	if !isMatch && !isNone {
		return nil
	}
	return func(tag string) error {
		if isMatch && !hasTag(match, tag, true) {
			return dam.Errorf(dam.Stale, "The %s has changed in the meantime: its ETag is %s now.", noun, tag)
		}
		if isNone && hasTag(none, tag, false) {
			return dam.Errorf(dam.Stale, "The %s exists, and its ETag is %s.", noun, tag)
		}
		return nil
	}
}

// unmodified reports whether the client of a GET has the version with that entity
// tag.
func unmodified(ctx context.Context, tag string) bool {
	return hasTag(strings.Join(requestOf(ctx).raw.Header.Values("If-None-Match"), ","), tag, false)
}

// hasTag reports whether a list of entity tags, or *, includes tag, which is
// strong. Compared strongly, weak tags of the list do not count (RFC 9110 section
// 8.8.3). What is not an entity tag is skipped.
func hasTag(list, tag string, strongly bool) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for list = strings.TrimLeft(list, ", \t"); list != ""; list = strings.TrimLeft(list, ", \t") {
		opaque, weak := strings.CutPrefix(list, "W/")
		end := -1
		if strings.HasPrefix(opaque, `"`) {
			end = strings.IndexByte(opaque[1:], '"')
		}
		if end < 0 {
			_, list, _ = strings.Cut(list, ",")
			continue
		}
		if opaque[:end+2] == tag && !(weak && strongly) {
			return true
		}
		list = opaque[end+2:]
	}
	return false
}

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
