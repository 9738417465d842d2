package web_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// madeTiles is the message logged once per tile pyramid.
const madeTiles = "the tiles of a picture were made"

// talking enables debug logging.
func talking(log *journal) func(*app.Config, *web.Options) {
	return func(c *app.Config, o *web.Options) {
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Log = c.Log
	}
}

// complaint sends a request without credentials and is safe for concurrent use. It returns
// the problem with the answer, or "".
func (s *server) complaint(ctx context.Context, path string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return err.Error()
	}
	res, err := s.Client().Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Sprint(path, ": ", res.Status, err, beginning(body))
	}
	return ""
}

// When many viewers open a picture concurrently, its tiles are created once; viewers who
// disconnect, even the first, do not abort the creation for the others.
func TestIIIFManyViewers(t *testing.T) {
	t.Parallel()
	var log journal
	s := start(t, func(c *app.Config, o *web.Options) {
		talking(&log)(c, o)
		c.Media.MemoryBudget = 96 << 20
	})
	gaid := s.one(t, "grid.jpg", grid(2900, 2000))
	_, page := s.share(t, shareOf(`,"allow_download":true,"watermark":{"text":"Museum"}`, gaid))
	for _, id := range []string{
		s.iiif(t, gaid, ""), s.iiif(t, gaid, `,"max_resolution":2000`), "/iiif/s~" + strings.TrimPrefix(page, "/s/") + "~" + gaid,
	} {
		before := log.count(madeTiles)
		var viewers sync.WaitGroup
		for i := range 40 {
			ctx, leave := context.WithCancel(t.Context())
			leaves := i%2 == 0
			path := id + []string{"/0,0,512,512/512,512/0/default.jpg", "/full/!200,200/0/default.jpg", "/info.json", "/manifest.json",
				fmt.Sprintf("/%d,0,100,100/50,/90/gray.png", i)}[i%5]
			viewers.Go(func() {
				defer leave()
				if wrong := s.complaint(ctx, path); wrong != "" && !leaves {
					t.Error(wrong)
				}
			})
			if leaves {
				viewers.Go(leave)
			}
		}
		viewers.Wait()
		if n := log.count(madeTiles) - before; n != 1 {
			t.Errorf("the tiles of %s were made %d times", id, n)
		}
	}
	if n := log.count("level=ERROR"); n != 0 {
		t.Errorf("%d errors were logged", n)
	}
}

// Opening fifty new pictures concurrently does not block the delivery of cached ones.
func TestIIIFManyPictures(t *testing.T) {
	t.Parallel()
	var log journal
	s := start(t, talking(&log))
	gaids := s.pictures(t, 51)
	known := s.iiif(t, gaids[50], "")
	if wrong := s.complaint(t.Context(), known+"/info.json"); wrong != "" {
		t.Fatal(wrong)
	}
	var viewers sync.WaitGroup
	for _, gaid := range gaids[:50] {
		id := s.iiif(t, gaid, "")
		for _, path := range []string{
			id + "/0,0,16,12/16,12/0/default.jpg", id + "/full/!8,8/0/default.jpg", known + "/0,0,16,12/16,12/0/default.jpg",
		} {
			viewers.Go(func() {
				if wrong := s.complaint(t.Context(), path); wrong != "" {
					t.Error(wrong)
				}
			})
		}
	}
	viewers.Wait()
	if n := log.count(madeTiles); n != 51 {
		t.Errorf("the tiles of 51 pictures were made %d times", n)
	}
}

// Tiles count towards the cache limit; evicted ones are created again.
func TestIIIFCacheBudget(t *testing.T) {
	t.Parallel()
	const budget = 300 << 10
	s := start(t, func(c *app.Config, _ *web.Options) { c.RenditionCache = budget })
	size := func() (n int64) {
		must(t, filepath.WalkDir(filepath.Join(s.dir, "cache"), func(path string, d fs.DirEntry, err error) error {
			if info, err := os.Stat(path); err == nil && strings.HasSuffix(path, ".tiles") { // unless it was evicted meanwhile
				n += info.Size()
			}
			return nil
		}))
		return n
	}
	for i := range 4 {
		id := s.iiif(t, s.one(t, fmt.Sprintf("grid %d.jpg", i), append(grid(1210, 830), byte(i))), "")
		for _, path := range []string{"/info.json", "/0,0,512,512/512,512/0/default.jpg", "/full/300,/0/gray.jpg", "/full/max/0/default.jpg"} {
			a := s.as(t, "", "GET", id+path, "")
			if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s: %s", path, a)
			}
		}
	}
	s.until(t, "/api/v1/status", func(answer) bool { return size() <= budget })
}

// Everything that revokes an identifier's content revokes all of its URLs immediately, even
// for earlier viewers; all limits apply to all of them.
func TestIIIFEnds(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	const tile = "/0,0,512,512/512,512/0/default.jpg"
	all := []string{"/info.json", tile, "/full/max/0/default.jpg", "/100,100,300,200/150,/90/gray.png", "/manifest.json"}
	put := func(path, body string) { s.do(t, "PUT", path, body).want(t, 200) }
	day := func(days int) string { return clock.now().AddDate(0, 0, days).UTC().Format(time.RFC3339) }
	for i, end := range []struct {
		name, share string // name of the case, and members of the share; "" for a signed identifier
		act         func(asset, share string)
		status      int    // 0 if still shown, but changed
		but         string // paths that stay unchanged (304)
	}{
		{"a signed one is deleted", "", func(asset, _ string) { s.do(t, "DELETE", asset, "").want(t, 200) }, 404, ""},
		{"the licence of a signed one ends", "", func(asset, _ string) { put(asset, `{"usage_until":"`+day(-1)+`"}`) }, 404, ""},
		{"the licence of a signed one has not begun", "", func(asset, _ string) { put(asset, `{"usage_from":"`+day(1)+`"}`) }, 404, ""},
		{"the key ends at once", "", func(string, string) { s.rotate(t, 0) }, 404, ""},
		{"the key ends after an hour", "", func(string, string) {
			s.rotate(t, time.Hour)
			clock.pass(time.Hour + time.Second)
		}, 404, ""},
		{"one of a share is deleted", `,"allow_download":true`, func(asset, _ string) { s.do(t, "DELETE", asset, "").want(t, 200) }, 404, ""},
		{"the licence of a shared one ends", `,"allow_download":true`, func(asset, _ string) {
			put(asset, `{"usage_until":"`+day(-1)+`"}`)
		}, 404, ""},
		{"a share is revoked", `,"allow_original":true`, func(_, share string) { s.do(t, "DELETE", share, "").want(t, 200) }, 404, ""},
		{"a share expires", `,"expires_at":"` + day(1) + `"`, func(string, string) { clock.pass(25 * time.Hour) }, 404, ""},
		{"a share gets a password", `,"allow_download":true`, func(_, share string) { put(share, `{"password":"harbour at dawn"}`) }, 403, ""},
		{"a share gets a bound", `,"allow_original":true`, func(_, share string) { put(share, `{"max_resolution":700}`) }, 0, ""},
		{"a share gets a mark", `,"allow_original":true,"allow_download":true`, func(_, share string) {
			put(share, `{"allow_original":false,"watermark":{"text":"SECRET","opacity":100}}`)
		}, 0, "/info.json /manifest.json"},
	} {
		gaid := s.one(t, fmt.Sprintf("grid %d.jpg", i), append(grid(1210, 830), byte(i)))
		id, share := "", ""
		if end.share == "" {
			id = s.iiif(t, gaid, "")
		} else {
			var page string
			share, page = s.share(t, shareOf(end.share, gaid))
			id = "/iiif/s~" + strings.TrimPrefix(page, "/s/") + "~" + gaid
		}
		seen := map[string]answer{}
		for _, path := range all {
			seen[path] = s.as(t, "", "GET", id+path, "").want(t, 200)
		}
		end.act(assets+"/"+gaid, share)
		for _, path := range all {
			a := s.as(t, "", "GET", id+path, "", "If-None-Match", seen[path].Header.Get("ETag"))
			switch {
			case end.status != 0 && a.StatusCode != end.status:
				t.Errorf("%s: %s is still answered with %d", end.name, path, a.StatusCode)
			case end.status == 0 && (a.StatusCode == http.StatusNotModified) != strings.Contains(end.but, path):
				t.Errorf("%s: %s is answered with %d", end.name, path, a.StatusCode)
			}
			if end.status != 0 && a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %s is kept: %q", end.name, path, a.Header.Get("Cache-Control"))
			}
		}
	}
}

// rotate switches to another signing key.
func (s *server) rotate(t *testing.T, overlap time.Duration) {
	t.Helper()
	_, err := s.app.Images.RotateImageKey(t.Context(), overlap)
	must(t, err)
}

// While two keys overlap, identifiers signed with either are valid; afterwards only those
// of the new key.
func TestIIIFKeysOverlap(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaid := s.one(t, "grid.jpg", grid(600, 400))
	before := s.iiif(t, gaid, `,"max_resolution":300`)
	s.rotate(t, time.Hour)
	after := s.iiif(t, gaid, `,"max_resolution":300`)
	if before == after {
		t.Fatal("the new key does not sign")
	}
	for _, id := range []string{before, after} {
		s.as(t, "", "GET", id+"/info.json", "").want(t, 200)
	}
	clock.pass(time.Hour + time.Second)
	s.as(t, "", "GET", before+"/info.json", "").want(t, 404)
	s.as(t, "", "GET", after+"/full/max/0/default.jpg", "").want(t, 200)
}
