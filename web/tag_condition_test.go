package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Every editable resource has an ETag, which the answer to PUT contains too, and is changed
// only if If-Match contains it.
func TestConditionsOfResources(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	browser := s.browser(t, "ada@example.com", "correct horse battery")
	vocabulary, _ := s.vocabulary(t, "ports", "harbour")
	terms := fmt.Sprintf("/api/v1/metadata/vocabularies/%v/terms", vocabulary)
	at := func(path, body string) string { // URL of a new resource
		a := s.as(t, "", "POST", "/api/v1"+path, body, browser...).want(t, 201)
		return strings.TrimPrefix(a.Header.Get("Location"), s.URL)
	}
	for _, tt := range []struct{ path, change, another string }{
		{at("/collections", `{"name":"A"}`), `{"name":"B"}`, `{"name":"C"}`},
		{at("/shares", `{"name":"A","type":"assets","gaids":["`+gaid+`"]}`), `{"name":"B"}`, `{"name":"C"}`},
		{at("/webhooks", hookBody("https://example.com/", "asset.created")), `{"description":"B"}`, `{"description":"C"}`},
		{at("/saved-searches", `{"name":"A","query":{"q":"x"}}`), `{"name":"B"}`, `{"name":"C"}`},
		{at("/presets", `{"name":"a","width":100}`), `{"width":200}`, `{"width":300}`},
		{at("/asset-classes", `{"name":"A"}`), `{"name":"B"}`, `{"name":"C"}`},
		{at("/collection-types", `{"name":"A"}`), `{"name":"B"}`, `{"name":"C"}`},
		{at("/metadata/fields", `{"key":"harbour","label":"A","type":"text"}`), `{"label":"B"}`, `{"label":"C"}`},
		{at("/metadata/vocabularies", `{"key":"x","name":"A"}`), `{"name":"B"}`, `{"name":"C"}`},
		{at(strings.TrimPrefix(terms, "/api/v1"), `{"key":"x","label":"A"}`), `{"label":"B"}`, `{"label":"C"}`},
		{at("/users", `{"name":"A","email":"a@example.com","role":"viewer"}`), `{"name":"B"}`, `{"name":"C"}`},
	} {
		do := func(method, body string, header ...string) answer {
			return s.as(t, "", method, tt.path, body, append(header, browser...)...)
		}
		tag := plainTag(do("GET", "").want(t, 200))
		do("GET", "", "If-None-Match", tag).want(t, 304)
		do("PUT", tt.change, "If-Match", `"other"`).want(t, 412)
		changed := do("PUT", tt.change, "If-Match", tag).want(t, 200)
		do("PUT", tt.another, "If-Match", tag).want(t, 412)
		next := plainTag(do("GET", "", "If-None-Match", tag).want(t, 200))
		if plainTag(changed) != next || next == tag || tag == "" {
			t.Errorf("%s: the ETag was %s, in the answer to PUT %s, then %s", tt.path, tag, plainTag(changed), next)
		}
		if strings.Contains(tt.path, "/users/") { // users cannot be deleted
			continue
		}
		do("DELETE", "", "If-Match", tag).want(t, 412)
		do("GET", "", "If-None-Match", next).want(t, 304)
		do("DELETE", "", "If-Match", next).want(t, 200)
	}
}

// plainTag returns the ETag of an answer without the compression suffix.
func plainTag(a answer) string {
	return strings.NewReplacer("-gzip", "", "-zstd", "").Replace(a.Header.Get("ETag"))
}

// Of concurrent changes with the same ETag, one succeeds.
func TestConditionsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path, _ := s.hook(t, "https://example.com/", "asset.created")
	tag := s.do(t, "GET", path, "").want(t, 200).Header.Get("ETag")
	const n = 8
	answers := make(chan int, n)
	for i := range n {
		go func() {
			answers <- s.do(t, "PUT", path, fmt.Sprintf(`{"description":"%d"}`, i), "If-Match", tag).StatusCode
		}()
	}
	made := 0
	for range n {
		switch code := <-answers; code {
		case http.StatusOK:
			made++
		case http.StatusPreconditionFailed:
		default:
			t.Errorf("a change is answered %d", code)
		}
	}
	if made != 1 {
		t.Errorf("%d changes were made", made)
	}
}

// An unchanged list is not sent again, and ETags depend on the user.
func TestListsAreNotSentTwice(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.one(t, "a.jpg", picture(1, 40, 30))
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	s.hook(t, "https://example.com/", "asset.created")
	for _, path := range []string{"/api/v1/assets", "/api/v1/webhooks", "/api/v1/tokens", "/api/v1/collections", "/api/v1/suggestions?q=a"} {
		a := s.do(t, "GET", path, "").want(t, 200)
		tag := a.Header.Get("ETag")
		if a.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %v", path, a.Header)
		}
		if path == "/api/v1/tokens" { // its last use changes
			continue
		}
		b := s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 304)
		if len(b.body) > 0 || plainTag(b) != plainTag(a) {
			t.Errorf("%s: %v %s", path, b.Header, b)
		}
	}
	tag := s.do(t, "GET", "/api/v1/webhooks", "").Header.Get("ETag")
	s.as(t, eve, "GET", "/api/v1/webhooks", "", "If-None-Match", tag).want(t, 200)
	s.hook(t, "https://example.org/", "asset.created")
	s.do(t, "GET", "/api/v1/webhooks", "", "If-None-Match", tag).want(t, 200)
}
