package web_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/external"
)

// remove deletes a file of the folder.
func (p *placed) remove(t *testing.T, name string) {
	t.Helper()
	must(t, os.Remove(filepath.Join(p.dir, filepath.FromSlash(name))))
}

// rewrite replaces the bytes of a file in the folder and advances its mtime by half an
// hour.
func (p *placed) rewrite(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.WriteFile(path, data, 0o644))
	later := info.ModTime().Add(time.Minute)
	must(t, os.Chtimes(path, later, later))
}

// shown returns the title, the rating and the headline of an asset, its sidecars, and the
// ones in effect.
func (p *placed) shown(t *testing.T, gaid string) string {
	t.Helper()
	a := p.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200)
	return fmt.Sprint(a.get("data.title"), " ", a.get("data.rating"), " ", a.get("data.metadata.headline"), " ",
		column(a, "data.parts", "filename"), " ", a.get("data.technical.sidecars"))
}

// problems lists the files of the external library that could not be imported, with
// reasons.
func (p *placed) problems(t *testing.T) (list []string) {
	t.Helper()
	roots, err := p.app.External.List(t.Context(), p.actor)
	must(t, err)
	must(t, p.app.External.EachRootProblem(t.Context(), p.actor, roots[0].ID, func(path, why string) { list = append(list, path+": "+why) }))
	return list
}

func rated(title string, rating int, headline string) []byte {
	return sidecarOf(fmt.Sprintf(`xmp:Rating="%d" photoshop:Headline="%s"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li>`+
		`</rdf:Alt></dc:title>`, rating, headline, title))
}

const counts = "[map[applied:true filename:"

// A sidecar in an external library takes effect at the first import, when it is added
// later, when it changes and when it is deleted; values written by users are kept, and no
// file is changed.
func TestSidecarsInPlace(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.define(t, `{"key":"headline","label":"Headline","type":"text","xmp_path":"photoshop:Headline"}`)
	p.write(t, "a/one.jpg", picture(1, 40, 30))
	p.write(t, "a/one.jpg.xmp", rated("First", 3, "Boats"))
	p.write(t, "a/two.jpg", picture(2, 40, 30))
	p.write(t, "a/early.xmp", titled("Early"))
	p.scan(t, external.InPlaceOptions{})
	one, two := p.at(t, "Photos/a")["one.jpg"], p.at(t, "Photos/a")["two.jpg"]
	if got := p.shown(t, one); got != "First 3 Boats [one.jpg.xmp] "+counts+"one.jpg.xmp]]" {
		t.Error(got)
	}
	if got := p.shown(t, two); got != "two <nil> <nil> [] <nil>" {
		t.Error(got)
	}
	before := manifest(t, p.dir)

	// Later sidecars, one of them for a file that is added afterwards.
	p.write(t, "a/TWO.XMP", titled("Second"))
	p.write(t, "a/early.jpg", picture(3, 40, 30))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, two); got != "Second <nil> <nil> [TWO.XMP] "+counts+"TWO.XMP]]" {
		t.Error(got)
	}
	if got := p.shown(t, p.at(t, "Photos/a")["early.jpg"]); !strings.HasPrefix(got, "Early ") {
		t.Error(got)
	}

	// A scan that finds nothing new changes nothing.
	events, version := p.countEvents(t), p.do(t, "GET", "/api/v1/assets/"+one, "").get("data.version")
	p.scan(t, external.InPlaceOptions{})
	if after := p.countEvents(t); fmt.Sprint(after) != fmt.Sprint(events) {
		t.Errorf("events were sent: %v, before %v", after, events)
	}
	if got := p.do(t, "GET", "/api/v1/assets/"+one, "").get("data.version"); got != version {
		t.Errorf("version %v, before %v", got, version)
	}
	for path, was := range before {
		if now := manifest(t, p.dir)[path]; now != was && !strings.HasSuffix(path, "/a") {
			t.Errorf("%s was changed: %s, before %s", path, now, was)
		}
	}

	// Changes are applied, except to values written by users.
	p.do(t, "PUT", "/api/v1/assets/"+one, `{"title":"Mine"}`).want(t, 200)
	p.rewrite(t, "a/one.jpg.xmp", rated("Changed", 5, "Ships"))
	p.rewrite(t, "a/TWO.XMP", titled("Changed"))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, one); got != "Mine 5 Ships [one.jpg.xmp] "+counts+"one.jpg.xmp]]" {
		t.Error(got)
	}
	told := fmt.Sprint(p.do(t, "GET", "/api/v1/assets/"+one, "").get("data.technical.conflicts"))
	if !strings.Contains(told, "chosen:library field:title sources:[map[source:sidecar value:Changed]]") {
		t.Error(told)
	}
	if got := p.shown(t, two); !strings.HasPrefix(got, "Changed ") {
		t.Error(got)
	}
	part := p.do(t, "GET", "/api/v1/assets/"+one, "").get("data.parts.0.id")
	if got := p.do(t, "GET", fmt.Sprintf("/api/v1/assets/%s/parts/%v/download", one, part), "").want(t, 200); !strings.Contains(
		string(got.body), "Changed") {
		t.Error("the copy is not that of the sidecar")
	}

	// A part with the bytes of a library file can be deleted only with that file.
	p.do(t, "DELETE", fmt.Sprintf("/api/v1/assets/%s/parts/%v", one, part), "").want(t, 409)
	if f := p.ingest(t, upload{"one.jpg.xmp", titled("Uploaded")})[0]; f["status"] != "rejected" {
		t.Error(f)
	}

	// Deleting it removes its values, but not those written by users.
	p.remove(t, "a/one.jpg.xmp")
	p.remove(t, "a/TWO.XMP")
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, one); got != "Mine <nil> <nil> [] <nil>" {
		t.Error(got)
	}
	if got := p.shown(t, two); got != "two <nil> <nil> [] <nil>" {
		t.Error(got)
	}
	if n := p.count(t, `SELECT count(*) FROM blobs WHERE in_place = 0`); n != 1 {
		t.Errorf("%d copies, want that of early.xmp", n)
	}
	if problems := p.check(t); len(problems) > 0 {
		t.Error(problems)
	}
}

// A damaged sidecar is reported, and the values of its previous version are kept until it
// is repaired.
func TestDamagedSidecarInPlace(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "a.jpg", picture(1, 40, 30))
	p.write(t, "a.xmp", titled("Whole"))
	p.write(t, "b.jpg", picture(2, 40, 30))
	p.write(t, "b.xmp", []byte("no XMP"))
	p.write(t, "c.jpg", picture(3, 40, 30))
	p.write(t, "c.xmp", make([]byte, 5<<20))
	p.write(t, "d.jpg", picture(4, 40, 30))
	p.write(t, "d.xmp", nil)
	p.scan(t, external.InPlaceOptions{})
	gaids := p.at(t, "Photos")
	if got := fmt.Sprint(p.problems(t)); strings.Count(got, "no XMP") != 2 || !strings.Contains(got, "c.xmp: A sidecar has up to 4 MiB.") {
		t.Error(got)
	}
	p.rewrite(t, "a.xmp", []byte("cut"))
	p.rewrite(t, "b.xmp", titled("Mended"))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, gaids["a.jpg"]); got != "Whole <nil> <nil> [a.xmp] "+counts+"a.xmp]]" {
		t.Error(got)
	}
	if got := p.shown(t, gaids["b.jpg"]); !strings.HasPrefix(got, "Mended ") {
		t.Error(got)
	}
	if got := fmt.Sprint(p.problems(t)); !strings.Contains(got, "a.xmp: ") || strings.Contains(got, "b.xmp: ") {
		t.Error(got)
	}
	p.rewrite(t, "a.xmp", titled("Again"))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, gaids["a.jpg"]); !strings.HasPrefix(got, "Again ") {
		t.Error(got)
	}
}

// The match of sidecars and files does not depend on their order, and follows files that
// are moved, changed or added.
func TestSidecarsInPlaceFollowFiles(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "a/x.jpg", picture(1, 40, 30))
	p.write(t, "a/x.xmp", titled("Loose"))
	p.write(t, "a/x.jpg.xmp", titled("Exact"))
	p.write(t, "a/y.jpg", picture(2, 40, 30))
	p.write(t, "a/y.xmp", titled("Why"))
	p.scan(t, external.InPlaceOptions{})
	x, y := p.at(t, "Photos/a")["x.jpg"], p.at(t, "Photos/a")["y.jpg"]
	both := "[map[applied:true filename:x.jpg.xmp] map[applied:false filename:x.xmp]]"
	if got := p.shown(t, x); !strings.HasPrefix(got, "Exact ") || !strings.HasSuffix(got, both) {
		t.Error(got)
	}

	// Moved with its sidecars, and without.
	p.move(t, "a/x.jpg", "b/z.jpg")
	p.move(t, "a/x.jpg.xmp", "b/z.jpg.xmp")
	p.move(t, "a/y.jpg", "b/y.jpg")
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, x); got != "Exact <nil> <nil> [z.jpg.xmp] "+counts+"z.jpg.xmp]]" {
		t.Error(got)
	}
	if got := p.shown(t, y); got != "y <nil> <nil> [] <nil>" {
		t.Error(got)
	}
	p.move(t, "a/y.xmp", "b/y.xmp")
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, y); !strings.HasPrefix(got, "Why ") {
		t.Error(got)
	}

	// With a second file of that name, the match is ambiguous.
	p.write(t, "b/y.png", pngOf(30, 20))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, y); got != "y <nil> <nil> [] <nil>" {
		t.Error(got)
	}
	p.remove(t, "b/y.png")
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, y); !strings.HasPrefix(got, "Why ") {
		t.Error(got)
	}

	// After a change of the file, its sidecar still applies.
	p.rewrite(t, "b/y.jpg", picture(9, 70, 30))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, y); got != "Why <nil> <nil> [y.xmp] "+counts+"y.xmp]]" {
		t.Error(got)
	}

	// For a copy with its own sidecar, the sidecar of the displayed file applies.
	p.write(t, "c/copy.jpg", picture(9, 70, 30))
	p.write(t, "c/copy.xmp", titled("Copy"))
	p.scan(t, external.InPlaceOptions{})
	if got := p.shown(t, y); !strings.HasPrefix(got, "Why ") {
		t.Error(got)
	}

	// The asset is deleted permanently and imported again.
	p.do(t, "DELETE", "/api/v1/assets/"+x+"?force=true", "").want(t, 200)
	p.scan(t, external.InPlaceOptions{Again: true})
	if got := p.shown(t, p.at(t, "Photos/b")["z.jpg"]); !strings.HasPrefix(got, "Exact ") {
		t.Error(got)
	}
	if problems := p.check(t); fmt.Sprint(problems) != "[file in place Photos/b/y.png: it is missing]" {
		t.Error(problems)
	}
}

// While the folder is unavailable, sidecars are not considered deleted; a running server
// detects changes to sidecars.
func TestSidecarsInPlaceAreFollowed(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "a.jpg", picture(1, 40, 30))
	p.write(t, "a.xmp", titled("First"))
	p.scan(t, external.InPlaceOptions{})
	gaid := p.at(t, "Photos")["a.jpg"]
	away := p.dir + " away"
	must(t, os.Rename(p.dir, away))
	p.do(t, "POST", "/api/v1/roots/1/scan", "").want(t, 200)
	p.until(t, "/api/v1/roots/1", func(a answer) bool { return a.get("data.state") == "offline" })
	if got := p.shown(t, gaid); !strings.HasPrefix(got, "First ") {
		t.Error(got)
	}
	must(t, os.WriteFile(filepath.Join(away, "a.xmp"), titled("While it was away"), 0o644))
	must(t, os.Rename(away, p.dir))
	title := func(want string) {
		t.Helper()
		p.until(t, "/api/v1/assets/"+gaid, func(a answer) bool { return a.get("data.title") == want })
	}
	title("While it was away")
	p.rewrite(t, "a.xmp", titled("Once more"))
	title("Once more")
	p.remove(t, "a.xmp")
	title("a")
	p.write(t, "a.jpg.xmp", titled("New"))
	title("New")
}

// Filters match the values of sidecars in external libraries.
func TestSidecarsInPlaceAreFound(t *testing.T) {
	t.Parallel()
	p := inPlace(t, nil)
	p.write(t, "a.jpg", picture(1, 40, 30))
	p.write(t, "a.xmp", rated("Lighthouse", 4, ""))
	p.scan(t, external.InPlaceOptions{})
	p.until(t, "/api/v1/assets?q="+url.QueryEscape("lighthouse"), func(a answer) bool { return a.get("meta.total") == 1.0 })
	if n := p.filterTotal(t, "asset.rating", "equals", `4`); n != 1.0 {
		t.Errorf("%v assets with 4 stars", n)
	}
}
