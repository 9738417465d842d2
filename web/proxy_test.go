package web_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// mediaSample returns a video or audio file in a format.
func mediaSample(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../app/media/testdata/media", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func withFFmpeg(t *testing.T) func(*app.Config, *web.Options) {
	t.Helper()
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	return func(c *app.Config, _ *web.Options) { c.FFmpeg = path }
}

// Videos and audio that browsers cannot play are transcoded, with support for ranges;
// others are not. A deleted copy is created again.
func TestProxies(t *testing.T) {
	t.Parallel()
	s := start(t, withFFmpeg(t))
	var playable []string
	for _, name := range []string{"a.mp4", "a.mp3"} {
		playable = append(playable, "/api/v1/assets/"+s.one(t, name, mediaSample(t, name)))
	}
	for name, mime := range map[string]string{"a.avi": "video/mp4", "a.wma": "audio/mp4"} {
		path := "/api/v1/assets/" + s.one(t, name, mediaSample(t, name))
		url := s.proxy(t, path)
		whole := s.do(t, "GET", url, "").want(t, 200)
		if got := whole.Header.Get("Content-Type"); got != mime || string(whole.body[4:8]) != "ftyp" {
			t.Errorf("%s: %s, %.20q", name, got, whole.body)
		}
		part := s.do(t, "GET", url+"&inline=true", "", "Range", "bytes=4-7").want(t, 206)
		if shown := part.Header.Get("Content-Disposition"); string(part.body) != "ftyp" || !strings.HasPrefix(shown, "inline") {
			t.Errorf("%s: %q, %s", name, part.body, shown)
		}
		files, err := filepath.Glob(filepath.Join(s.dir, "cache/*/*/*-proxy-*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, %v", files, err)
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		s.do(t, "GET", url, "").want(t, 404)
		if again := s.do(t, "GET", s.proxy(t, path), "").want(t, 200); len(again.body) < len(whole.body)/2 {
			t.Errorf("%s: the copy made again has %d bytes, not %d", name, len(again.body), len(whole.body))
		}
	}
	for _, path := range playable { // copies are created one at a time
		if url := s.do(t, "GET", path, "").want(t, 200).get("data.urls.proxy"); url != nil {
			t.Errorf("there is a copy at %v", url)
		}
		s.do(t, "GET", path+"/download?rendition=proxy", "").want(t, 404)
	}
}

// Existing files are transcoded when a server with FFmpeg starts, and a file that cannot be
// transcoded reports it.
func TestProxiesOfWhatIsThere(t *testing.T) {
	t.Parallel()
	with := withFFmpeg(t)
	dir := t.TempDir()
	var token, path, broken string
	t.Run("without FFmpeg", func(t *testing.T) {
		s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
		avi := mediaSample(t, "a.avi")
		path = "/api/v1/assets/" + s.one(t, "a.avi", avi)
		broken = "/api/v1/assets/" + s.one(t, "b.avi", bytes.ReplaceAll(avi, []byte("FMP4"), []byte("ZZZZ")))
		if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.technical.video.playable") != false || a.get("data.urls.proxy") != nil {
			t.Fatalf("%s", a.body)
		}
		token = s.token
	})
	s := run(t, func(c *app.Config, o *web.Options) {
		with(c, o)
		c.DataDir = dir
	})
	s.token = token
	s.proxy(t, path)
	s.until(t, broken, func(a answer) bool { return a.get("data.technical.video.no_proxy") != nil })
	s.do(t, "GET", broken+"/download?rendition=proxy", "").want(t, 404)
}

// proxy waits for the transcoded copy of an asset and returns its path.
func (s *server) proxy(t *testing.T, asset string) string {
	t.Helper()
	a := s.until(t, asset, func(a answer) bool { return a.get("data.urls.proxy") != nil })
	return strings.TrimPrefix(fmt.Sprint(a.get("data.urls.proxy")), s.URL)
}
