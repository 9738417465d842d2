package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/web"
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

// Every resource and list that is polled answers 304 while it does not change. TestMain checks
// that no other one is left out.
func TestPollersGet304(t *testing.T) {
	t.Parallel()
	clock := newClock() // does not advance, so that the times of last use don't either
	p := inPlace(t, func(c *app.Config, o *web.Options) {
		still(c, o)
		c.Now, o.Now = clock.now, clock.now
	})
	p.write(t, "b.jpg", picture(2, 40, 30))
	p.scan(t, external.InPlaceOptions{})
	gaid, video := p.one(t, "a.pdf", pdfOf("Harbour")), p.one(t, "a.mp4", mediaSample(t, "a.mp4"))
	p.do(t, "POST", assets+"/"+video+"/embed", "").want(t, 201)
	version := p.newVersion(t, gaid, "b.pdf", pdfOf("Quay"))
	share, _ := p.share(t, shareOf(`,"type":"review"`, gaid))
	operation := p.operate(t, `{"type":"bulk_update","selection":{"gaids":["`+gaid+`"]},"changes":{"title":"Harbour"}}`)
	p.ended(t, operation)
	hook, _ := p.hook(t, "https://example.com/", "collection.created")
	vocabulary, _ := p.vocabulary(t, "ports", "harbour")
	table := p.putTable(t, p.token, "gaid,title\n"+gaid+",Quay\n").want(t, 201).get("data.id")
	p.setLogo(t, picture(3, 64, 64), "image/jpeg").want(t, 200)
	browser := p.browser(t, "ada@example.com", "correct horse battery")
	p.setTerms(t, "Terms of use.")
	p.as(t, "", "POST", "/api/v1/terms/accept", `{"version":1}`, browser...).want(t, 200)
	batch := "/upload-batches/" + fmt.Sprint(p.batch(t, `{}`))
	asset := "/assets/" + gaid
	in := func(path string) string { return strings.TrimPrefix(path, "/api/v1") }
	for _, path := range []string{
		"/user", "/users", "/users/names", "/tokens", "/tokens/1", "/status", "/audit-logs?changes=true", "/presets",
		"/analytics/overview", "/analytics/assets", "/analytics" + asset, "/consents", "/consents/1", "/duplicates", "/folders",
		"/roots", "/roots/1", "/settings/logo", "/asset-classes", "/collection-types", "/saved-searches",
		"/metadata/fields", "/metadata/vocabularies", fmt.Sprintf("/metadata/vocabularies/%v/terms", vocabulary),
		asset + "/analyses", asset + "/history", asset + "/pages/1", asset + "/similar", asset + "/versions", "/assets/" + video + "/embed",
		fmt.Sprintf("%s/uploads/%v", asset, version.get("data.id")), in(p.collection(t, `{"name":"Some"}`)) + "/assets",
		fmt.Sprintf("/import-files/%v", table), "/operations", in(operation) + "/items", in(hook) + "/deliveries",
		"/shares", in(share) + "/access-logs", in(share) + "/feedback", in(share) + "/feedback/summary", in(share) + "/files",
		"/upload-batches", batch, batch + "/files",
		"/session", "/sessions", "/terms", // of a browser
	} {
		token, header := p.token, []string(nil)
		if slices.Contains([]string{"/session", "/sessions", "/terms"}, path) {
			token, header = "", browser
		}
		get := func(tag string) answer {
			return p.as(t, token, "GET", "/api/v1"+path, "", append([]string{"If-None-Match", tag}, header...)...)
		}
		// Background jobs may change it once more.
		repeated(t, path, func() answer { return get(`"none"`) }, func(a answer) bool {
			return get(a.Header.Get("ETag")).StatusCode == http.StatusNotModified
		})
	}
}
