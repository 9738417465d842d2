package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/web"
)

// Files of any type are accepted, with a reason for the missing preview, and never
// displayed by a browser; with --allow-programs this includes executables. Files disguised
// as a known type are rejected.
func TestAcceptAny(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.AllowPrograms = true })
	const page, drawing = "<!doctype html><script>alert(1)</script>", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
	tests := []struct {
		name, data, mime, says string // mime is "" for a rejected file
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
		{"photo.png", page, "", "The file is named .png, but it is a web page. If it should be one, rename it to .html."},
		{"run.png", "#!/bin/sh\necho hi", "", "This is a script, not a PNG picture."},
		{"feed.png", `<?xml version="1.0"?><feed/>`, "", "This is an XML file, not a PNG picture."},
		{"setup.pdf", "MZ\x90\x00\x03\x00\x00\x02", "", "This is a Windows program, not a PDF document."},
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

// By default, files of unsupported types become assets, identified by their names;
// executables do not. The batch reports that they have no preview.
func TestAcceptUnreadFiles(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, tt := range []struct{ name, data, warning string }{
		{"layout.indd", "\x06\x06\xed\xf5\xd8\x1d\x46\xe5\xbd\x31\xef\xe7\xfe\x74\xb7\x1d\x00", "the library does not know this type of file"},
		{"logo.eps", "%!PS-Adobe-3.0 EPSF-3.0\n", "this is a PostScript document, which the library keeps without reading it"},
		{"chair.glb", "glTF\x02\x00\x00\x00\x00\x00", "the library does not know this type of file"},
		{"part.stl", "solid part\nendsolid part\n", "this is a text file, which the library keeps without reading it"},
		{"font.ttf", "\x00\x01\x00\x00\x00\x0c\x00\x80\x00\x03", "this is a font, which the library keeps without reading it"},
		{"mail.eml", "From: a@example.com\r\n\r\nHello\r\n", "this is a text file, which the library keeps without reading it"},
		{"data.json", `{"a": 1}`, "this is a text file, which the library keeps without reading it"},
		{"feed.xml", `<?xml version="1.0"?><feed/>`, "this is an XML file, which the library keeps without reading it"},
	} {
		f := s.ingest(t, upload{tt.name, []byte(tt.data)})[0]
		if f["status"] != "ready" || f["warning"] != "It is stored without a preview: "+tt.warning+"." {
			t.Errorf("%s: %v", tt.name, f)
		}
		name, _, _ := strings.Cut(tt.name, ".")
		s.until(t, "/api/v1/assets?q="+name, func(a answer) bool { return a.get("data.0.gaid") == f["gaid"] })
	}
	for name, data := range map[string]string{
		"setup.exe": "MZ\x90\x00\x03\x00\x00\x00", "data": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 60), "run": "#!/bin/sh\n",
		"app.js": "alert(1)",
	} {
		f := s.ingest(t, upload{name, []byte(data)})[0]
		e, _ := f["error"].(map[string]any)
		if text := fmt.Sprint(e["message"]); e["code"] != "unsupported_format" || !strings.Contains(text, "--allow-programs") ||
			f["warning"] != nil {
			t.Errorf("%s: %v", name, f)
		}
	}
	if a := s.do(t, "GET", "/api/v1/status", ""); a.get("data.accepts_any_file") != true {
		t.Errorf("the status does not say so: %s", a)
	}
}

// --reject takes extensions and MIME types, and "unknown" for all unsupported types.
func TestRejectTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reject, rejected, accepted string }{
		{"unknown", "data.glb", "good.jpg"},
		{".JPG", "good.jpg", "data.glb"},
		{"g*", "data.glb", "good.jpg"},
		{"image/*", "good.jpg", "data.glb"},
		{"application/octet-stream", "data.glb", "good.jpg"},
	} {
		s := start(t, func(c *app.Config, _ *web.Options) { c.Reject = []string{tt.reject} })
		for _, f := range s.ingest(t, upload{"good.jpg", picture(1, 8, 8)}, upload{"data.glb", []byte("glTF\x02\x00\x00\x00\x00\x00")}) {
			if want := map[any]string{tt.rejected: "rejected", tt.accepted: "ready"}[f["filename"]]; f["status"] != want {
				t.Errorf("--reject %s: %v", tt.reject, f)
			}
		}
		if a := s.do(t, "GET", "/api/v1/status", ""); a.get("data.accepts_any_file") != (tt.reject != "unknown") {
			t.Errorf("--reject %s: the status is %s", tt.reject, a)
		}
	}
	for _, wrong := range []string{"", "a b", "[", strings.Repeat("x", 101)} {
		if media.CheckReject(wrong) == nil {
			t.Errorf("the pattern %q is accepted", wrong)
		}
	}
}

// An image with the extension of another format gets the type of its content, with a
// warning.
func TestPictureNamedOtherwise(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	jpeg := "a JPEG picture"
	for i, tt := range []struct{ name, is, mime string }{
		{"IMG_2020.HEIC", jpeg, "image/jpeg"}, {"71.pic", jpeg, "image/jpeg"}, {"a.png", jpeg, "image/jpeg"},
		{"b.webp", jpeg, "image/jpeg"}, {"raw.nef", jpeg, "image/jpeg"}, {"c.jpg", "a PNG picture", "image/png"},
	} {
		data := picture(i+1, 20, 10)
		if tt.mime == "image/png" {
			data = pngOf(20, 10)
		}
		f := s.ingest(t, upload{tt.name, data})[0]
		ext := strings.ToLower(tt.name[strings.LastIndexByte(tt.name, '.')+1:])
		warning := "The file is named ." + ext + ", but it is " + tt.is + "."
		if f["status"] != "ready" || f["warning"] != warning {
			t.Errorf("%s: %v", tt.name, f)
			continue
		}
		a := s.do(t, "GET", fmt.Sprint("/api/v1/assets/", f["gaid"]), "").want(t, 200)
		if a.get("data.mime_type") != tt.mime || a.get("data.technical.file.warning") != warning || a.get("data.urls.preview") == nil ||
			a.get("data.width") != 20.0 || a.get("data.original_filename") != tt.name {
			t.Errorf("%s: %s", tt.name, a)
		}
	}
	gaid := s.one(t, "v.jpg", picture(40, 20, 10))
	s.newVersion(t, gaid, "v.heic", picture(41, 30, 10))
	if a := s.do(t, "GET", "/api/v1/assets/"+gaid, ""); a.get("data.width") != 30.0 || a.get("data.technical.file.warning") == nil {
		t.Errorf("the new version is %s", a)
	}
}

// In external libraries, too, files of unknown types and with misleading names become
// assets.
func TestAcceptUnreadInPlace(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "IMG_2020.HEIC", picture(1, 20, 10))
	p.write(t, "chair.glb", []byte("glTF\x02\x00\x00\x00\x00\x00"))
	p.write(t, "page.jpg", []byte("<html><script>alert(1)</script></html>"))
	p.scan(t, external.InPlaceOptions{})
	files := p.at(t, "Photos")
	if len(files) != 2 || files["chair.glb"] == "" || files["IMG_2020.HEIC"] == "" {
		t.Fatal(files)
	}
	if a := p.do(t, "GET", "/api/v1/assets/"+files["IMG_2020.HEIC"], ""); a.get("data.mime_type") != "image/jpeg" {
		t.Error(a)
	}
}

// Guest uploads follow the same rules.
func TestAcceptUnreadFromGuests(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	_, page := s.handIn(t, ``)
	g := s.guest(t)
	mark := g.opens(t, page)
	g.handsForm(t, page, mark, upload{"chair.glb", []byte("glTF\x02\x00\x00\x00\x00\x00")}, upload{"run.sh", []byte("#!/bin/sh\n")},
		upload{"IMG.HEIC", picture(1, 20, 10)}).want(t, 303)
	var states []string
	for _, f := range g.checked(t, page) {
		states = append(states, f.Name+" "+f.State)
	}
	slices.Sort(states)
	if got := strings.Join(states, ", "); got != "IMG.HEIC accepted, chair.glb accepted, run.sh refused" {
		t.Error(got)
	}
}
