package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/web"
)

// uiFile matches the files that the application's page refers to.
var uiFile = regexp.MustCompile(`(?:src|href)="(/[^"]+)"`)

func TestUIPage(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	nonce := regexp.MustCompile(`'nonce-([^']+)'`)
	var nonces []string
	for _, path := range []string{"/", "/collections", "/assets/01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		a := s.as(t, "", "GET", path, "").want(t, 200)
		csp := a.Header.Get("Content-Security-Policy")
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http:") || strings.Contains(csp, "https:") {
			t.Errorf("%s: %s", path, csp)
		}
		found := nonce.FindStringSubmatch(csp)
		if found == nil || !strings.Contains(string(a.body), found[1]) || slices.Contains(nonces, found[1]) {
			t.Fatalf("%s: the page and its policy need a nonce of their own: %v", path, found)
		}
		nonces = append(nonces, found[1])
		files := uiFile.FindAllStringSubmatch(string(a.body), -1)
		if len(files) == 0 {
			t.Fatalf("%s names no file", path)
		}
		for _, f := range files {
			file := s.as(t, "", "GET", f[1], "").want(t, 200)
			if cache := file.Header.Get("Cache-Control"); strings.HasPrefix(f[1], "/static/") && !strings.Contains(cache, "immutable") {
				t.Errorf("%s: Cache-Control %q", f[1], cache)
			}
		}
	}
}

// Paths that are not pages remain errors: missing files of the application, and unknown API
// paths.
func TestUIPageIsNotEverything(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, path := range []string{
		"/static/none.js", "/static/", "/static/../index.html",
		"/favicon.ico", "/api/v1/nothing", "/wp-login.php", "/metrics", "/.well-known/security.txt", "/.well-known/openid-configuration",
		"/dav/", "/dav", "/graphql", "/assets", "/collections/1/2", "/admin//users", "/shares/.env", "/docs/nothing",
	} {
		if a := s.as(t, "", "GET", path, ""); a.StatusCode != 404 || a.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s = %s", path, a)
		}
	}
	// Browsers get the application, which displays the error in the reader's language.
	a := s.as(t, "", "GET", "/metrics", "", "Accept", "text/html,*/*;q=0.8").want(t, 404)
	if !strings.Contains(string(a.body), "<html") {
		t.Errorf("a browser is sent %s", a)
	}
}

// The server's list of pages matches the application's.
func TestUIPathsAreThoseOfTheRouter(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("ui/src/app/routes.tsx")
	must(t, err)
	_, source, _ = bytes.Cut(source, []byte("export const routes"))
	var want []string
	base, current := "", ""
	for _, m := range regexp.MustCompile(`path: '([^']+)'|children: opened`).FindAllStringSubmatch(string(source), -1) {
		switch {
		case m[1] == "":
			want = append(want, strings.TrimSuffix(current, "/")+"/assets/:gaid")
			continue
		case strings.HasPrefix(m[1], "/"):
			base, current = m[1], m[1]
		default:
			current = base + "/" + m[1]
		}
		want = append(want, current)
	}
	got := web.UIPaths()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the server knows %q, the application has %q", got, want)
	}
	s := start(t, nil)
	for _, p := range want {
		p = strings.NewReplacer("/*", "/a/b", ":", "a-").Replace(p)
		for _, path := range []string{p, strings.TrimSuffix(p, "/") + "/"} {
			s.as(t, "", "GET", path, "").want(t, 200)
		}
	}
	s.as(t, "", "GET", "/admin", "").want(t, 200)
}

// The application's files are sent compressed to clients that accept it, and have the same
// content for others.
func TestUIFilesAreCompressed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, page := s.raw(t, "GET", "/")
	for _, f := range uiFile.FindAllStringSubmatch(string(page), -1) {
		if !strings.HasPrefix(f[1], "/static/") {
			continue
		}
		res, plain := s.raw(t, "GET", f[1], "Accept-Encoding", "identity")
		if res.StatusCode != 200 || res.Header.Get("Content-Encoding") != "" || res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d, %v", f[1], res.StatusCode, res.Header)
		}
		as, small := s.raw(t, "GET", f[1], "Accept-Encoding", "gzip, deflate, br, zstd")
		r, err := gzip.NewReader(bytes.NewReader(small))
		if err != nil || as.Header.Get("Content-Encoding") != "gzip" || as.Header.Get("Vary") != "Accept-Encoding" {
			t.Fatalf("%s: %v, %v", f[1], err, as.Header)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %v, %d bytes instead of %d", f[1], err, len(got), len(plain))
		}
		if got, want := as.Header.Get("Content-Type"), res.Header.Get("Content-Type"); got != want || want == "" {
			t.Errorf("%s: Content-Type %q, %q without gzip", f[1], got, want)
		}
		part, some := s.raw(t, "GET", f[1], "Accept-Encoding", "gzip", "Range", "bytes=10-19")
		if part.StatusCode != 206 || part.Header.Get("Content-Encoding") != "" || !bytes.Equal(some, plain[10:20]) {
			t.Errorf("%s: a range is %d, %v", f[1], part.StatusCode, part.Header)
		}
	}
}
