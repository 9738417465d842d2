package web_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// An SVG may contain a script: it is displayed as a rendered picture, and the file itself
// is only downloaded, for every request.
func TestSVGIsNeverActive(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="alert(1)"><title>Logo</title>` +
		`<script>alert(1)</script><rect width="40" height="20" fill="red"/></svg>`
	f := s.ingest(t, upload{"logo.svg", []byte(svg)})[0]
	gaid, ok := f["gaid"].(string)
	if !ok {
		t.Fatalf("%v", f)
	}
	a := s.do(t, "GET", assets+"/"+gaid, "").want(t, 200)
	if a.get("data.width") != 40.0 || a.get("data.title") != "Logo" || a.get("data.mime_type") != "image/svg+xml" {
		t.Errorf("%s", a.body)
	}
	for _, query := range []string{"", "?inline=true"} {
		a := s.do(t, "GET", assets+"/"+gaid+"/download"+query, "").want(t, 200)
		h := a.Header
		if string(a.body) != svg || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", query, h)
		}
	}
	p := s.do(t, "GET", assets+"/"+gaid+"/download?rendition=preview&inline=true", "").want(t, 200)
	if h := p.Header; !strings.HasPrefix(h.Get("Content-Disposition"), "inline;") || !strings.HasPrefix(string(p.body), "\xff\xd8") {
		t.Errorf("%v", h)
	}
}

// A file that crashes its engine twice fails and can be retried. The server keeps running.
func TestFileThatStopsItsEngine(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c.EngineCommand = []string{self, "-test.run=^$"} // exits immediately
	})
	svg := upload{"logo.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>`)}
	list := s.ingest(t, svg, upload{"a.jpg", picture(1, 16, 12)})
	fault, _ := list[0]["error"].(map[string]any)
	if list[0]["status"] != "failed" || fault["code"] != "limits_exceeded" || fault["retryable"] != true ||
		!strings.Contains(fmt.Sprint(fault["message"]), "twice") {
		t.Errorf("%v", list[0])
	}
	if list[1]["status"] != "ready" {
		t.Errorf("%v", list[1])
	}
}

// Search finds the text of a PDF, and its first page is the preview.
func TestPDFIsFoundByItsText(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data, err := os.ReadFile("../app/media/testdata/pdf/two-pages.pdf")
	if err != nil {
		t.Fatal(err)
	}
	gaid := s.one(t, "plan.pdf", data)
	a := s.do(t, "GET", assets+"/"+gaid, "").want(t, 200)
	if a.get("data.page_count") != 2.0 || a.get("data.file_category") != "Document" || a.get("data.title") != "The harbour" ||
		a.get("data.ocr_text") != "Harbour master\nSecond quay" {
		t.Errorf("%s", a.body)
	}
	s.do(t, "GET", assets+"?q=quay", "").want(t, 200).shows(t, "data", "gaid", gaid)
	s.do(t, "GET", assets+"/"+gaid+"/download?rendition=thumbnail", "").want(t, 200)
	d := s.do(t, "GET", assets+"/"+gaid+"/download?inline=true", "").want(t, 200)
	if !strings.HasPrefix(d.Header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("%v", d.Header)
	}
}

// A web page may contain a script as well: browsers are never sent it for display. The text
// of documents is searchable, without that of scripts.
func TestHTMLIsNeverActive(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const page = `<!DOCTYPE html><title>A page</title><script>alert("zanzibar")</script><p>The platypus swims</p>`
	f := s.ingest(t, upload{"page.html", []byte(page)}, upload{"notes.md", []byte("# About the wombat")})
	gaid, ok := f[0]["gaid"].(string)
	if !ok {
		t.Fatalf("%v", f)
	}
	a := s.do(t, "GET", assets+"/"+gaid, "").want(t, 200)
	if a.get("data.title") != "A page" || a.get("data.mime_type") != "text/html" || a.get("data.file_category") != "Document" ||
		a.get("data.ocr_text") != "The platypus swims" {
		t.Errorf("%s", a.body)
	}
	for _, query := range []string{"", "?inline=true"} {
		a := s.do(t, "GET", assets+"/"+gaid+"/download"+query, "").want(t, 200)
		h := a.Header
		if string(a.body) != page || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", query, h)
		}
	}
	p := s.do(t, "GET", assets+"/"+gaid+"/download?rendition=preview&inline=true", "").want(t, 200)
	if h := p.Header; !strings.HasPrefix(h.Get("Content-Disposition"), "inline;") || !strings.HasPrefix(string(p.body), "\xff\xd8") {
		t.Errorf("%v", h)
	}
	for q, want := range map[string]int{"platypus": 1, "wombat": 1, "zanzibar": 0} {
		s.total(t, s.token, assets+"?meaning=false&q="+q, want)
	}
}

// Videos and audio have a searchable duration and a preview. Browsers play the original
// from any position, with a token or with a session.
func TestVideo(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var gaids []string
	for _, name := range []string{"a.mp4", "a.flac"} {
		data, err := os.ReadFile("../app/media/testdata/media/" + name)
		if err != nil {
			t.Fatal(err)
		}
		gaids = append(gaids, s.one(t, name, data))
	}
	a := s.do(t, "GET", assets+"/"+gaids[0], "").want(t, 200)
	seconds, _ := a.get("data.duration").(float64)
	if seconds < 1 || seconds > 1.1 || a.get("data.file_category") != "Video" || a.get("data.width") != 96.0 ||
		a.get("data.height") != 64.0 || a.get("data.technical.video.playable") != true || a.get("data.location.latitude") != 48.8584 {
		t.Errorf("%s", a.body)
	}
	a = s.do(t, "GET", assets+"/"+gaids[1], "").want(t, 200)
	if a.get("data.duration") != 1.0 || a.get("data.file_category") != "Audio" || a.get("data.width") != nil ||
		a.get("data.technical.audio.picture") != "waveform" {
		t.Errorf("%s", a.body)
	}
	if n := s.filterTotal(t, "asset.duration", "greater_than", "0.9"); n != 2.0 {
		t.Errorf("%v assets of more than 0.9 s", n)
	}
	s.ingest(t, upload{"a.jpg", picture(1, 16, 12)})
	browser := s.browser(t, "ada@example.com", rightPassword)
	data, _ := os.ReadFile("../app/media/testdata/media/a.mp4")
	for _, gaid := range gaids {
		path := assets + "/" + gaid + "/download?inline=true"
		for name, a := range map[string]answer{
			"token":   s.do(t, "GET", path, "", "Range", "bytes=1000-1099"),
			"session": s.as(t, "", "GET", path, "", append([]string{"Range", "bytes=1000-1099"}, browser...)...),
		} {
			h := a.want(t, 206).Header
			if len(a.body) != 100 || !strings.HasPrefix(h.Get("Content-Range"), "bytes 1000-1099/") ||
				!strings.HasPrefix(h.Get("Content-Disposition"), "inline") {
				t.Errorf("%s: %v", name, h)
			}
			if gaid == gaids[0] && (string(a.body) != string(data[1000:1100]) || h.Get("Content-Type") != "video/mp4") {
				t.Errorf("%s: %v", name, h)
			}
		}
		s.do(t, "GET", assets+"/"+gaid+"/download?rendition=preview", "").want(t, 200)
	}
}
