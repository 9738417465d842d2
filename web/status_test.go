package web_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/maintain"
	"github.com/digital-asset-library/dal/web"
)

// warnings returns the codes of a status's warnings, except disk_nearly_full, which depends
// on the test machine.
func (a answer) warnings() (codes []string) {
	list, _ := a.get("data.warnings").([]any)
	for _, w := range list {
		if code := fmt.Sprint(w.(map[string]any)["code"]); code != "disk_nearly_full" {
			codes = append(codes, code)
		}
	}
	return codes
}

// warned waits until the status has exactly these warnings.
func (s *server) warned(t *testing.T, codes ...string) answer {
	t.Helper()
	return s.until(t, "/api/v1/status", func(a answer) bool { return slices.Equal(a.warnings(), codes) })
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Version = "1.2.3" })
	a := s.warned(t)
	if a.get("data.version") != "1.2.3" || a.get("data.last_backup_at") != nil || a.get("data.scanner.has_clamd") != false {
		t.Error(a)
	}
	s.one(t, "a.jpg", picture(1, 40, 30))
	a = s.until(t, "/api/v1/status", func(a answer) bool {
		return a.get("data.index.documents") == 1.0 && a.get("data.disk.folders.records") != nil && a.get("data.index.pending") == 0.0
	})
	originals, _ := a.get("data.disk.originals").(float64)
	if originals == 0 || a.get("data.memory.used").(float64) < 1<<20 || a.get("data.disk.free") == nil {
		t.Error(a)
	}
	if n := len(a.get("data.queues").([]any)); n != 13 {
		t.Errorf("%d queues", n)
	}
	s.warned(t, "no_backup")

	target := t.TempDir()
	opt := maintain.BackupOptions{Verify: true, Problem: func(string) {}}
	if _, _, err := s.app.Maintenance.Backup(t.Context(), target, opt); err != nil {
		t.Fatal(err)
	}
	if _, err := s.app.Maintenance.Check(t.Context(), true, func(string) {}, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	a = s.warned(t)
	if a.get("data.last_backup.target") != target || a.get("data.last_backup.is_verified") != true || a.get("data.last_backup_at") == nil {
		t.Error(a.get("data.last_backup"))
	}
	if a.get("data.last_check.is_every_byte") != true || a.get("data.last_check.files") != 1.0 || a.get("data.last_check.problems") != 0.0 {
		t.Error(a.get("data.last_check"))
	}
}

func TestStatusWarnings(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	sha := fmt.Sprint(s.do(t, "GET", "/api/v1/assets/"+s.one(t, "a.jpg", picture(1, 40, 30)), "").get("data.checksum_sha256"))
	target := t.TempDir()
	backup := func() error {
		_, _, err := s.app.Maintenance.Backup(t.Context(), target, maintain.BackupOptions{Problem: func(string) {}})
		return err
	}
	if err := backup(); err != nil {
		t.Fatal(err)
	}
	s.warned(t)
	clock.pass(8 * 24 * time.Hour)
	s.warned(t, "backup_old")
	if err := backup(); err != nil {
		t.Fatal(err)
	}
	s.warned(t)

	if err := os.WriteFile(filepath.Join(s.dir, "blobs", "sha256", sha[:2], sha[2:4], sha), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.app.Maintenance.Check(t.Context(), true, func(string) {}, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	a := s.warned(t, "damaged_files", "check_failed")
	said := fmt.Sprint(a.get("data.warnings.0.message"))
	if said != "1 file is damaged or missing." || !strings.Contains(string(a.body), "dal check --repair") {
		t.Error(a)
	}
}

// An unavailable scanner is reported immediately, and one that hangs does not delay the
// status.
func TestStatusOfTheScanner(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	reply := make(chan string, 1)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 100)
			_, _ = conn.Read(buf)
			r := <-reply
			reply <- r
			fmt.Fprint(conn, r)
			conn.Close()
		}
	}()
	reply <- "ClamAV 1.4.1/27400/Tue Sep 17 08:32:12 2024\x00"
	s := start(t, func(c *app.Config, _ *web.Options) { c.Clamd = "tcp://" + ln.Addr().String() })
	a := s.warned(t, "signatures_old")
	if a.get("data.scanner.version") != "ClamAV 1.4.1" || a.get("data.scanner.signatures_at") != "2024-09-17T08:32:12.000Z" {
		t.Error(a.get("data.scanner"))
	}
	ln.Close()
	a = s.warned(t, "scanner_down")
	if a.get("data.scanner.is_reachable") != false {
		t.Error(a.get("data.scanner"))
	}
}

// A warning is shown if passwords are sent unencrypted.
func TestStatusOfTheAddress(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) { o.SiteURL, _ = url.Parse("http://dam.example.com") })
	s.warned(t, "not_encrypted")
	plain := start(t, nil)
	for host, code := range map[string]string{"127.0.0.1:8080": "", "[::1]": "", "localhost": "", "192.0.2.1": "not_encrypted"} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", plain.URL+"/api/v1/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+plain.token)
		if got := strings.Join(plain.send(t, req).want(t, 200).warnings(), " "); got != code {
			t.Errorf("%s: %q", host, got)
		}
	}
	s.as(t, s.user(t, "ed@example.com", dam.RoleEditor), "GET", "/api/v1/status", "").want(t, 403)
}
