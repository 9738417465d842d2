package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestCompression checks that text is compressed for clients that accept it.
func TestCompression(t *testing.T) {
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 64, 64))
	s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"ai_caption":"`+strings.Repeat("harbour ", 400)+`"}`).want(t, 200)
	for _, c := range []struct{ path, accept, coding string }{
		{"/api/v1/assets", "gzip", "gzip"},
		{"/api/v1/assets", "gzip, deflate, br, zstd", "zstd"},
		{"/api/v1/assets", "gzip;q=0", ""},
		{"/api/v1/assets", "identity", ""},
		{"/api/v1/user", "gzip", ""}, // too small
		{"/docs/api.json", "gzip", "gzip"},
		{"/docs", "gzip", ""}, // too small
		{"/docs/redoc.standalone.js", "gzip", "gzip"},
		{"/api/v1/assets/" + gaid, "gzip", "gzip"},
		{"/api/v1/assets/" + gaid + "/download", "gzip", ""},
	} {
		res, b := s.raw(t, "GET", c.path, "Accept-Encoding", c.accept)
		_, plain := s.raw(t, "GET", c.path, "Accept-Encoding", "identity")
		if got := res.Header.Get("Content-Encoding"); got != c.coding {
			t.Errorf("%s for %s: %q, want %q", c.path, c.accept, got, c.coding)
			continue
		}
		if !strings.HasSuffix(c.path, "download") && res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: Vary %q", c.path, res.Header.Get("Vary"))
		}
		var r io.Reader = strings.NewReader(string(b))
		var err error
		switch c.coding {
		case "gzip":
			r, err = gzip.NewReader(r)
		case "zstd":
			r, err = zstd.NewReader(r)
		}
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := io.ReadAll(r); err != nil || string(unpacked) != string(plain) {
			t.Errorf("%s as %q: %v, %d bytes instead of %d", c.path, c.coding, err, len(unpacked), len(plain))
		}
		if c.coding != "" && len(b) > len(plain)/2 {
			t.Errorf("%s: %d bytes compressed, %d plain", c.path, len(b), len(plain))
		}
	}
}

// TestCompressedTags checks that the tag of a compressed answer differs from that of the
// plain one, and that conditions accept both.
func TestCompressedTags(t *testing.T) {
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 64, 64))
	path := "/api/v1/assets/" + gaid
	s.do(t, "PUT", path, `{"ai_caption":"`+strings.Repeat("harbour ", 400)+`"}`).want(t, 200)
	tags := map[string]bool{}
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		res, _ := s.raw(t, "GET", path, "Accept-Encoding", coding)
		tag := res.Header.Get("ETag")
		tags[tag] = true
		res, b := s.raw(t, "GET", path, "Accept-Encoding", coding, "If-None-Match", tag)
		if res.StatusCode != 304 || len(b) > 0 || res.Header.Get("ETag") != tag {
			t.Errorf("%s: %d with %d bytes and the tag %s, want 304 and %s", coding, res.StatusCode, len(b), res.Header.Get("ETag"), tag)
		}
	}
	if len(tags) != 3 {
		t.Errorf("tags %v", tags)
	}
	for tag := range tags {
		s.do(t, "PUT", path, `{"title":"b"}`, "If-Match", tag).want(t, 200)
		s.do(t, "PUT", path, `{"title":"b"}`, "If-Match", strings.Replace(tag, `"`, `"x`, 1)).want(t, 412)
		break // the tag belongs to an earlier version now
	}
	res, b := s.raw(t, "GET", path+"/download", "Accept-Encoding", "gzip", "Range", "bytes=0-9")
	if res.StatusCode != 206 || len(b) != 10 || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("a range: %d, %d bytes, %q", res.StatusCode, len(b), res.Header.Get("Content-Encoding"))
	}
}

// TestTagsOnSeveralLines checks that all header lines of a condition apply.
func TestTagsOnSeveralLines(t *testing.T) {
	s := start(t, nil)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 64, 64))
	res, _ := s.raw(t, "GET", path, "Accept-Encoding", "identity")
	tag := res.Header.Get("ETag")
	for _, c := range []struct {
		method, name, first, second string
		status                      int
	}{
		{"DELETE", "If-None-Match", `"x"`, tag, 412},
		{"DELETE", "If-Match", `"x"`, `"y"`, 412},
		{"GET", "If-None-Match", `"x"`, strings.TrimSuffix(tag, `"`) + `-gzip"`, 304},
		{"DELETE", "If-Match", `"x"`, strings.TrimSuffix(tag, `"`) + `-gzip"`, 200},
	} {
		_, r := s.dial(t, c.method+" "+path+" HTTP/1.1\r\n"+
			"Host: x\r\n"+
			"Authorization: Bearer "+s.token+"\r\n"+
			c.name+": "+c.first+"\r\n"+
			c.name+": "+c.second+"\r\n\r\n")
		if res, err := http.ReadResponse(r, nil); err != nil || res.StatusCode != c.status {
			t.Errorf("%s with %s: %s and %s: %v %v, want %d", c.method, c.name, c.first, c.second, res, err, c.status)
		}
	}
}

// TestRestOfCompressed checks that a client with the beginning of the compressed bytes gets
// no range of the plain ones.
func TestRestOfCompressed(t *testing.T) {
	s := start(t, nil)
	s.fill(t, 100)
	path := s.operate(t, `{"type":"export","format":"csv","selection":{"filters":`+every+`}}`)
	s.ended(t, path)
	for coding, status := range map[string]int{"identity": 206, "gzip": 200, "zstd": 200} {
		res, _ := s.raw(t, "GET", path+"/download", "Accept-Encoding", coding)
		tag := res.Header.Get("ETag")
		rest := []string{"Accept-Encoding", coding, "Range", "bytes=100-", "If-Range", tag}
		if res, _ := s.raw(t, "GET", path+"/download", rest...); res.StatusCode != status {
			t.Errorf("%s: the rest of %s is %d, want %d", coding, tag, res.StatusCode, status)
		}
	}
}

// TestPageLinks checks that undeclared parameters do not appear in answers.
func TestPageLinks(t *testing.T) {
	s := start(t, nil)
	junk := strings.Repeat("x", 60_000)
	for _, path := range []string{
		"/assets", "/collections", "/tokens", "/upload-batches", "/operations",
		"/webhooks", "/audit-logs", "/saved-searches", "/metadata/fields",
	} {
		a := s.do(t, "GET", "/api/v1"+path+"?page=2&page=3&per_page=7", "").want(t, 200)
		for _, unknown := range []string{"?zz=" + junk, "?" + junk + "=1"} {
			if a := s.do(t, "GET", "/api/v1"+path+unknown, "").want(t, 422); len(a.body) > 8<<10 {
				t.Errorf("%s: %d bytes", path, len(a.body))
			}
		}
		if first, _ := a.get("links.first").(string); !strings.HasSuffix(first, path+"?page=1&per_page=7") {
			t.Errorf("%s: %s", path, first)
		}
	}
}

// HEAD has the same headers as GET, in each coding, and the audit log records it as HEAD.
func TestHeadIsLikeGet(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 64, 64))
	s.do(t, "PUT", asset, `{"ai_caption":"`+strings.Repeat("harbour ", 400)+`"}`).want(t, 200)
	for _, path := range []string{asset, "/api/v1/assets", "/docs/api.json", "/docs", asset + "/download"} {
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			get, _ := s.raw(t, "GET", path, "Accept-Encoding", coding)
			head, body := s.raw(t, "HEAD", path, "Accept-Encoding", coding)
			if head.StatusCode != 200 || len(body) > 0 {
				t.Errorf("HEAD %s: %d with %d bytes", path, head.StatusCode, len(body))
			}
			for _, name := range []string{"ETag", "Vary", "Content-Encoding", "Content-Type"} {
				if got, want := head.Header.Get(name), get.Header.Get(name); got != want {
					t.Errorf("%s as %s: HEAD has %s %q, GET %q", path, coding, name, got, want)
				}
			}
		}
	}
	s.until(t, "/api/v1/audit-logs?method=HEAD", func(a answer) bool { return a.get("meta.total") == 9.0 }) // documents are not audited
}
