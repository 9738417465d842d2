package web_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/maintain"
	"github.com/digital-asset-library/dal/web"
)

// blobOf returns the path of an asset's file.
func (s *server) blobOf(t testing.TB, gaid string) string {
	t.Helper()
	sha, _ := s.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200).get("data.checksum_sha256").(string)
	return filepath.Join(s.dir, "blobs", "sha256", sha[:2], sha[2:4], sha)
}

// rewrite replaces the bytes of a blob, as a broken disk would.
func rewrite(t testing.TB, path string, data []byte) {
	t.Helper()
	must(t, os.Chmod(path, 0o600))
	must(t, os.WriteFile(path, data, 0o600))
	must(t, os.Chmod(path, 0o400))
}

func flipped(data []byte) []byte {
	out := bytes.Clone(data)
	out[len(out)/2] ^= 1
	return out
}

// A file that differs from the upload is not served by any endpoint; its asset reports the
// damage, and the log records it once. Uploading the file again repairs it without loss.
func TestDamaged(t *testing.T) {
	t.Parallel()
	var log journal
	s := start(t, func(c *app.Config, _ *web.Options) { log.into(c) })
	secret := filepath.Join(t.TempDir(), "secret")
	data := func(i int) []byte { return picture(200+i, 64, 48) }
	must(t, os.WriteFile(secret, bytes.Repeat([]byte("x"), len(data(4))), 0o600))
	for i, d := range []struct {
		name    string
		damage  func(path string, data []byte)
		checked bool // found only by a check
		gone    bool // nothing remains to be preserved
	}{
		{name: "cut off", damage: func(path string, data []byte) { rewrite(t, path, data[:100]) }},
		{name: "longer", damage: func(path string, data []byte) { rewrite(t, path, append(bytes.Clone(data), 0)) }},
		{name: "empty", damage: func(path string, data []byte) { rewrite(t, path, nil) }},
		{name: "missing", damage: func(path string, data []byte) { must(t, os.Remove(path)) }, gone: true},
		{name: "a link", damage: func(path string, data []byte) { must(t, os.Remove(path)); must(t, os.Symlink(secret, path)) }},
		{name: "a link to its bytes", damage: func(path string, data []byte) {
			must(t, os.Rename(path, path+".moved"))
			must(t, os.Symlink(path+".moved", path))
		}},
		{name: "a folder", damage: func(path string, data []byte) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) }},
		{name: "a pipe", damage: func(path string, data []byte) { must(t, os.Remove(path)); mkfifo(t, path) }},
		{name: "flipped", damage: func(path string, data []byte) { rewrite(t, path, flipped(data)) }, checked: true},
	} {
		data := data(i)
		gaid := s.one(t, d.name+".jpg", data)
		path := s.blobOf(t, gaid)
		tag := s.do(t, "GET", "/api/v1/assets/"+gaid, "").Header.Get("ETag")
		d.damage(path, data)
		if d.checked {
			if s.status(t, gaid) != "ready" {
				t.Errorf("%s: known before it was checked", d.name)
			}
			if p := s.check(t); len(p) != 1 || !strings.Contains(p[0], gaid) {
				t.Errorf("%s: the check finds %q", d.name, p)
			}
		}
		for range 3 {
			a := s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "")
			if a.StatusCode != 409 || !strings.HasPrefix(fmt.Sprint(a.get("message")), "The file is damaged on the server") {
				t.Fatalf("%s: %d %s", d.name, a.StatusCode, a)
			}
		}
		s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "", "Range", "bytes=0-9").want(t, 409)
		if n := log.count("a file is damaged", gaid, filepath.Base(path)); n != 1 {
			t.Errorf("%s: %d lines of the log", d.name, n)
		}
		if got := s.status(t, gaid); got != "damaged" {
			t.Errorf("%s: the asset is %v", d.name, got)
		}
		s.do(t, "GET", "/api/v1/assets/"+gaid, "", "If-None-Match", tag).want(t, 200)
		filter := url.QueryEscape(`{"type":"filter","field":"asset.processing_status","operator":"equals","value":"damaged"}`)
		if a := s.do(t, "GET", "/api/v1/assets?filters="+filter, "").want(t, 200); a.get("meta.total") != 1.0 || a.get("data.0.gaid") != gaid {
			t.Errorf("%s: the filter finds %s", d.name, a)
		}
		// The asset can be changed as before, and exports contain everything but the file.
		s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"creator":"Ada"}`).want(t, 200)
		op := s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":["`+gaid+`"]}}`)
		s.ended(t, op)
		want := "file_damaged"
		if d.gone {
			want = "file_missing"
		}
		if a := s.do(t, "GET", op+"/items", "").want(t, 200); a.get("data.0.error.code") != want {
			t.Errorf("%s: %s", d.name, a)
		}
		// Existing renditions came from the intact file; new ones cannot be created.
		s.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=thumbnail", "").want(t, 200)
		must(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
		s.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=thumbnail", "").want(t, 409)

		f := s.ingest(t, upload{"again.jpg", data})[0]
		if f["status"] != "duplicate" || f["gaid"] != gaid {
			t.Errorf("%s: uploaded again: %v", d.name, f)
		}
		if a := s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200); !bytes.Equal(a.body, data) {
			t.Errorf("%s: healed to %d other bytes", d.name, len(a.body))
		}
		s.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=thumbnail", "").want(t, 200)
		if got := s.status(t, gaid); got != "ready" {
			t.Errorf("%s: the healed asset is %v", d.name, got)
		}
		kept, err := filepath.Glob(filepath.Join(s.dir, "blobs", "damaged", filepath.Base(path)+".*"))
		if err != nil || (len(kept) == 0) != d.gone {
			t.Errorf("%s: kept aside: %v, %v", d.name, kept, err)
		}
		must(t, os.RemoveAll(path+".moved"))
	}
	if b, err := os.ReadFile(secret); err != nil || len(b) == 0 {
		t.Errorf("what a link led to: %d bytes, %v", len(b), err)
	}
	if p := s.check(t); len(p) > 0 {
		t.Errorf("in the end: %q", p)
	}
}

// An upload also replaces bytes that were flipped without being detected, and the
// renditions made of them.
func TestUnknownDamageHeals(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(1, 64, 48)
	gaid := s.one(t, "a.jpg", data)
	rewrite(t, s.blobOf(t, gaid), flipped(data))
	must(t, os.RemoveAll(filepath.Join(s.dir, "cache")))
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=thumbnail", "")
	if f := s.ingest(t, upload{"b.jpg", data}, upload{"c.jpg", data}); f[0]["status"] != "duplicate" || f[1]["gaid"] != gaid {
		t.Errorf("%v", f)
	}
	if a := s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200); !bytes.Equal(a.body, data) {
		t.Error("not healed")
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "cache", "*", "*", "*")); len(left) > 0 {
		t.Errorf("made of other bytes: %v", left)
	}
	if p := s.check(t); len(p) > 0 {
		t.Errorf("%q", p)
	}
}

// A symlinked folder on the path to a file is not followed.
func TestDamagedFolder(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(1, 64, 48)
	gaid := s.one(t, "a.jpg", data)
	dir := filepath.Dir(filepath.Dir(s.blobOf(t, gaid)))
	away := filepath.Join(t.TempDir(), "away")
	must(t, os.Rename(dir, away))
	must(t, os.Symlink(away, dir))
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 409)
	// An upload repairs it, and does not touch the target of the link.
	s.ingest(t, upload{"a.jpg", data})
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
	if files, err := filepath.Glob(filepath.Join(away, "*", "*")); err != nil || len(files) != 1 {
		t.Errorf("where the link leads: %v, %v", files, err)
	}
	must(t, os.RemoveAll(dir))
	must(t, os.Symlink(away, dir))
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 409)
	// Once the folder is moved back, its file is verified and served again.
	must(t, os.Remove(dir))
	must(t, os.Rename(away, dir))
	s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
	if got := s.status(t, gaid); got != "ready" {
		t.Errorf("it is %v", got)
	}
}

// Renditions damaged by a crash or by hand are rebuilt.
func TestBrokenRenditions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 64, 48))
	path := "/api/v1/assets/" + gaid + "/download?rendition=thumbnail"
	good := s.do(t, "GET", path, "").want(t, 200).body
	files, err := filepath.Glob(filepath.Join(s.dir, "cache", "*", "*", "*-thumbnail-*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	for name, breakIt := range map[string]func(){
		"empty":  func() { must(t, os.WriteFile(files[0], nil, 0o600)) },
		"cut":    func() { must(t, os.WriteFile(files[0], good[:len(good)/2], 0o600)) },
		"zeros":  func() { must(t, os.WriteFile(files[0], make([]byte, len(good)), 0o600)) },
		"a link": func() { must(t, os.Symlink("/etc/passwd", files[0])) },
		"a pipe": func() { mkfifo(t, files[0]) },
	} {
		must(t, os.Remove(files[0]))
		breakIt()
		if a := s.do(t, "GET", path, "").want(t, 200); !bytes.Equal(a.body, good) {
			t.Errorf("%s: %d bytes", name, len(a.body))
		}
	}
	must(t, os.WriteFile(files[0], good[:len(good)-9], 0o600))
	if p := s.check(t); len(p) != 1 || !strings.Contains(p[0], "cut off") {
		t.Errorf("%q", p)
	}
	s.repair(t, 0, "removed; it is made again")
	if a := s.do(t, "GET", path, "").want(t, 200); !bytes.Equal(a.body, good) {
		t.Errorf("%d bytes", len(a.body))
	}
}

// Exports are not read through a link.
func TestDamagedExport(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.one(t, "a.jpg", picture(1, 64, 48))
	op := s.operate(t, `{"type":"export","format":"csv","selection":{"filters":`+every+`}}`)
	s.ended(t, op)
	path := filepath.Join(s.dir, "exports", "1.csv")
	must(t, os.Remove(path))
	must(t, os.Symlink("/etc/passwd", path))
	s.do(t, "GET", op+"/download", "").want(t, 410)
}

// An import repairs files that are known to be damaged or incomplete.
func TestImportHeals(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	dir := t.TempDir()
	var gaids []string
	for i := range 4 {
		data := picture(i+1, 64, 48)
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".jpg")), data, 0o600))
		gaids = append(gaids, s.one(t, "x.jpg", data))
	}
	must(t, os.Remove(s.blobOf(t, gaids[0])))
	rewrite(t, s.blobOf(t, gaids[1]), []byte("short"))
	rewrite(t, s.blobOf(t, gaids[2]), flipped(picture(3, 64, 48)))
	if p := s.check(t); len(p) != 3 {
		t.Fatalf("%q", p)
	}
	u, err := s.app.Accounts.UserByEmail(t.Context(), "ada@example.com")
	must(t, err)
	sum, err := s.app.Importer.Import(t.Context(), dam.Actor{User: u}, dir, bulk.ImportOptions{
		Problem: func(path, why string) { t.Error(path, why) }, Progress: func(bulk.ImportProgress) {}})
	if err != nil || sum.Present != 4 || sum.Ready != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if p := s.check(t); len(p) > 0 {
		t.Errorf("%q", p)
	}
}

// A file that is damaged while queued fails with a clear message and can be retried once it
// is intact.
func TestDamagedWhileWaiting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := picture(1, 64, 48)
	var batch, file any
	t.Run("upload", func(t *testing.T) {
		s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir; c.Clamd = "unix:" + filepath.Join(dir, "nobody") })
		batch = s.batch(t, `{}`)
		a := s.push(t, batch, upload{"a.jpg", data}).want(t, 201)
		file = a.get("data.0.id")
	})
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "sha256", "*", "*", "*"))
	if err != nil || len(blobs) != 1 {
		t.Fatal(blobs, err)
	}
	rewrite(t, blobs[0], data[:50])
	s := run(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
	s.token = s.user(t, "eve@example.com", dam.RoleAdmin)
	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	s.until(t, path, func(a answer) bool { return a.get("data.counts.failed") == 1.0 })
	a := s.do(t, "GET", path+"/files", "")
	if a.get("data.0.error.message") != "The file is damaged on the server: upload it again." ||
		a.get("data.0.error.retryable") != true {
		t.Errorf("%s", a)
	}
	must(t, os.WriteFile(filepath.Join(dir, "good.jpg"), data, 0o600))
	s.repair(t, 0, "mended with", dir)
	s.do(t, "POST", fmt.Sprintf("%s/files/%v/retry", path, file), "").want(t, 200)
	s.until(t, path, func(a answer) bool { return a.get("data.counts.ready") == 1.0 })
}

// repair runs a repair and checks the number of remaining problems and for a word in its
// report.
func (s *server) repair(t testing.TB, left int, word string, from ...string) {
	t.Helper()
	var told []string
	tell := func(what string) { told = append(told, what) }
	r, err := s.app.Maintenance.Repair(context.Background(), maintain.RepairOptions{Full: true, From: from}, tell, func(int64, int64) {})
	if err != nil || r.Problems != left || !strings.Contains(strings.Join(told, "\n"), word) {
		t.Errorf("repaired: %d problems left, %v:\n%s", r.Problems, err, strings.Join(told, "\n"))
	}
}

// Repair restores damaged files from copies elsewhere.
func TestRepair(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var data [][]byte
	var gaids, paths []string
	for i := range 5 {
		data = append(data, picture(i+1, 64, 48))
		gaids = append(gaids, s.one(t, "x.jpg", data[i]))
		paths = append(paths, s.blobOf(t, gaids[i]))
	}
	lost := filepath.Join(s.dir, "blobs", "lost")
	must(t, os.MkdirAll(lost, 0o700))
	damaged := filepath.Join(s.dir, "blobs", "damaged")
	must(t, os.MkdirAll(damaged, 0o700))
	from := filepath.Join(t.TempDir(), "backup", "deep")
	must(t, os.MkdirAll(from, 0o700))
	must(t, os.Rename(paths[0], filepath.Join(lost, filepath.Base(paths[0]))))
	must(t, os.Rename(paths[1], filepath.Join(damaged, filepath.Base(paths[1])+".20260101T000000.000000000")))
	must(t, os.WriteFile(filepath.Join(from, "whatever"), data[2], 0o600))
	must(t, os.WriteFile(filepath.Join(from, "as long"), flipped(data[2]), 0o600))
	must(t, os.Symlink("/etc/passwd", filepath.Join(from, "link")))
	rewrite(t, paths[2], flipped(data[2]))
	must(t, os.Remove(paths[3])) // without a copy anywhere
	must(t, os.Chmod(paths[4], 0o644))
	dead := filepath.Join(s.dir, "blobs", "tmp", "123456789")
	must(t, os.MkdirAll(dead, 0o700))
	must(t, os.WriteFile(filepath.Join(dead, "987654321"), nil, 0o600))

	s.repair(t, 1, "blob "+filepath.Base(paths[3])+": not mended", filepath.Dir(from))
	for i := range 5 {
		if want := map[bool]any{true: "damaged", false: "ready"}[i == 3]; s.status(t, gaids[i]) != want {
			t.Errorf("%d is %v", i, s.status(t, gaids[i]))
		}
	}
	if info, err := os.Stat(paths[4]); err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("what a dead process left is there")
	}
	must(t, os.WriteFile(filepath.Join(from, "found"), data[3], 0o600))
	s.repair(t, 0, "mended with", from)
	if p := s.check(t); len(p) > 0 {
		t.Errorf("%q", p)
	}
	for i, gaid := range gaids {
		a := s.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
		if !bytes.Equal(a.body, data[i]) {
			t.Errorf("%d: %d other bytes", i, len(a.body))
		}
	}
	s.repair(t, 0, "")
}

// Replaced damaged files are kept for 30 days, and longer while the replacement is damaged
// too.
func TestDamagedKeep(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(1, 64, 48)
	gaid := s.one(t, "a.jpg", data)
	path := s.blobOf(t, gaid)
	dir := filepath.Join(s.dir, "blobs", "damaged")
	must(t, os.MkdirAll(dir, 0o700))
	old := filepath.Join(dir, filepath.Base(path)+".20200101T000000.000000000")
	must(t, os.WriteFile(old, []byte("x"), 0o600))
	rewrite(t, path, flipped(data))
	s.check(t)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if _, err := os.Stat(old); err != nil {
		t.Errorf("gone while it may be all there is: %v", err)
	}
	s.ingest(t, upload{"a.jpg", data})
	must(t, s.app.Maintenance.Tidy(t.Context()))
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() == filepath.Base(old) {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Files that are being deleted permanently are neither reported nor kept.
func TestCheckBesideDeletion(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.pictures(t, 80)
	quick := func(what string, check func(tell func(string)) (maintain.CheckReport, error)) {
		if r, err := check(func(p string) { t.Error(what, p) }); err != nil || len(r.Lost) > 0 {
			t.Error(what, r.Lost, err)
		}
	}
	deleted := make(chan struct{})
	go func() {
		defer close(deleted)
		for _, gaid := range gaids {
			s.do(t, "DELETE", "/api/v1/assets/"+gaid+"?force=true", "")
		}
	}()
	nothing := func(int64, int64) {}
	for done := false; !done; {
		select {
		case <-deleted:
			done = true
		default:
		}
		quick("check:", func(tell func(string)) (maintain.CheckReport, error) {
			return s.app.Maintenance.Check(t.Context(), false, tell, nothing)
		})
		quick("repair:", func(tell func(string)) (maintain.CheckReport, error) {
			return s.app.Maintenance.Repair(t.Context(), maintain.RepairOptions{}, tell, nothing)
		})
	}
}
