package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// With --accept-any a file of any type is kept, says why it has no preview, and is never
// shown by a browser. What has a type that is known must still be named so.
func TestAcceptAny(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.AcceptAny = true })
	const page, drawing = "<!doctype html><script>alert(1)</script>", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
	tests := []struct {
		name, data, mime, says string // "" for a file that is refused
	}{
		{"setup.exe", "MZ\x90\x00\x03\x00\x00\x00", "application/vnd.microsoft.portable-executable",
			"this is a Windows program, which the library keeps without reading it"},
		{"app.js", "alert(1)", "application/octet-stream", "this is a text file, which the library keeps without reading it"},
		{"index.php", page, "application/octet-stream",
			"it is named .php, which computers or browsers may run, so the library does not read it"},
		{"tool.jar", "PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaa", "application/octet-stream",
			"it is named .jar, which computers or browsers may run, so the library does not read it"},
		{"photo.jpg", "\x00\x01\x02 nothing known", "application/octet-stream", "this is not a JPEG picture, or its beginning is damaged"},
		{"server.key", "-----BEGIN", "application/octet-stream", "this is a text file, not a Keynote presentation"},
		{"data", "\x00\x01\x03 nothing known", "application/octet-stream", "the library does not know this type of file"},
		{"long.Ü+" + strings.Repeat("x", 30), "\x00\x01\x04", "application/octet-stream", "the library does not know this type of file"},

		{"photo.jpg.exe", "MZ\x90\x00\x03\x00\x00\x01", "",
			"The file is named .jpg.exe, as if it were a JPEG picture. Rename it so that it says what it is."},
		{"drawing.xml", drawing, "", "The file is named .xml, which computers or browsers may run, but it is an SVG picture. " +
			"If it should be one, rename it to .svg."},
		{"photo.exe", string(picture(1, 8, 8)), "", "The file is named .exe, which computers or browsers may run, but it is a JPEG picture. " +
			"If it should be one, rename it to .jpg."},
		{"photo.png", string(picture(2, 8, 8)), "", "The file is named .png, but it is a JPEG picture. If it should be one, rename it to .jpg."},
		{"cut.jpg", "\xff\xd8\xffx", "", "The file is cut off in the middle."},
		{"empty", "", "", "The file is empty."},
	}
	var files []upload
	for _, tt := range tests {
		files = append(files, upload{tt.name, []byte(tt.data)})
	}
	for i, f := range s.ingest(t, files...) {
		tt := tests[i]
		if tt.mime == "" {
			if e, _ := f["error"].(map[string]any); e["message"] != tt.says {
				t.Errorf("%s: %v", tt.name, f)
			}
			continue
		}
		if f["gaid"] == nil {
			t.Errorf("%s: %v", tt.name, f)
			continue
		}
		path := fmt.Sprint("/api/v1/assets/", f["gaid"])
		a := s.do(t, "GET", path, "").want(t, 200)
		if a.get("data.mime_type") != tt.mime || a.get("data.technical.file.no_preview") != tt.says ||
			a.get("data.file_category") != "Document" || a.get("data.urls.preview") != nil {
			t.Errorf("%s: %s", tt.name, a)
		}
		d := s.do(t, "GET", path+"/download?inline=true", "").want(t, 200)
		if string(d.body) != tt.data || !strings.HasPrefix(d.Header.Get("Content-Disposition"), "attachment") ||
			d.Header.Get("Content-Type") != tt.mime || d.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(d.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", tt.name, d.Header)
		}
		s.do(t, "GET", path+"/download?rendition=preview", "").want(t, 404)
	}
	if a := s.do(t, "GET", "/api/v1/status", ""); a.get("data.accepts_any_file") != true {
		t.Errorf("the status does not say so: %s", a)
	}
}
