package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// rawPath sends a request with a path that no client would send.
func (s *server) rawPath(t testing.TB, method, target string, header ...string) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n", method, target, s.token)
	for i := 0; i+1 < len(header); i += 2 {
		fmt.Fprintf(c, "%s: %s\r\n", header[i], header[i+1])
	}
	fmt.Fprint(c, "\r\n")
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

// Paths are taken literally: none is cleaned, redirected or decoded to another.
func TestPathsAreNotCleaned(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 16, 16))
	for _, path := range []string{
		"/api/v1//assets", "//api/v1/assets", "/api/v1/assets/",
		"/api/v1/./assets", "/api/v1/../v1/assets", "/api/v1/%2e%2e/v1/assets",
		"/api/v1/assets/..%2f", "/api/v1/assets/%2e%2e%2f", "/api/v1/assets/%2E%2E", "/api/v1/assets/..",
		"/api/v1/assets%2f" + gaid, "/api/v1/assets/" + gaid + "%2Fdownload", "/api/v1/assets/" + gaid + "/",
		"/docs/", "/docs//api.json", "/api/v1",
	} {
		for _, method := range []string{"GET", "PUT"} {
			res := s.rawPath(t, method, path)
			if res.StatusCode != 404 || res.Header.Get("Location") != "" || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s = %d, %v", method, path, res.StatusCode, res.Header)
			}
		}
	}
	for _, path := range []string{"/api/v1/%61ssets", "/docs", "/docs/api%2ejson"} { // equivalent encodings of existing paths
		if res := s.rawPath(t, "GET", path); res.StatusCode != 200 {
			t.Errorf("GET %s = %d", path, res.StatusCode)
		}
	}
}

// Every answer to an authenticated caller contains the rate limit headers.
func TestRateOnEveryAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, r := range []string{
		"GET /api/v1/user", "GET /api/v1/nowhere", "GET /nowhere", "GET /api/v1//user",
		"PATCH /api/v1/user", "POST /api/v1/collections", "GET /api/v1/assets?page=0",
		"GET /docs", "GET /docs/api.json", "GET /",
		"GET /api/v1/assets/x", "GET /api/v1/assets/x%2fy", "OPTIONS /api/v1/user",
	} {
		method, path, _ := strings.Cut(r, " ")
		res := s.rawPath(t, method, path)
		if res.Header.Get("X-RateLimit-Limit") == "" || res.Header.Get("X-RateLimit-Remaining") == "" {
			t.Errorf("%s = %d without X-RateLimit headers", r, res.StatusCode)
		}
	}
	if res := s.rawPath(t, "GET", "/healthz"); res.StatusCode != 200 || res.Header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("/healthz looks at tokens: %v", res.Header)
	}
}

// New resources have a Location.
func TestLocations(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, r := range []struct{ path, body, want string }{
		{"/collections", `{"name":"a"}`, "/collections/1"},
		{"/collection-types", `{"name":"a"}`, "/collection-types/"},
		{"/asset-classes", `{"name":"a"}`, "/asset-classes/"},
		{"/saved-searches", `{"name":"a","query":{}}`, "/saved-searches/1"},
		{"/metadata/vocabularies", `{"key":"regions","name":"Regions"}`, "/metadata/vocabularies/regions"},
		{"/metadata/vocabularies/regions/terms", `{"key":"fr","label":"France"}`, "/metadata/vocabularies/regions/terms/1"},
		{"/metadata/fields", `{"key":"region","label":"Region","type":"text"}`, "/metadata/fields/region"},
		{"/webhooks", `{"url":"https://e.example/","events":["*"]}`, "/webhooks/1"},
		{"/tokens", `{"name":"a","abilities":["assets:read"]}`, "/tokens/"},
		{"/upload-batches", `{}`, "/upload-batches/1"},
		{"/session", `{"email":"ada@example.com","password":"correct horse battery"}`, "/user"},
	} {
		a := s.do(t, "POST", "/api/v1"+r.path, r.body).want(t, 201)
		at := a.Header.Get("Location")
		if !strings.HasPrefix(at, s.URL+"/api/v1"+r.want) {
			t.Errorf("POST %s: Location %q", r.path, at)
		}
		switch r.path {
		case "/collection-types", "/asset-classes", "/tokens": // only available in lists
		default:
			s.do(t, "GET", strings.TrimPrefix(at, s.URL), "").want(t, 200)
		}
	}
	a := s.push(t, 1, upload{"a.jpg", picture(1, 16, 16)}).want(t, 201)
	if at := a.Header.Get("Location"); at != s.URL+"/api/v1/upload-batches/1/files" {
		t.Errorf("files: Location %q", at)
	}
}
