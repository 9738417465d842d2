package web_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

// sound turns an asset into audio without a cover.
func (s *server) sound(t *testing.T, gaid string) string {
	t.Helper()
	const silent = "01TEST00000000000000000001"
	must(t, s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.Asset(dam.GAID(gaid))
		if err != nil {
			return err
		}
		a.GAID, a.FileCategory, a.MIMEType, a.Extension = silent, dam.CategoryAudio, "audio/mpeg", "mp3"
		a.ThumbHash, a.PHash, a.Colors = nil, 0, nil
		a.Technical = map[string]any{"file": map[string]any{"no_preview": "it has no cover"}}
		return tx.InsertAsset(a)
	}))
	return "/api/v1/assets/" + silent
}

func (s *server) setPoster(t *testing.T, path string, picture []byte, header ...string) answer {
	t.Helper()
	return s.do(t, "PUT", path+"/poster", string(picture), append([]string{"Content-Type", "image/jpeg"}, header...)...)
}

// A poster is the picture of an audio file until it is removed: in lists, downloads,
// exports and events. Its bytes are kept as long as something refers to them.
func TestPoster(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := s.sound(t, s.one(t, "a.jpg", picture(1, 40, 30)))
	before := s.do(t, "GET", path, "").want(t, 200)
	const updated = "asset.updated 01TEST00000000000000000001"
	events := s.countEvents(t)[updated]
	first, second := picture(2, 800, 400), picture(3, 3000, 1000)
	a := s.setPoster(t, path, first, "If-Match", before.Header.Get("ETag")).want(t, 200)
	if a.get("data.technical.file.preview") != "a picture that was set" || a.get("data.technical.file.no_preview") != nil ||
		a.get("data.urls.preview") == nil || a.get("data.thumbhash") == nil || len(a.get("data.colors").([]any)) == 0 ||
		a.get("data.version") != 2.0 || a.Header.Get("ETag") == before.Header.Get("ETag") {
		t.Errorf("%s", a.body)
	}
	s.setPoster(t, path, first, "If-Match", before.Header.Get("ETag")).want(t, 412)
	shows := func(w, h int) {
		t.Helper()
		for _, r := range []string{"preview", "poster"} {
			c, err := jpeg.DecodeConfig(bytes.NewReader(s.do(t, "GET", path+"/download?rendition="+r, "").want(t, 200).body))
			if err != nil || c.Width != w || c.Height != h {
				t.Errorf("the %s has %d × %d pixels, %v", r, c.Width, c.Height, err)
			}
		}
	}
	shows(800, 400)
	if again := s.setPoster(t, path, first).want(t, 200); again.get("data.version") != 2.0 {
		t.Errorf("the same picture makes version %v", again.get("data.version"))
	}
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 2 {
		t.Errorf("%d blobs", n)
	}
	s.setPoster(t, path, second).want(t, 200)
	shows(1600, 533)
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 2 {
		t.Errorf("%d blobs, with that of the picture before", n)
	}
	must(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
	shows(1600, 533)
	if problems := s.check(t); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	if got := s.countEvents(t)[updated] - events; got != 2 {
		t.Errorf("%d events", got)
	}
	export := s.operate(t, `{"type":"export","format":"zip","rendition":"poster","selection":{"gaids":["01TEST00000000000000000001"]}}`)
	if got := outcome(s.ended(t, export)); got != "completed 1 1 0 0 100" {
		t.Errorf("an export: %s", got)
	}
	a = s.do(t, "DELETE", path+"/poster", "").want(t, 200)
	if a.get("data.technical.file.no_preview") != "it has no cover" || a.get("data.technical.file.preview") != nil ||
		a.get("data.urls.preview") != nil || a.get("data.version") != 4.0 {
		t.Errorf("%s", a.body)
	}
	s.do(t, "GET", path+"/download?rendition=poster", "").want(t, 404)
	if a = s.do(t, "DELETE", path+"/poster", "").want(t, 200); a.get("data.version") != 4.0 {
		t.Errorf("version %v without a poster", a.get("data.version"))
	}
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 1 {
		t.Errorf("%d blobs are left", n)
	}
	s.setPoster(t, path, first).want(t, 200)
	s.do(t, "DELETE", path, "").want(t, 200)
	s.setPoster(t, path, second).want(t, 404)
	s.do(t, "DELETE", path+"/poster", "").want(t, 404)
	s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
	if n := s.count(t, `SELECT count(*) FROM posters`) + s.count(t, `SELECT count(*) FROM blobs`); n != 1 {
		t.Errorf("%d rows are left", n)
	}
}

// The poster of a video is a frame of it, in the size of the preview, until another one is
// set, and again once that is removed.
func TestPosterOfAVideo(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data, err := os.ReadFile("../app/media/testdata/media/a.mp4")
	must(t, err)
	path := "/api/v1/assets/" + s.one(t, "a.mp4", data)
	before := s.do(t, "GET", path, "").want(t, 200)
	shown := func(rendition string) string {
		t.Helper()
		return string(s.do(t, "GET", path+"/download?rendition="+rendition, "").want(t, 200).body)
	}
	frame := shown("poster")
	if frame != shown("preview") {
		t.Error("the poster is not as the preview")
	}
	s.setPoster(t, path, picture(2, 800, 400)).want(t, 200)
	if set := shown("poster"); set == frame || set != shown("preview") {
		t.Error("the poster is not the picture that was set")
	}
	after := s.do(t, "DELETE", path+"/poster", "").want(t, 200)
	must(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
	if shown("preview") != frame || shown("poster") != frame {
		t.Error("without a poster it is another frame")
	}
	for _, member := range []string{"data.thumbhash", "data.technical.file.preview", "data.technical.video.codec", "data.urls.preview"} {
		if a, b := before.get(member), after.get(member); a != b || a == nil {
			t.Errorf("%s was %v, is %v", member, a, b)
		}
	}
}

// Posters that are invalid, too large, infected or for another kind of file are refused,
// and nothing is stored.
func TestPosterRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	path := s.sound(t, filepath.Base(photo))
	var other bytes.Buffer
	must(t, bmp.Encode(&other, image.NewRGBA(image.Rect(0, 0, 4, 3))))
	infected := `X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`
	for _, tt := range []struct {
		what, path, kind, body string
		status                 int
		says                   string
	}{
		{"a picture", photo, "image/jpeg", string(picture(2, 8, 8)), 422, "Only videos and sounds have a poster."},
		{"nothing", path, "image/jpeg", "", 422, "The picture is empty."},
		{"a text", path, "image/png", "harbour", 422, "A poster is a JPEG, PNG or WebP; this is a plain text."},
		{"a bitmap", path, "image/png", other.String(), 422, "A poster is a JPEG, PNG or WebP; this is a BMP picture."},
		{"half", path, "image/jpeg", string(picture(2, 8, 8)[:60]), 422, ""},
		{"infected", path, "image/jpeg", infected, 422, "EICAR"},
		{"another type", path, "image/gif", string(picture(2, 8, 8)), 415, ""},
		{"large", path, "image/jpeg", strings.Repeat("x", ingest.MaxPoster+1), 413, ""},
	} {
		a := s.do(t, "PUT", tt.path+"/poster", tt.body, "Content-Type", tt.kind).want(t, tt.status)
		if message, _ := a.get("message").(string); !strings.Contains(message, tt.says) {
			t.Errorf("%s: %s", tt.what, message)
		}
	}
	viewer := s.user(t, "v@example.com", dam.RoleViewer)
	s.as(t, viewer, "PUT", path+"/poster", string(picture(2, 8, 8)), "Content-Type", "image/jpeg").want(t, 403)
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 1 {
		t.Errorf("%d blobs", n)
	}
}

// While the virus scanner is unavailable, posters are refused.
func TestPosterUnscanned(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	open := make(chan struct{})
	close(open)
	go func() {
		for conn, err := ln.Accept(); err == nil; conn, err = ln.Accept() {
			go slowClamd(conn, open)
		}
	}()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Clamd = "tcp://" + ln.Addr().String() })
	path := s.sound(t, s.one(t, "a.jpg", picture(1, 40, 30)))
	s.setPoster(t, path, picture(2, 8, 8)).want(t, 200)
	must(t, ln.Close())
	s.setPoster(t, path, picture(3, 8, 8)).want(t, 503)
}
