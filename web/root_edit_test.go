package web_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/web"
)

// still disables watching, so that only scans find changes.
func still(c *app.Config, _ *web.Options) { c.FollowPlaces = false }

// described returns a JPEG with XMP properties.
func described(seed int, properties []byte) []byte {
	pic := picture(seed, 40, 30)
	return append(append(pic[:2:2], segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+string(properties))...), pic[2:]...)
}

// editKept replaces the bytes of a file in the folder and restores its mtime.
func (p *placed) editKept(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() != int64(len(data)) {
		t.Fatalf("%s has %d bytes, and would have %d", name, info.Size(), len(data))
	}
	must(t, os.WriteFile(path+".new", data, 0o644))
	must(t, os.Chtimes(path+".new", info.ModTime(), info.ModTime()))
	must(t, os.Rename(path+".new", path))
}

func etagOf(data []byte) string { return fmt.Sprintf(`"%x"`, sha256.Sum256(data)) }

// The next scan finds an edit that preserves size and mtime, and the new bytes are never
// served with the old ETag. A file that was only touched does not change.
func TestEditKeepingSizeAndTime(t *testing.T) {
	t.Parallel()
	p := inPlace(t, still)
	before, after := described(1, rated("One", 3, "Boats")), described(1, rated("One", 5, "Boats"))
	p.write(t, "a.jpg", before)
	p.write(t, "b.jpg", picture(2, 20, 20))
	p.write(t, "c.jpg", picture(3, 20, 20))
	p.write(t, "c.jpg.xmp", titled("First"))
	p.scan(t, external.InPlaceOptions{})
	at := p.at(t, "Photos")
	a, b := "/api/v1/assets/"+at["a.jpg"], "/api/v1/assets/"+at["b.jpg"]
	if got := p.do(t, "GET", a+"/download", "").want(t, 200); got.Header.Get("ETag") != etagOf(before) {
		t.Errorf("ETag %s", got.Header.Get("ETag"))
	}
	version := p.do(t, "GET", b, "").get("data.version")

	p.editKept(t, "a.jpg", after)
	p.editKept(t, "c.jpg.xmp", titled("Other"))
	must(t, os.Chmod(filepath.Join(p.dir, "b.jpg"), 0o640))
	for _, header := range []string{"", etagOf(before)} {
		if got := p.do(t, "GET", a+"/download", "", "If-None-Match", header).want(t, 409); got.Header.Get("ETag") != "" {
			t.Errorf("an error has the ETag %s", got.Header.Get("ETag"))
		}
	}
	p.do(t, "GET", b+"/download", "").want(t, 200)
	res := p.scan(t, external.InPlaceOptions{})
	if res.New != 1 {
		t.Errorf("the scan found %+v", res.PlaceProgress)
	}
	if got := p.do(t, "GET", a+"/download", "").want(t, 200); got.Header.Get("ETag") != etagOf(after) || !bytes.Equal(got.body, after) {
		t.Errorf("ETag %s, want %s", got.Header.Get("ETag"), etagOf(after))
	}
	if got := p.do(t, "GET", b, "").get("data.version"); got != version {
		t.Errorf("a file that was only touched has version %v, before %v", got, version)
	}
	if got := p.do(t, "GET", "/api/v1/assets/"+at["c.jpg"], "").get("data.title"); got != "Other" {
		t.Errorf("the title is %v, as the sidecar said before", got)
	}
	if res := p.scan(t, external.InPlaceOptions{}); res.Same != 3 || res.Sidecars != 1 {
		t.Errorf("a scan without changes found %+v", res.PlaceProgress)
	}
	if problems := p.check(t); len(problems) > 0 {
		t.Error(problems)
	}
}

// Where the system has no ctime, or dal did not store it yet, only reading the file finds
// such an edit: dal check names the command that does so and imports the file again.
func TestVerifyRoot(t *testing.T) {
	t.Parallel()
	p := inPlace(t, still)
	p.write(t, "a.jpg", described(1, rated("One", 3, "Boats")))
	p.write(t, "a.jpg.xmp", titled("First"))
	p.write(t, "b.jpg", picture(2, 20, 20))
	p.scan(t, external.InPlaceOptions{})
	after := described(1, rated("One", 5, "Boats"))
	p.editKept(t, "a.jpg", after)
	p.editKept(t, "a.jpg.xmp", titled("Other"))
	_, err := p.db(t).ExecContext(t.Context(), `UPDATE root_files SET stamp = ''`)
	must(t, err)
	if res := p.scan(t, external.InPlaceOptions{}); res.Same != 2 || res.Sidecars != 1 {
		t.Errorf("the scan found %+v", res.PlaceProgress)
	}
	if n := p.count(t, `SELECT count(*) FROM root_files WHERE stamp = ''`); n != 0 && stamps {
		t.Errorf("%d files have no stamp after a scan", n)
	}
	if got := fmt.Sprint(p.check(t)); !strings.Contains(got, `"dal root scan Photos --verify"`) {
		t.Error(got)
	}
	if res := p.scan(t, external.InPlaceOptions{Verify: true, DryRun: true}); res.New != 2 {
		t.Errorf("a dry run counts %+v", res.PlaceProgress)
	}
	if res := p.scan(t, external.InPlaceOptions{Verify: true}); res.New != 1 || res.Same != 1 {
		t.Errorf("the scan found %+v", res.PlaceProgress)
	}
	gaid := p.at(t, "Photos")["a.jpg"]
	if got := p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200); got.Header.Get("ETag") != etagOf(after) {
		t.Errorf("ETag %s", got.Header.Get("ETag"))
	}
	if got := p.shown(t, gaid); !strings.HasPrefix(got, "Other 5 ") {
		t.Error(got)
	}
	if problems := p.check(t); len(problems) > 0 {
		t.Error(problems)
	}
}

// Metadata that was not edited in dal follows a file edited by another program; values
// edited in dal are kept, and a sidecar still takes precedence over its file.
func TestMetadataFollowsFileInPlace(t *testing.T) {
	t.Parallel()
	p := inPlace(t, still)
	p.define(t, `{"key":"headline","label":"Headline","type":"text","xmp_path":"photoshop:Headline"}`)
	for _, name := range []string{"plain", "mine", "beside", "agreeing"} {
		p.write(t, name+".jpg", described(len(name), rated("Old", 3, "Boats")))
	}
	p.write(t, "beside.jpg.xmp", titled("Beside"))
	p.write(t, "agreeing.jpg.xmp", titled("Old"))
	p.scan(t, external.InPlaceOptions{})
	at := p.at(t, "Photos")
	p.do(t, "PUT", "/api/v1/assets/"+at["mine.jpg"], `{"title":"Mine","metadata":{"headline":"Own"}}`).want(t, 200)
	shows := func(when string, want map[string]string) {
		t.Helper()
		for name, want := range want {
			a := p.do(t, "GET", "/api/v1/assets/"+at[name+".jpg"], "").want(t, 200)
			got := fmt.Sprint(a.get("data.title"), " ", a.get("data.rating"), " ", a.get("data.metadata.headline"))
			if got != want {
				t.Errorf("%s, %s is %s, want %s", when, name, got, want)
			}
		}
	}
	shows("at first", map[string]string{"plain": "Old 3 Boats", "mine": "Mine 3 Own", "beside": "Beside 3 Boats", "agreeing": "Old 3 Boats"})
	for round, rating := range []int{5, 4} {
		for name := range at {
			p.rewrite(t, name, described(len(name)-4, rated(fmt.Sprint("New", round), rating, fmt.Sprint("Ships", round))))
		}
		p.scan(t, external.InPlaceOptions{})
		file := fmt.Sprintf("New%d %d Ships%d", round, rating, round)
		rest := strings.TrimPrefix(file, fmt.Sprintf("New%d ", round))
		shows("after an edit", map[string]string{"plain": file, "mine": fmt.Sprintf("Mine %d Own", rating),
			"beside": "Beside " + rest, "agreeing": "Old " + rest})
	}
	p.remove(t, "beside.jpg.xmp")
	p.remove(t, "agreeing.jpg.xmp")
	p.scan(t, external.InPlaceOptions{})
	shows("without sidecars", map[string]string{"beside": "New1 4 Ships1", "agreeing": "New1 4 Ships1"})

	// If a file loses its metadata, only values written by users remain.
	p.rewrite(t, "plain.jpg", picture(9, 40, 30))
	p.rewrite(t, "mine.jpg", picture(10, 40, 30))
	p.scan(t, external.InPlaceOptions{})
	shows("without metadata", map[string]string{"plain": "plain <nil> <nil>", "mine": "Mine <nil> Own"})
}
