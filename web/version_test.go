package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// sendVersion uploads a new version of an asset.
func (s *server) sendVersion(t *testing.T, gaid, name string, data []byte, header ...string) answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	p, err := w.CreateFormFile("file", name)
	must(t, err)
	p.Write(data)
	w.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/assets/"+gaid+"/versions", &b)
	must(t, err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return s.send(t, req)
}

// newVersion uploads a new version of an asset, waits until it is processed, and returns
// the final answer.
func (s *server) newVersion(t *testing.T, gaid, name string, data []byte) answer {
	t.Helper()
	a := s.sendVersion(t, gaid, name, data).want(t, 201)
	return s.until(t, strings.TrimPrefix(a.Header.Get("Location"), s.URL), func(a answer) bool {
		return dam.FileStatus(a.get("data.status").(string)).Terminal()
	})
}

// A new version replaces the file of a GAID and everything derived from it; values set by
// users are kept. Earlier versions are listed, downloaded, restored, and eventually
// deleted.
func TestVersions(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Now = clock.now })
	first, second := picture(1, 400, 300), picture(2, 60, 90)
	gaid := s.one(t, "first.jpg", first)
	asset := "/api/v1/assets/" + gaid
	before := s.do(t, "PUT", asset, `{"title":"Harbour","keywords":["boats"],"rating":4}`).want(t, 200)
	const updated = "asset.updated "
	events := s.countEvents(t)[updated+gaid]

	s.sendVersion(t, gaid, "first.jpg", second, "If-Match", `"v1"`).want(t, 412)
	if end := s.newVersion(t, gaid, "second.jpg", second); end.get("data.status") != "ready" || end.get("data.gaid") != gaid {
		t.Fatalf("%s", end)
	}
	a := s.do(t, "GET", asset, "").want(t, 200)
	for member, want := range map[string]any{
		"title": "Harbour", "rating": 4.0, "original_filename": "second.jpg", "width": 60.0, "height": 90.0, "file_size": float64(len(second)),
		"file_version": 2.0, "version": before.get("data.version").(float64) + 1, "created_at": before.get("data.created_at"),
	} {
		if got := a.get("data." + member); got != want {
			t.Errorf("%s is %v, want %v", member, got, want)
		}
	}
	for _, member := range []string{"checksum_sha256", "thumbhash", "colors", "urls.thumbnail"} {
		if x, y := before.get("data."+member), a.get("data."+member); fmt.Sprint(x) == fmt.Sprint(y) {
			t.Errorf("%s is still %v", member, x)
		}
	}
	if got := s.countEvents(t)[updated+gaid] - events; got != 1 {
		t.Errorf("%d events", got)
	}
	preview := strings.TrimPrefix(a.get("data.urls.preview").(string), s.URL)
	tag := s.do(t, "GET", preview, "").want(t, 200).Header.Get("ETag")
	if !strings.HasPrefix(tag, `"`+a.get("data.checksum_sha256").(string)) {
		t.Errorf("the preview is of %s", tag)
	}
	history := s.do(t, "GET", asset+"/history", "").want(t, 200)
	if c := history.get("data.0.changes"); fmt.Sprint(c) != fmt.Sprint([]any{
		map[string]any{"field": "file_version", "from": 1.0, "to": 2.0, "is_shortened": false},
		map[string]any{"field": "original_filename", "from": "first.jpg", "to": "second.jpg", "is_shortened": false},
	}) {
		t.Errorf("%v", c)
	}

	list := s.do(t, "GET", asset+"/versions", "").want(t, 200)
	if names(list, "version")+" "+names(list, "is_current")+" "+names(list, "filename") != "2 1 true false second.jpg first.jpg" ||
		list.get("meta.total") != 2.0 || list.get("data.0.expires_at") != nil || list.get("data.1.width") != 400.0 {
		t.Errorf("%s", list)
	}
	for page, want := range map[int]string{1: "2", 2: "1", 3: ""} {
		if got := names(s.do(t, "GET", fmt.Sprintf("%s/versions?per_page=1&page=%d", asset, page), "").want(t, 200), "version"); got != want {
			t.Errorf("page %d: %s", page, got)
		}
	}
	for n, data := range map[int][]byte{1: first, 2: second} {
		if got := s.do(t, "GET", fmt.Sprintf("%s/versions/%d/download", asset, n), "").want(t, 200); !bytes.Equal(got.body, data) {
			t.Errorf("version %d has %d bytes", n, len(got.body))
		}
	}
	small := strings.TrimPrefix(list.get("data.1.urls.thumbnail").(string), s.URL)
	if got := s.do(t, "GET", small, "").want(t, 200); !strings.HasSuffix(got.Header.Get("ETag"), `-thumbnail-1"`) {
		t.Errorf("%v", got.Header)
	}
	s.do(t, "GET", asset+"/versions/3/download", "").want(t, 404)
	mark := s.do(t, "GET", asset+"/versions/1/download", "").Header.Get("ETag")
	s.do(t, "GET", asset+"/versions/1/download", "", "If-None-Match", mark).want(t, 304)

	s.sendVersion(t, gaid, "again.jpg", second).want(t, 409)
	s.do(t, "POST", asset+"/versions/2/restore", "").want(t, 409)
	s.do(t, "POST", asset+"/versions/1/restore", "", "If-Match", `"v1"`).want(t, 412)
	restored := s.do(t, "POST", asset+"/versions/1/restore", "", "If-Match", a.Header.Get("ETag")).want(t, 200)
	for _, member := range []string{"checksum_sha256", "thumbhash", "colors", "width", "original_filename", "technical", "title"} {
		if x, y := before.get("data."+member), restored.get("data."+member); fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%s was %v, is %v", member, x, y)
		}
	}
	if restored.get("data.file_version") != 3.0 {
		t.Errorf("%s", restored)
	}
	if problems := s.check(t); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	s.do(t, "DELETE", asset+"/versions/3", "").want(t, 409)
	s.do(t, "DELETE", asset+"/versions/2", "").want(t, 200)
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 1 {
		t.Errorf("%d blobs, without the second", n)
	}
	if end := s.newVersion(t, gaid, "second.jpg", second); end.get("data.status") != "ready" {
		t.Fatalf("%s", end)
	}
	clock.pass(364 * 24 * time.Hour)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if got := names(s.do(t, "GET", asset+"/versions", "").want(t, 200), "version"); got != "4 3 1" {
		t.Errorf("%s after a while", got)
	}
	clock.pass(2 * 24 * time.Hour)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if got := names(s.do(t, "GET", asset+"/versions", "").want(t, 200), "version"); got != "4" {
		t.Errorf("%s after a year", got)
	}
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 1 {
		t.Errorf("%d blobs after a year", n)
	}

	s.newVersion(t, gaid, "first.jpg", first)
	s.do(t, "DELETE", asset, "").want(t, 200)
	s.sendVersion(t, gaid, "third.jpg", picture(3, 8, 8)).want(t, 409)
	s.do(t, "POST", asset+"/versions/4/restore", "").want(t, 409)
	s.do(t, "DELETE", asset+"?force=true", "").want(t, 200)
	if n := s.count(t, `SELECT count(*) FROM blobs`) + s.count(t, `SELECT count(*) FROM asset_versions`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// Invalid versions are refused, immediately or after inspection, and the asset does not
// change.
func TestVersionRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	asset := "/api/v1/assets/" + gaid
	before := s.do(t, "GET", asset, "").want(t, 200)
	video, err := os.ReadFile("../app/media/testdata/media/a.mp4")
	must(t, err)
	for _, tt := range []struct {
		name string
		data []byte
		says string
	}{
		{"a.mp4", video, "The asset is a picture, and so must be its new version. This is an MP4 video."},
		{"a.jpg", nil, "The file is empty."},
		{"a.bin", []byte("\x00\x01\x02\x03"), ""},
		{"a.png", []byte("<html><script>alert(1)</script></html>"), "it is a web page"},
	} {
		a := s.sendVersion(t, gaid, tt.name, tt.data).want(t, 422)
		if message, _ := a.get("errors.file.0").(string); !strings.Contains(message, tt.says) || message == "" {
			t.Errorf("%s: %s", tt.name, a)
		}
	}
	text := s.one(t, "a.txt", []byte("harbour"))
	infected := []byte(`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`)
	if end := s.newVersion(t, text, "b.txt", infected); end.get("data.status") != "rejected" || end.get("data.error.code") != "infected" {
		t.Errorf("%s", end)
	}
	if end := s.newVersion(t, gaid, "a.jpg", picture(2, 80, 80)[:300]); end.get("data.status") != "rejected" ||
		end.get("data.error.code") != "corrupt" {
		t.Errorf("%s", end)
	}
	other := s.one(t, "b.jpg", picture(4, 40, 30))
	if after := s.do(t, "GET", asset, "").want(t, 200); !bytes.Equal(after.body, before.body) {
		t.Errorf("%s", after)
	}
	a := s.sendVersion(t, gaid, "c.jpg", picture(5, 8, 8)).want(t, 201)
	state := strings.TrimPrefix(a.Header.Get("Location"), s.URL)
	s.do(t, "GET", strings.Replace(state, gaid, other, 1), "").want(t, 404)
	s.sendVersion(t, "01KB3J8Q5V7X9Z1B3D5F7H9K1M", "c.jpg", picture(5, 8, 8)).want(t, 404)
	s.do(t, "POST", asset+"/versions", "{}", "Content-Type", "application/json").want(t, 415)
}

// A new version can be a resumable upload. The poster of a video is kept, and derived data
// comes from the new file.
func TestVersionInPieces(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(2, 60, 50)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	asset := "/api/v1/assets/" + gaid
	tus := []string{"Tus-Resumable", "1.0.0"}
	s.do(t, "POST", asset+"/versions", "", append(tus, "Upload-Length", "9", "If-Match", `"v9"`)...).want(t, 412)
	a := s.do(t, "POST", asset+"/versions", "",
		append(tus, "Upload-Length", fmt.Sprint(len(data)), "Upload-Metadata", "filename Yi5qcGc=")...).want(t, 201)
	at := strings.TrimPrefix(a.Header.Get("Location"), s.URL)
	send := func(from, to int) answer {
		return s.do(t, "PATCH", at, string(data[from:to]),
			append(tus, "Upload-Offset", fmt.Sprint(from), "Content-Type", "application/offset+octet-stream")...).want(t, 204)
	}
	send(0, 100)
	end := send(100, len(data))
	state := s.until(t, asset+"/uploads/"+end.Header.Get("DAL-File"), func(a answer) bool {
		return dam.FileStatus(a.get("data.status").(string)).Terminal()
	})
	if got := s.do(t, "GET", asset, "").want(t, 200); state.get("data.status") != "ready" || got.get("data.original_filename") != "b.jpg" ||
		got.get("data.width") != 60.0 || got.get("data.file_version") != 2.0 {
		t.Errorf("%s %s", state, got)
	}
	batch := s.until(t, "/api/v1/upload-batches/"+strings.Split(at, "/")[4], func(a answer) bool { return a.get("data.completed_at") != nil })
	if batch.get("data.version_of") != gaid || batch.get("data.name") != "New version of a" || batch.get("data.status") != "completed" {
		t.Errorf("%s", batch)
	}

	video, err := os.ReadFile("../app/media/testdata/media/a.mp4")
	must(t, err)
	sound := s.one(t, "a.mp4", video)
	path := "/api/v1/assets/" + sound
	frame := s.do(t, "GET", path, "").want(t, 200).get("data.thumbhash")
	poster := s.setPoster(t, path, picture(7, 80, 60)).want(t, 200).get("data.thumbhash")
	if end := s.newVersion(t, sound, "b.mp4", append(video, "\x00\x00\x00\x08free"...)); end.get("data.status") != "ready" {
		t.Fatalf("%s", end)
	}
	if got := s.do(t, "GET", path, "").want(t, 200).get("data.thumbhash"); got != poster || poster == frame {
		t.Errorf("the poster is gone: %v", got)
	}
	list := s.do(t, "GET", path+"/versions", "").want(t, 200)
	if list.get("data.0.thumbhash") != poster || list.get("data.1.thumbhash") != frame {
		t.Errorf("%s", list)
	}
	if got := s.do(t, "DELETE", path+"/poster", "").want(t, 200).get("data.thumbhash"); got != frame {
		t.Errorf("without its poster: %v", got)
	}
	must(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
	s.do(t, "GET", path+"/versions/1/download?rendition=preview", "").want(t, 200)
}
