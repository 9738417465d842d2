package web_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/web"
)

// placed is a server with an external library.
type placed struct {
	*server
	dir   string // folder of the library
	actor dam.Actor
}

// inPlace starts a server with an empty external library named Photos.
func inPlace(t *testing.T, change func(*app.Config, *web.Options)) *placed {
	t.Helper()
	s := start(t, func(c *app.Config, o *web.Options) {
		noMeaning(c, o)
		if change != nil {
			change(c, o)
		}
	})
	p := &placed{server: s, dir: filepath.Join(t.TempDir(), "Photos")}
	must(t, os.Mkdir(p.dir, 0o755))
	u, err := s.app.Accounts.UserByEmail(t.Context(), "ada@example.com")
	must(t, err)
	p.actor = dam.Actor{User: u}
	return p
}

// write writes a file whose mtime is an hour ago.
func (p *placed) write(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, data, 0o644))
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, os.Chtimes(path, old, old))
}

func (p *placed) move(t *testing.T, from, to string) {
	t.Helper()
	to = filepath.Join(p.dir, filepath.FromSlash(to))
	must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	must(t, os.Rename(filepath.Join(p.dir, filepath.FromSlash(from)), to))
}

// scan scans the folder and waits until its files are processed.
func (p *placed) scan(t *testing.T, opt external.InPlaceOptions) external.InPlaceResult {
	t.Helper()
	opt.Waiting = func(int) error { return nil }
	res, err := p.app.External.Import(t.Context(), p.actor, p.dir, opt)
	must(t, err)
	return res
}

// at returns the assets of a folder by file name.
func (p *placed) at(t *testing.T, folder string) map[string]string {
	t.Helper()
	filters := url.QueryEscape(rule("asset.folder", "equals", jsonString(folder)))
	a := p.do(t, "GET", "/api/v1/assets?per_page=100&filters="+filters, "").want(t, 200)
	names, gaids := column(a, "data", "original_filename"), column(a, "data", "gaid")
	list := map[string]string{}
	for i, name := range names {
		list[name.(string)] = gaids[i].(string)
	}
	return list
}

// manifest returns the bytes, the mode and the times of everything in a folder.
func manifest(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := [32]byte{}
		read := ""
		if info.Mode().IsRegular() {
			data, err := readQuietly(path)
			if err != nil {
				return err
			}
			sum, read = sha256.Sum256(data), accessed(info)
		}
		list[path] = fmt.Sprintf("%x %d %v %v %s", sum, info.Size(), info.Mode(), info.ModTime().UnixNano(), read)
		return nil
	}))
	return list
}

// Files in an external library are ordinary assets: found, displayed, filtered and
// downloaded, and never copied, changed or deleted.
func TestFilesInPlace(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	harbour, dawn := picture(1, 40, 30), picture(2, 30, 40)
	p.write(t, "harbour.jpg", harbour)
	p.write(t, "2024/Trip/dawn.jpg", dawn)
	p.write(t, "2024/copy of harbour.jpg", harbour)
	p.write(t, "2024/run.sh", []byte("#!/bin/sh\n")) // programs are rejected
	p.write(t, "2024/.hidden.jpg", picture(3, 9, 9))
	must(t, os.Symlink("/etc/hostname", filepath.Join(p.dir, "link.jpg")))
	must(t, os.Symlink(p.dir, filepath.Join(p.dir, "2024", "loop")))
	before := manifest(t, p.dir)

	if dry := p.scan(t, external.InPlaceOptions{DryRun: true}); dry.New != 4 {
		t.Errorf("a dry run counts %d new files, want 4", dry.New)
	}
	p.total(t, p.token, "/api/v1/roots", 0)
	res := p.scan(t, external.InPlaceOptions{})
	if c := res.Root.Counts; c.Present != 3 || c.Problems != 1 || c.Missing != 0 {
		t.Errorf("the root has %+v, want 3 files and 1 problem", c)
	}
	p.total(t, p.token, "/api/v1/assets", 2)
	a := p.do(t, "GET", "/api/v1/assets/"+p.at(t, "Photos/2024/Trip")["dawn.jpg"], "").want(t, 200)
	for member, want := range map[string]any{
		"folder": "Photos/2024/Trip", "availability": "available", "root_id": 1.0, "original_filename": "dawn.jpg",
	} {
		if got := a.get("data." + member); got != want {
			t.Errorf("%s is %v, want %v", member, got, want)
		}
	}
	gaid := a.get("data.gaid").(string)
	if got := p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200); !bytes.Equal(got.body, dawn) {
		t.Error("the original is another one")
	}
	p.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=preview", "").want(t, 200)
	if n := p.count(t, `SELECT count(*) FROM blobs WHERE in_place = 0`); n != 0 {
		t.Errorf("%d files were copied", n)
	}
	facets := p.do(t, "GET", "/api/v1/assets?facets=folder,availability", "").want(t, 200)
	if got := column(facets, "meta.facets.folder", "value"); len(got) != 2 {
		t.Errorf("the folders of the files are counted as %v", got)
	}
	for value, want := range map[string]float64{
		`"Photos/"`: 2, `"Photos/2024/"`: 1, `"Photos/2024/Trip/"`: 1, `"Photos/20"`: 1, `"Photos/2024/Tr/"`: 0,
	} {
		if n := p.filterTotal(t, "asset.folder", "starts_with", value); n != want {
			t.Errorf("%v assets are in folders that start with %s, want %v", n, value, want)
		}
	}
	folders := p.do(t, "GET", "/api/v1/folders", "").want(t, 200)
	folders.shows(t, "data", "path", "Photos")
	if got := folders.get("data.0.assets_count"); got != 2.0 {
		t.Errorf("the root has %v assets, want 2", got)
	}
	p.do(t, "GET", "/api/v1/folders?path=Photos", "").want(t, 200).shows(t, "data", "path", "Photos/2024")
	p.do(t, "GET", "/api/v1/folders?path=Photos/2024", "").want(t, 200).shows(t, "data", "name", "Trip")

	// Nothing modifies the files: no change, no deletion, no export, no scan.
	p.do(t, "PUT", "/api/v1/assets/"+gaid, `{"title":"Dawn","keywords":["sea"]}`).want(t, 200)
	p.do(t, "GET", "/api/v1/assets/"+gaid+"/download?embed_metadata=1", "").want(t, 200)
	p.scan(t, external.InPlaceOptions{Again: true})
	p.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	p.scan(t, external.InPlaceOptions{})
	p.total(t, p.token, "/api/v1/assets", 1)
	p.do(t, "DELETE", "/api/v1/assets/"+gaid+"?force=true", "").want(t, 200)
	p.scan(t, external.InPlaceOptions{})
	p.total(t, p.token, "/api/v1/assets?trashed=with", 1)
	if problems := p.check(t); len(problems) > 0 {
		t.Error(problems)
	}
	after := manifest(t, p.dir)
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s was changed: %s, before %s", path, after[path], was)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}

	if p.scan(t, external.InPlaceOptions{Again: true}); len(p.at(t, "Photos/2024/Trip")) != 1 {
		t.Error("the file whose asset was deleted is not taken again")
	}
}

// A moved file keeps its asset, a changed one remains the same asset with other content,
// and a deleted one is missing until it is restored.
func TestFilesInPlaceChange(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	for i := range 4 {
		p.write(t, fmt.Sprintf("a/%d.jpg", i), picture(i+1, 20, 20))
	}
	p.scan(t, external.InPlaceOptions{})
	was := p.at(t, "Photos/a")
	p.do(t, "PUT", "/api/v1/assets/"+was["0.jpg"], `{"title":"Zero","rating":5}`).want(t, 200)
	events := p.countEvents(t)

	p.move(t, "a/0.jpg", "b/renamed.jpg")
	p.write(t, "a/1.jpg", picture(77, 50, 20))
	must(t, os.Remove(filepath.Join(p.dir, "a", "2.jpg")))
	res := p.scan(t, external.InPlaceOptions{})
	if res.New != 1 || res.Linked != 1 || res.Gone != 2 || res.Same != 1 {
		t.Errorf("the scan found %+v", res.PlaceProgress)
	}
	p.total(t, p.token, "/api/v1/assets", 4)
	if got := p.at(t, "Photos/b")["renamed.jpg"]; got != was["0.jpg"] {
		t.Errorf("the file that moved is %s, want %s", got, was["0.jpg"])
	}
	changed := p.do(t, "GET", "/api/v1/assets/"+was["1.jpg"], "").want(t, 200)
	if changed.get("data.width") != 50.0 || changed.get("data.availability") != "available" {
		t.Errorf("the file that has changed is %v wide and %v", changed.get("data.width"), changed.get("data.availability"))
	}
	if got := p.do(t, "GET", "/api/v1/assets/"+was["1.jpg"]+"/download", "").want(t, 200); !bytes.Equal(got.body, picture(77, 50, 20)) {
		t.Error("the file that has changed is served as it was")
	}
	missing := "/api/v1/assets/" + was["2.jpg"]
	if got := p.do(t, "GET", missing, "").want(t, 200).get("data.availability"); got != "missing" {
		t.Errorf("the file that is gone is %v", got)
	}
	p.do(t, "GET", missing+"/download", "").want(t, 409)
	p.do(t, "GET", missing+"/download?rendition=thumbnail", "").want(t, 200)
	if n := p.filterTotal(t, "asset.availability", "equals", `"missing"`); n != 1.0 {
		t.Errorf("%v assets are found as missing, want 1", n)
	}
	for event, n := range p.countEvents(t) {
		kind, _, _ := strings.Cut(event, " ")
		if n -= events[event]; n != map[string]int{"asset.updated": 1, "upload.batch.completed": 1}[kind] && n != 0 {
			t.Errorf("%d times %s", n, event)
		}
	}

	p.write(t, "c/2 is back.jpg", picture(3, 20, 20))
	p.scan(t, external.InPlaceOptions{})
	if got := p.at(t, "Photos/c")["2 is back.jpg"]; got != was["2.jpg"] {
		t.Errorf("the file that is back is %s, want %s", got, was["2.jpg"])
	}
	p.do(t, "GET", missing+"/download", "").want(t, 200)
	p.total(t, p.token, "/api/v1/assets", 4)

	// If the original of an edited file is kept under another name, the edited file becomes a
	// new asset, and the existing asset keeps its content.
	p.move(t, "a/3.jpg", "a/3 original.jpg")
	p.write(t, "a/3.jpg", picture(99, 60, 20))
	p.scan(t, external.InPlaceOptions{})
	now := p.at(t, "Photos/a")
	if now["3 original.jpg"] != was["3.jpg"] || now["3.jpg"] == was["3.jpg"] || now["3.jpg"] == "" {
		t.Errorf("after an edit with a backup: %v, before %v", now, was)
	}
}

// While the folder is unavailable, its assets are offline, and nothing else changes.
func TestFilesInPlaceOffline(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	for i := range 3 {
		p.write(t, fmt.Sprintf("%d.jpg", i), picture(i+1, 20, 20))
	}
	p.scan(t, external.InPlaceOptions{})
	gaid := p.at(t, "Photos")["0.jpg"]
	before, events := manifest(t, p.dir), p.countEvents(t)
	away := p.dir + " away"

	must(t, os.Rename(p.dir, away))
	offline := func(when string) {
		t.Helper()
		p.do(t, "POST", "/api/v1/roots/1/scan", "").want(t, 200)
		p.until(t, "/api/v1/roots/1", func(a answer) bool { return a.get("data.state") == "offline" && a.get("data.note") != nil })
		if n := p.filterTotal(t, "asset.availability", "equals", `"offline"`); n != 3.0 {
			t.Errorf("%s, %v assets are offline, want 3", when, n)
		}
		p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 409)
		p.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=preview", "").want(t, 200)
	}
	offline("without the folder")
	must(t, os.Mkdir(p.dir, 0o755))
	offline("with an empty mount point")
	must(t, os.WriteFile(filepath.Join(p.dir, "other.jpg"), picture(50, 9, 9), 0o644))
	offline("with another folder")
	must(t, os.RemoveAll(p.dir))
	must(t, os.Rename(away, p.dir))
	p.until(t, "/api/v1/roots/1", func(a answer) bool { return a.get("data.state") == "online" })
	if n := p.filterTotal(t, "asset.availability", "equals", `"available"`); n != 3.0 {
		t.Errorf("%v assets are available again, want 3", n)
	}
	p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
	if after := p.countEvents(t); fmt.Sprint(after) != fmt.Sprint(events) {
		t.Errorf("events were sent: %v, before %v", after, events)
	}
	for path, now := range manifest(t, p.dir) {
		if before[path] != now {
			t.Errorf("%s was changed: %s, before %s", path, now, before[path])
		}
	}
	p.total(t, p.token, "/api/v1/assets?trashed=with", 3)
}

// A running server detects changes in the folder.
func TestFilesInPlaceAreFollowed(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "a/0.jpg", picture(1, 20, 20))
	p.scan(t, external.InPlaceOptions{})
	p.until(t, "/api/v1/roots/1", func(a answer) bool { return a.get("data.is_watched") == true })
	was := p.at(t, "Photos/a")["0.jpg"]
	p.write(t, "new/1.jpg", picture(2, 20, 20))
	p.move(t, "a/0.jpg", "moved.jpg")
	p.until(t, "/api/v1/assets/"+was, func(a answer) bool { return a.get("data.folder") == "Photos" })
	p.until(t, "/api/v1/assets", func(a answer) bool { return a.get("meta.total") == 2.0 })
	if got := p.at(t, "Photos/new"); len(got) != 1 {
		t.Errorf("the new folder has %v", got)
	}
}

// Valid folders of external libraries, the required permissions, and the assets of a
// library that is removed.
func TestRoots(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "sub/0.jpg", picture(1, 20, 20))
	p.scan(t, external.InPlaceOptions{Name: "Pictures", Collection: "Placed"})
	for _, dir := range []string{filepath.Join(p.dir, "sub"), filepath.Dir(p.dir), p.server.dir, filepath.Join(p.server.dir, "blobs"),
		filepath.Dir(p.server.dir), filepath.Join(p.dir, "sub", "0.jpg"), filepath.Join(p.dir, "none")} {
		opt := external.InPlaceOptions{Waiting: func(int) error { return nil }}
		if _, err := p.app.External.Import(t.Context(), p.actor, dir, opt); err == nil {
			t.Errorf("%s is a root", dir)
		}
	}
	viewer := p.user(t, "vic@example.com", dam.RoleViewer)
	if a := p.as(t, viewer, "GET", "/api/v1/roots", "").want(t, 200); a.get("data.0.path") != nil || a.get("data.0.name") != "Pictures" {
		t.Errorf("a viewer sees %s", a)
	}
	p.as(t, viewer, "POST", "/api/v1/roots/1/scan", "").want(t, 403)
	p.as(t, viewer, "DELETE", "/api/v1/roots/1?forget=true", "").want(t, 403)
	if a := p.do(t, "GET", "/api/v1/roots/1", "").want(t, 200); a.get("data.path") != p.dir || a.get("data.files") != 1.0 {
		t.Errorf("an admin sees %s", a)
	}
	p.do(t, "GET", "/api/v1/roots/2", "").want(t, 404)
	gaid := p.at(t, "Pictures/sub")["0.jpg"]

	// An upload of the same bytes stores them in the library too.
	p.write(t, "1.jpg", picture(2, 20, 20))
	p.scan(t, external.InPlaceOptions{})
	if f := p.ingest(t, upload{"again.jpg", picture(2, 20, 20)})[0]; f["status"] != "duplicate" {
		t.Errorf("an upload of a file in place is %v", f["status"])
	}
	p.do(t, "DELETE", "/api/v1/roots/1", "").want(t, 409)
	p.do(t, "DELETE", "/api/v1/roots/1?forget=true", "").want(t, 200)
	p.total(t, p.token, "/api/v1/roots", 0)
	p.total(t, p.token, "/api/v1/assets", 1) // the uploaded one
	if a := p.do(t, "GET", "/api/v1/assets", "").want(t, 200); a.get("data.0.folder") != nil || a.get("data.0.availability") != "available" {
		t.Errorf("the asset with bytes of its own is %s", a)
	}
	p.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 404)
	p.scan(t, external.InPlaceOptions{Again: true})
	a := p.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200)
	if a.get("data.availability") != "available" || a.get("data.folder") != "Photos/sub" {
		t.Errorf("the asset is back as %s", a)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "sub", "0.jpg")); err != nil {
		t.Error(err)
	}
}

// Removing an external library trashes only assets without another location. The cases: a
// folder with a new path, a file in two libraries, and one in the removed library only.
func TestForgetRootKeepsAssetsWithAnotherLocation(t *testing.T) {
	t.Parallel()
	p := inPlace(t, func(c *app.Config, _ *web.Options) { c.FollowPlaces = false })
	for i := range 3 {
		p.write(t, fmt.Sprintf("%d.jpg", i), picture(i+1, 20, 20))
	}
	p.scan(t, external.InPlaceOptions{})
	was, old := p.at(t, "Photos"), p.dir
	p.dir = filepath.Join(filepath.Dir(old), "Moved")
	must(t, os.Rename(old, p.dir))
	p.scan(t, external.InPlaceOptions{})
	if n, err := p.app.External.OnlyInRoot(t.Context(), p.actor, 1); err != nil || n != 0 {
		t.Errorf("%d assets are only in the old root: %v", n, err)
	}
	p.do(t, "DELETE", "/api/v1/roots/1", "").want(t, 200)
	p.total(t, p.token, "/api/v1/assets", 3)
	p.total(t, p.token, "/api/v1/assets?trashed=only", 0)
	now := p.at(t, "Moved")
	for name, gaid := range was {
		if now[name] != gaid {
			t.Errorf("%s is %s, before %s", name, now[name], gaid)
		}
		p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
	}

	// One of two files is in both libraries; a third is missing in both.
	p.dir = filepath.Join(filepath.Dir(old), "Other")
	must(t, os.Mkdir(p.dir, 0o755))
	p.write(t, "copy.jpg", picture(1, 20, 20))
	p.write(t, "own.jpg", picture(4, 20, 20))
	p.scan(t, external.InPlaceOptions{})
	answer := p.do(t, "DELETE", "/api/v1/roots/2", "").want(t, 409)
	if !strings.Contains(string(answer.body), ": 2.") {
		t.Errorf("the message does not have the number of the assets: %s", answer.body)
	}
	p.do(t, "DELETE", "/api/v1/roots/2?forget=true", "").want(t, 200)
	p.total(t, p.token, "/api/v1/assets", 2)
	p.total(t, p.token, "/api/v1/assets?trashed=only", 2)
	if got := p.at(t, "Other"); got["copy.jpg"] != was["0.jpg"] || got["own.jpg"] == "" {
		t.Errorf("the other root has %v", got)
	}
}
