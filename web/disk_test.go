package web_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// readyz returns the answer of the readiness probe.
func (s *server) readyz(t testing.TB) (status int, message string) {
	t.Helper()
	res, err := s.Client().Get(s.URL + "/readyz")
	must(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(b)
}

// untilReadyz waits until the probe answers with status.
func (s *server) untilReadyz(t testing.TB, status int) (message string) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		got, message := s.readyz(t)
		if got == status {
			return message
		}
		select {
		case <-deadline:
			t.Fatalf("readyz is %d: %s", got, message)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// noRoom checks a server whose free disk space is below the reserve: it refuses large
// writes and otherwise keeps working.
func (s *server) noRoom(t testing.TB, gaid string) {
	t.Helper()
	message := s.untilReadyz(t, 503)
	if !strings.Contains(message, "The disk is full: the disk of the records has ") ||
		!strings.Contains(message, " are kept for the records.") {
		t.Errorf("readyz: %s", message)
	}
	id := s.batch(t, `{}`)
	a := s.push(t, id, upload{"more.jpg", picture(99, 30, 30)}).want(t, 507)
	if m, _ := a.get("message").(string); !strings.HasPrefix(m, "The server's disk is full: its last ") {
		t.Errorf("%s", a)
	}
	export := `{"type":"export","format":"zip","selection":{"gaids":["` + gaid + `"]}}`
	s.do(t, "POST", "/api/v1/operations", export, "Idempotency-Key", t.Name()+"zip").want(t, 507)
	s.do(t, "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201)
	s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"title":"Zanzibar"}`).want(t, 200)
	s.do(t, "GET", "/api/v1/assets?q=zanzibar", "").want(t, 200)
	if a := s.do(t, "GET", "/api/v1/assets?q=first&sort_by=title", "").want(t, 200); a.get("data.0.title") != "Zanzibar" {
		t.Errorf("search: %s", a)
	}
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=preview", "").want(t, 200)
	if temps, err := filepath.Glob(filepath.Join(s.dir, "blobs", "tmp", "*", "[0-9]*")); err != nil || len(temps) > 0 {
		t.Errorf("left: %v, %v", temps, err)
	}
}

// With a reserve larger than any disk, a library behaves as if its disk were full.
func TestDiskReserve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var gaid string
	t.Run("before", func(t *testing.T) {
		s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
		gaid = s.one(t, "first.jpg", picture(1, 64, 48))
		s.do(t, "GET", "/api/v1/assets?q=first", "").want(t, 200)
	})
	var log journal
	s := run(t, func(c *app.Config, _ *web.Options) { c.DataDir, c.DiskReserve = dir, 1<<60; log.into(c) })
	s.token = s.user(t, "eve@example.com", dam.RoleAdmin)
	for range 5 {
		s.noRoom(t, gaid)
	}
	s.do(t, "DELETE", "/api/v1/assets/"+gaid+"?force=true", "").want(t, http.StatusOK)
	if n := log.count("the disk is full"); n != 1 {
		t.Errorf("%d lines of the log", n)
	}
	if n := log.count("level=ERROR"); n != 0 {
		t.Errorf("%d errors in the log", n)
	}
}
