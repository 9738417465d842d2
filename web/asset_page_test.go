package web_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// tiffOf returns a TIFF of grey pages of the given sizes, each darker than the one before;
// the second page is rotated.
func tiffOf(sizes ...[2]int) []byte {
	b := []byte("II*\x00\x00\x00\x00\x00")
	next := 4
	for i, size := range sizes {
		at := len(b)
		b = append(b, bytes.Repeat([]byte{byte(250 - 50*i)}, size[0]*size[1])...)
		b = append(b, make([]byte, len(b)%2)...)
		binary.LittleEndian.PutUint32(b[next:], uint32(len(b)))
		turn := 1
		if i == 1 {
			turn = 6
		}
		tags := [][2]int{{256, size[0]}, {257, size[1]}, {258, 8}, {259, 1}, {262, 1}, {273, at}, {274, turn}, {277, 1}, {278, size[1]},
			{279, size[0] * size[1]}}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(tags)))
		for _, tag := range tags {
			b = binary.LittleEndian.AppendUint16(b, uint16(tag[0]))
			b = binary.LittleEndian.AppendUint16(b, 4)
			b = binary.LittleEndian.AppendUint32(b, 1)
			b = binary.LittleEndian.AppendUint32(b, uint32(tag[1]))
		}
		next = len(b)
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

// pdfOf returns a PDF with one line of text per page and no cross-reference table; readers
// find the objects without it.
func pdfOf(texts ...string) []byte {
	var b bytes.Buffer
	kids := ""
	for i, text := range texts {
		n := 10 + 2*i
		kids += fmt.Sprintf("%d 0 R ", n)
		content := "BT /F 20 Tf 20 50 Td (" + text + ") Tj ET"
		fmt.Fprintf(&b, "%d 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>> endobj\n",
			n, n+1)
		fmt.Fprintf(&b, "%d 0 obj <</Length %d>> stream\n%s\nendstream endobj\n", n+1, len(content), content)
	}
	return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count %d/Kids[%s]>> endobj\n"+
		"3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n%strailer <</Root 1 0 R>>\n", len(texts), kids, b.String())
}

// Pages of a PDF and of a TIFF have a picture and a text, each with its own URL and ETag.
func TestPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	doc, scan := "/api/v1/assets/"+s.one(t, "a.pdf", pdfOf("Harbour", "Quay", "Crane")), "/api/v1/assets/"+s.one(t, "b.tif",
		tiffOf([2]int{40, 20}, [2]int{30, 10}, [2]int{2000, 1000}))
	plain := "/api/v1/assets/" + s.one(t, "c.txt", []byte("a plain text"))
	tags := map[string]bool{}
	for _, tt := range []struct {
		path          string
		page, w, h    int
		width, height float64
		text          string
	}{
		{doc, 1, 1600, 800, 200, 100, "Harbour"}, {doc, 2, 1600, 800, 200, 100, "Quay"}, {doc, 3, 1600, 800, 200, 100, "Crane"},
		{scan, 1, 40, 20, 40, 20, ""}, {scan, 2, 10, 30, 10, 30, ""}, {scan, 3, 1600, 800, 2000, 1000, ""},
	} {
		text := s.do(t, "GET", fmt.Sprintf("%s/pages/%d", tt.path, tt.page), "").want(t, 200)
		if text.get("data.page") != float64(tt.page) || text.get("data.pages") != 3.0 || text.get("data.width") != tt.width ||
			text.get("data.height") != tt.height || len(text.get("data.lines").([]any)) > 0 != (tt.text != "") ||
			tt.text != "" && text.get("data.lines.0.text") != tt.text {
			t.Errorf("page %d: %s", tt.page, text.body)
		}
		a := s.do(t, "GET", fmt.Sprintf("%s/download?rendition=page&page=%d&inline=true", tt.path, tt.page), "").want(t, 200)
		if c, err := jpeg.DecodeConfig(bytes.NewReader(a.body)); err != nil || c.Width != tt.w || c.Height != tt.h {
			t.Errorf("page %d: %d × %d, %v", tt.page, c.Width, c.Height, err)
		}
		tag := a.Header.Get("ETag")
		if tags[tag] || !strings.HasSuffix(a.Header.Get("Content-Disposition"), fmt.Sprintf("-page-%d.jpg\"", tt.page)) {
			t.Errorf("page %d: %s, %s", tt.page, tag, a.Header.Get("Content-Disposition"))
		}
		tags[tag] = true
		s.do(t, "GET", fmt.Sprintf("%s/download?rendition=page&page=%d", tt.path, tt.page), "", "If-None-Match", tag).want(t, 304)
		part := s.do(t, "GET", fmt.Sprintf("%s/download?rendition=page&page=%d", tt.path, tt.page), "", "Range", "bytes=0-1").want(t, 206)
		if string(part.body) != "\xff\xd8" {
			t.Errorf("page %d: %q", tt.page, part.body)
		}
	}
	first := s.do(t, "GET", doc+"/download?rendition=page", "").want(t, 200)
	if !tags[first.Header.Get("ETag")] {
		t.Error("without a number it is not the first page")
	}
	for path, want := range map[string]string{
		doc + "/download?rendition=page&page=4": "The file has no page 4: it has 3 pages.",
		doc + "/pages/100000":                   "The file has no page 100000: it has 3 pages.",
		plain + "/download?rendition=page":      "The file has no page that can be shown.",
		plain + "/pages/1":                      "The file has no page that can be shown.",
		doc + "/download?rendition=large":       "The file has no large: only pictures have one.",
		doc + "/download?rendition=poster":      "The file has no poster: only videos and sounds have one.",
	} {
		if a := s.do(t, "GET", path, "").want(t, 404); a.get("message") != want {
			t.Errorf("%s: %v", path, a.get("message"))
		}
	}
	s.do(t, "GET", doc+"/download?rendition=page&page=0", "").want(t, 422)
	s.do(t, "GET", doc+"/pages/0", "").want(t, 422)
	a := s.do(t, "POST", "/api/v1/operations", `{"type":"export","format":"zip","rendition":"page","selection":{"filters":`+every+`}}`,
		"Idempotency-Key", "pages")
	if message, _ := a.want(t, 422).get("message").(string); !strings.HasPrefix(message, "An export has no pages") {
		t.Errorf("an export of pages: %s", a.body)
	}
}

// Reading the text of a page requires assets:read; its picture requires assets:download.
func TestWhoSeesPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	doc := "/api/v1/assets/" + s.one(t, "a.pdf", pdfOf("Harbour"))
	reader := s.user(t, "r@example.com", dam.RoleViewer, dam.AssetsRead)
	loader := s.user(t, "d@example.com", dam.RoleViewer, dam.AssetsDownload)
	for _, tt := range []struct {
		token, path string
		status      int
	}{
		{reader, "/pages/1", 200}, {reader, "/download?rendition=page", 403},
		{loader, "/pages/1", 403}, {loader, "/download?rendition=page", 200},
	} {
		s.as(t, tt.token, "GET", doc+tt.path, "").want(t, tt.status)
	}
}

// Renditions created on demand are rendered once for concurrent requests, cached, and
// rendered again after their removal.
func TestOnDemand(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 4000, 2000))
	small := "/api/v1/assets/" + s.one(t, "b.jpg", picture(2, 1500, 900))
	drawing := "/api/v1/assets/" + s.one(t, "c.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"/>`))
	for path, want := range map[string][2]int{photo: {3200, 1600}, small: {1500, 900}, drawing: {3200, 1600}} {
		a := s.do(t, "GET", path+"/download?rendition=large", "").want(t, 200)
		if c, err := jpeg.DecodeConfig(bytes.NewReader(a.body)); err != nil || [2]int{c.Width, c.Height} != want {
			t.Errorf("%s: %d × %d, %v", path, c.Width, c.Height, err)
		}
		if has := s.do(t, "GET", path, "").get("data.urls.large") != nil; has != (want[0] > 1600) {
			t.Errorf("%s has a URL of large: %v", path, has)
		}
	}
	large, preview := s.do(t, "GET", small+"/download?rendition=large", ""), s.do(t, "GET", small+"/download?rendition=preview", "")
	if !bytes.Equal(large.body, preview.body) {
		t.Error("the large rendition of a small picture is not its preview")
	}
	made := s.cached(t, "-large-")
	if len(made) != 2 {
		t.Fatalf("%v", made)
	}
	for _, path := range made {
		must(t, os.Remove(path))
	}
	s.do(t, "GET", photo+"/download?rendition=large", "").want(t, 200)
	if again := s.cached(t, "-large-"); len(again) != 1 {
		t.Errorf("%v", again)
	}
	must(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
	s.do(t, "GET", photo+"/download?rendition=large", "").want(t, 200)

	doc := "/api/v1/assets/" + s.one(t, "a.pdf", pdfOf("Harbour"))
	var all sync.WaitGroup
	bodies := make([][]byte, 50)
	for i := range bodies {
		all.Go(func() {
			what := "/download?rendition=page"
			bodies[i] = s.do(t, "GET", doc+what, "").body
		})
	}
	all.Wait()
	for _, b := range bodies {
		if !bytes.Equal(b, bodies[0]) || len(b) < 1000 {
			t.Errorf("%d bytes, %d bytes", len(b), len(bodies[0]))
		}
	}
}

// cached returns the cache files whose names contain part.
func (s *server) cached(t *testing.T, part string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, "cache", "*", "*", "*"+part+"*"))
	must(t, err)
	return found
}

// Failed renditions report whether the failure is permanent or temporary.
func TestRenditionThatFails(t *testing.T) {
	t.Parallel()
	engines := t.TempDir()
	s := start(t, func(c *app.Config, _ *web.Options) { c.EnginesDir = engines })
	doc := "/api/v1/assets/" + s.one(t, "a.pdf", pdfOf("Harbour"))
	must(t, os.Symlink("pdfium.wasm", filepath.Join(engines, "pdfium.wasm"))) // a symlink loop, which cannot be read
	a := s.do(t, "GET", doc+"/pages/1", "").want(t, 503)
	if got := a.get("message"); got != "Page 1 cannot be made now: the engine that reads such files is switched off or missing." {
		t.Errorf("%v", got)
	}
	must(t, os.Remove(filepath.Join(engines, "pdfium.wasm")))
	s.do(t, "GET", doc+"/pages/1", "").want(t, 200)
}

// A cache without room evicts everything soon, and renditions are created again.
func TestRenditionCache(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.RenditionCache = 1 })
	photo := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 4000, 2000))
	for _, r := range []string{"thumbnail", "preview", "large"} {
		s.do(t, "GET", photo+"/download?rendition="+r, "").want(t, 200)
	}
	s.until(t, photo, func(answer) bool { return len(s.cached(t, ".jpg")) == 0 })
}
