package web_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage/blob"
	"github.com/digital-asset-library/dal/web"
)

// smallDisk mounts a small disk at dir, which requires root.
func smallDisk(t testing.TB, dir, size string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("a disk that is small enough to be filled takes root: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
}

// fillDisk fills a disk except for left bytes and returns the file used for it.
func fillDisk(t testing.TB, dir string, left int64) (filler string) {
	t.Helper()
	free, _, err := blob.Space(dir)
	must(t, err)
	filler = filepath.Join(dir, "filler")
	err = os.WriteFile(filler, make([]byte, max(0, free-left)), 0o600)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return filler
}

// While a disk is full, large writes are refused and small ones continue; once it has space
// again, everything that waited resumes automatically.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallDisk(t, dir, "64m")
	var gaid string
	var batch any
	t.Run("before", func(t *testing.T) {
		s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
		gaid = s.one(t, "first.jpg", picture(1, 64, 48))
		s.do(t, "GET", "/api/v1/assets?q=first", "").want(t, 200)
	})
	t.Run("waiting", func(t *testing.T) {
		s := run(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir; c.Clamd = "unix:" + filepath.Join(dir, "nobody") })
		s.token = s.user(t, "eve@example.com", dam.RoleAdmin)
		batch = s.batch(t, `{}`)
		s.push(t, batch, upload{"waits.jpg", picture(2, 64, 48)}).want(t, 201)
	})
	filler := fillDisk(t, dir, 2<<20)
	var log journal
	s := run(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir; log.into(c) })
	s.token = s.user(t, "bob@example.com", dam.RoleAdmin)
	for range 5 {
		s.noRoom(t, gaid)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "cache")))
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=preview", "").want(t, 200)
	u, err := s.app.Accounts.UserByEmail(t.Context(), "ada@example.com")
	must(t, err)
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "a.jpg"), picture(3, 64, 48), 0o600))
	_, err = s.app.Importer.Import(t.Context(), dam.Actor{User: u}, folder, bulk.ImportOptions{
		Problem:  func(_, why string) { t.Log(why) },
		Progress: func(bulk.ImportProgress) {},
	})
	if dam.KindOf(err) != dam.NoSpace {
		t.Errorf("import: %v", err)
	}
	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	a := s.do(t, "GET", path, "").want(t, 200)
	if a.get("data.counts.total") != 1.0 || a.get("data.counts.ready") != 0.0 || a.get("data.counts.failed") != 0.0 {
		t.Errorf("%s", a)
	}
	if n := log.count("the disk is full"); n != 1 {
		t.Errorf("%d lines of the log", n)
	}

	must(t, os.Remove(filler))
	s.untilReadyz(t, 200)
	s.until(t, path, func(a answer) bool { return a.get("data.counts.ready") == 1.0 })
	s.until(t, "/api/v1/assets?q=zanzibar", func(a answer) bool { return strings.Contains(fmt.Sprint(a.get("data.0.matched_on")), "title") })
	s.one(t, "more.jpg", picture(99, 30, 30))

	// Permanent deletion frees space.
	big := s.one(t, "big.jpg", append(picture(4, 30, 30), make([]byte, 10<<20)...))
	fillDisk(t, dir, 2<<20)
	s.untilReadyz(t, 503)
	s.do(t, "DELETE", "/api/v1/assets/"+big+"?force=true", "").want(t, 200)
	s.untilReadyz(t, 200)
}

// An upload that would use the reserve is aborted and leaves nothing behind.
func TestUploadMeetsReserve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallDisk(t, dir, "64m")
	s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
	id := s.batch(t, `{}`)
	filler := fillDisk(t, dir, 0)
	s.untilReadyz(t, 503)
	must(t, os.Truncate(filler, 48<<20))
	free, total, err := blob.Space(dir)
	must(t, err)
	room := free - total/20
	s.push(t, id, upload{"large.bin", make([]byte, room+100<<10)}).want(t, 507)
	if now, _, err := blob.Space(dir); err != nil || now < free-1<<20 {
		t.Errorf("%d bytes are free after %d, %v", now, free, err)
	}
	if n := leftovers(t, s); n != 0 {
		t.Errorf("%d files are left", n)
	}
	s.ingest(t, upload{"a.jpg", picture(1, 30, 30)})
}

// On a full disk, an export fails with a clear message and leaves nothing behind.
func TestExportFullDisk(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	dir := t.TempDir()
	exports := filepath.Join(dir, "exports")
	smallDisk(t, exports, "1m")
	s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
	s.fill(t, 300)
	filler := fillDisk(t, exports, 1<<20/20+20<<10)
	const export = `{"type":"export","format":"csv","selection":{"filters":` + every + `}}`
	path := s.operate(t, export)
	a := s.ended(t, path)
	if a.get("data.state") != "failed" || a.get("data.error.code") != "no_space" ||
		a.get("data.error.message") != "The server's disk is full." {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", path+"/download", "").want(t, 404)
	if left := s.exportsLeft(t); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	must(t, os.Remove(filler))
	if a := s.ended(t, s.operate(t, export)); a.get("data.state") != "completed" {
		t.Errorf("with space again: %s", a)
	}
}

// Without a free byte on the disk, reading still works; the audit log is written once
// possible, and the log reports the problem once.
func TestNoByteLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallDisk(t, dir, "64m")
	var log journal
	s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir; log.into(c) })
	gaid := s.one(t, "a.jpg", picture(1, 30, 30))
	filler := fillDisk(t, dir, 0)
	const requests = 300
	begun := time.Now()
	for range requests {
		s.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200)
	}
	if n := log.count("write the audit trail"); n > 1+int(time.Since(begun)/time.Minute) {
		t.Errorf("%d lines of the log", n)
	}
	must(t, os.Remove(filler))
	s.until(t, "/api/v1/audit-logs?per_page=1", func(a answer) bool {
		n, _ := a.get("meta.total").(float64)
		return n >= requests
	})
}
