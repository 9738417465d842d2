package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestRanges(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(1, 40, 30)
	file := "/api/v1/assets/" + s.one(t, "a.jpg", data) + "/download"
	tag := s.do(t, "GET", file, "").Header.Get("ETag")
	n := len(data)
	for _, tt := range []struct {
		name, value, ifRange string
		status               int
		want                 string // the body; "" for the whole file
	}{
		{"the beginning", "bytes=0-3", "", 206, string(data[:4])},
		{"the unit in capitals", "Bytes=0-3", "", 206, string(data[:4])},
		{"the end", "bytes=-4", "", 206, string(data[n-4:])},
		{"more than there is", fmt.Sprintf("bytes=-%d", n+10), "", 206, string(data)},
		{"beyond all numbers", "bytes=4-99999999999999999999999", "", 206, string(data[4:])},
		{"nothing at the end", "bytes=-0", "", 416, "-"},
		{"beyond the end", fmt.Sprintf("bytes=%d-", n), "", 416, "-"},
		{"backwards", "bytes=4-2", "", 416, "-"},
		{"no number", "bytes=a-b", "", 416, "-"},
		{"a sign", "bytes=+1-2", "", 416, "-"},
		{"another unit", "items=0-1", "", 200, ""},
		{"no unit", "0-1", "", 200, ""},
		{"nothing and something", "bytes=-0,0-3", "", 206, string(data[:4])},
		{"overlapping", "bytes=0-5,3-8", "", 200, ""},
		{"many", "bytes=" + strings.Repeat("0-0,", 33), "", 200, ""},
		{"if it is the same", "bytes=0-3", tag, 206, string(data[:4])},
		{"if it were the same", "bytes=0-3", `"other"`, 200, ""},
		{"a weak tag is not the same", "bytes=0-3", "W/" + tag, 200, ""},
	} {
		a := s.do(t, "GET", file, "", "Range", tt.value, "If-Range", tt.ifRange)
		if a.StatusCode != tt.status {
			t.Errorf("%s: %s is %d: %.100s", tt.name, tt.value, a.StatusCode, a)
			continue
		}
		switch {
		case a.StatusCode == 416:
			if a.get("message") != "The range is not satisfiable." || a.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", n) {
				t.Errorf("%s: %s %v", tt.name, a, a.Header)
			}
		case tt.want == "" && len(a.body) != n || tt.want != "" && string(a.body) != tt.want:
			t.Errorf("%s: %d bytes", tt.name, len(a.body))
		}
	}
	a := s.do(t, "GET", file, "", "Range", "bytes=0-1, 8-9").want(t, 206)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "multipart/byteranges") ||
		strings.Count(string(a.body), "Content-Range: bytes") != 2 {
		t.Errorf("two ranges: %s", a.Header.Get("Content-Type"))
	}
	a = s.do(t, "GET", file, "", "If-Match", `"other"`).want(t, 412)
	if a.get("message") == nil {
		t.Errorf("412: %s", a)
	}
	for _, path := range []string{"/docs", "/docs/api.json"} {
		s.do(t, "GET", path, "", "If-None-Match", s.do(t, "GET", path, "").want(t, 200).Header.Get("ETag")).want(t, 304)
	}
	a = s.do(t, "GET", "/docs/api.json", "", "Range", "bytes=99999999-").want(t, 416)
	if a.get("message") != "The range is not satisfiable." {
		t.Errorf("416 of the document: %s", a)
	}
}

// Every client gets a name it can use: ASCII for old ones, the full name for others.
func TestNamesOfDownloads(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i, tt := range []struct{ name, want string }{
		{"plain.jpg", `attachment; filename="plain.jpg"`},
		{"two words.jpg", `attachment; filename="two words.jpg"`},
		{"Ångström été.jpg", `attachment; filename="Angstrom ete.jpg"; filename*=UTF-8''%C3%85ngstr%C3%B6m%20%C3%A9t%C3%A9.jpg`},
		{"写真.jpg", `attachment; filename="__.jpg"; filename*=UTF-8''%E5%86%99%E7%9C%9F.jpg`},
		{`quo"te.jpg`, `attachment; filename="quo_te.jpg"; filename*=UTF-8''quo%22te.jpg`},
		{"100%.jpg", `attachment; filename="100_.jpg"; filename*=UTF-8''100%25.jpg`},
	} {
		gaid := s.one(t, tt.name, picture(i+1, 16, 16))
		a := s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, http.StatusOK)
		if got := a.Header.Get("Content-Disposition"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
