package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

const otherOrigin = "https://app.example.com"

// Pages of allowed origins can use the API with tokens; pages of other origins cannot, and
// cookies are ignored.
func TestCORS(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) { o.CORSOrigins = []string{otherOrigin} })
	ask := []string{
		"Origin", otherOrigin,
		"Access-Control-Request-Method", "PUT",
		"Access-Control-Request-Headers", "authorization,content-type,idempotency-key,if-match,range",
	}
	a := s.as(t, "", "OPTIONS", "/api/v1/assets/x", "", ask...).want(t, 204)
	h := a.Header
	if h.Get("Access-Control-Allow-Origin") != otherOrigin ||
		h.Get("Access-Control-Allow-Methods") != "PUT" ||
		h.Get("Access-Control-Allow-Headers") == "" ||
		h.Get("Access-Control-Allow-Credentials") != "" ||
		h.Get("Access-Control-Max-Age") == "" ||
		!strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin") {
		t.Errorf("preflight: %v", h)
	}
	tus := append(ask[:2:2], "Access-Control-Request-Method", "PATCH",
		"Access-Control-Request-Headers", "authorization,content-type,tus-resumable,upload-checksum,upload-offset")
	a = s.as(t, "", "OPTIONS", "/api/v1/upload-batches/1/tus/x", "", tus...).want(t, 204)
	if a.Header.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("preflight of bytes: %v", a.Header)
	}
	ask[1] = "https://evil.example.com"
	if h := s.as(t, "", "OPTIONS", "/api/v1/assets/x", "", ask...).Header; h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of another: %v", h)
	}
	for _, path := range []string{"/api/v1/user", "/api/v1/nowhere", "/docs/api.json"} {
		h := s.do(t, "GET", path, "", "Origin", otherOrigin).Header
		if h.Get("Access-Control-Allow-Origin") != otherOrigin || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, h)
		}
		for _, name := range []string{
			"ETag", "Location", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy", "Retry-After",
			"X-Request-Id", "Content-Disposition", "Idempotency-Replayed", "Upload-Offset", "Upload-Expires", "DAL-File",
		} {
			if !strings.Contains(strings.ToLower(h.Get("Access-Control-Expose-Headers")), strings.ToLower(name)) {
				t.Errorf("%s does not show %s", path, name)
			}
		}
	}
	h = s.as(t, "nonsense", "GET", "/api/v1/user", "", "Origin", otherOrigin).want(t, 401).Header
	if h.Get("Access-Control-Allow-Origin") != otherOrigin {
		t.Errorf("401: %v", h)
	}
	if h := s.do(t, "GET", "/api/v1/user", "", "Origin", "https://evil.example.com").Header; h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %v", h)
	}
	session := s.do(t, "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201).Cookies()[0]
	cookie := session.Name + "=" + session.Value
	s.as(t, "", "GET", "/api/v1/user", "", "Cookie", cookie).want(t, 200)
	s.as(t, "", "GET", "/api/v1/user", "", "Cookie", cookie, "Origin", otherOrigin).want(t, 401)
	crossSite := []string{"Cookie", cookie, "Origin", otherOrigin, "Sec-Fetch-Site", "cross-site"}
	s.as(t, "", "DELETE", "/api/v1/assets/x", "", crossSite...).want(t, 403)
}

// Without allowed origins, answers have no CORS headers.
func TestNoCORS(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, method := range []string{"GET", "OPTIONS"} {
		a := s.do(t, method, "/api/v1/user", "", "Origin", otherOrigin, "Access-Control-Request-Method", "GET")
		for name := range a.Header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: %s", method, name)
			}
		}
		if method == "OPTIONS" && a.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("OPTIONS = %d", a.StatusCode)
		}
	}
}

func TestCheckOrigin(t *testing.T) {
	t.Parallel()
	for origin, ok := range map[string]bool{
		"*":                     true,
		otherOrigin:             true,
		"http://localhost:3000": true,
		"":                      false,
		"null":                  false,
		"app.example.com":       false,
		otherOrigin + "/":       false,
		"ftp://x":               false,
		"https://":              false,
		"https://*.example.com": false,
		"https://u@x":           false,
	} {
		if err := web.CheckOrigin(origin); (err == nil) != ok {
			t.Errorf("%q: %v", origin, err)
		}
	}
}
