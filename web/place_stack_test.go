package web_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/web"
)

// photoSet is a photo that consists of several files, with one sidecar for all of them.
type photoSet map[string][]byte

// photoFiles returns the files of a photo.
func photoFiles(t *testing.T) photoSet {
	t.Helper()
	shot := canon("2024:05:06 07:08:09")
	return photoSet{
		"IMG_1.CR2": shot.raw(1), "IMG_1.JPG": shot.jpeg(2), "IMG_1.MOV": movie(t, time.Date(2024, 5, 6, 5, 8, 8, 0, time.UTC)),
		"IMG_1.xmp": titled("Shared"),
	}
}

// stackOf summarizes the asset of a photo: its file, its parts by role, its title and its
// availability.
func (p *placed) stackOf(t *testing.T, gaid string) string {
	t.Helper()
	a := p.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200)
	var parts []string
	names := column(a, "data.parts", "filename")
	for i, role := range column(a, "data.parts", "role") {
		parts = append(parts, fmt.Sprint(role, ":", names[i]))
	}
	slices.Sort(parts)
	return fmt.Sprint(a.get("data.folder"), "/", a.get("data.original_filename"), " ", parts, " ", a.get("data.title"), " ",
		a.get("data.availability"))
}

// only returns the single asset of the library.
func (p *placed) only(t *testing.T) string {
	t.Helper()
	a := p.do(t, "GET", "/api/v1/assets", "").want(t, 200)
	if a.get("meta.total") != 1.0 {
		t.Fatalf("%v assets: %v", a.get("meta.total"), column(a, "data", "original_filename"))
	}
	return fmt.Sprint(a.get("data.0.gaid"))
}

// downloads checks that an asset's file and its parts can be downloaded.
func (p *placed) downloads(t *testing.T, gaid string, files photoSet) {
	t.Helper()
	path := "/api/v1/assets/" + gaid
	a := p.do(t, "GET", path, "").want(t, 200)
	name := fmt.Sprint(a.get("data.original_filename"))
	if got := p.do(t, "GET", path+"/download", "").want(t, 200); !bytes.Equal(got.body, files[name]) {
		t.Errorf("%s has %d bytes", name, len(got.body))
	}
	for _, part := range a.get("data.parts").([]any) {
		part := part.(map[string]any)
		got := p.do(t, "GET", fmt.Sprintf("%s/parts/%v/download", path, part["id"]), "").want(t, 200)
		if want := files[part["filename"].(string)]; !bytes.Equal(got.body, want) {
			t.Errorf("%s has %d bytes, want %d", part["filename"], len(got.body), len(want))
		}
	}
}

const wholePhoto = "IMG_1.JPG [raw:IMG_1.CR2 sidecar:IMG_1.xmp video:IMG_1.MOV] Shared available"

// The files of one photo in an external library form one asset with a shared sidecar,
// whether one scan finds them or several in any order, and no file is copied or changed.
func TestStacksInPlace(t *testing.T) {
	t.Parallel()
	files := photoFiles(t)
	check := func(t *testing.T, p *placed) {
		t.Helper()
		gaid := p.only(t)
		p.until(t, "/api/v1/assets/"+gaid, func(a answer) bool { return a.get("data.title") == "Shared" }) // read in the background
		if got := p.stackOf(t, gaid); got != "Photos/"+wholePhoto {
			t.Error(got)
		}
		p.downloads(t, gaid, files)
		if n := p.count(t, `SELECT count(*) FROM blobs WHERE in_place = 0`); n != 1 {
			t.Errorf("%d copies, want that of the sidecar", n)
		}
		if list := p.problems(t); len(list) > 0 {
			t.Errorf("%q", list)
		}
		if list := p.check(t); len(list) > 0 {
			t.Errorf("%q", list)
		}
	}
	t.Run("one scan", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		for name, data := range files {
			p.write(t, name, data)
		}
		before := manifest(t, p.dir)
		p.scan(t, external.InPlaceOptions{})
		check(t, p)
		events := p.countEvents(t)
		for range 2 {
			if res := p.scan(t, external.InPlaceOptions{}); res.New+res.Linked+res.Gone > 0 {
				t.Errorf("%+v", res)
			}
		}
		if after := p.countEvents(t); fmt.Sprint(after) != fmt.Sprint(events) {
			t.Errorf("events were sent: %v, before %v", after, events)
		}
		for path, was := range before {
			if now := manifest(t, p.dir)[path]; now != was {
				t.Errorf("%s was changed: %s, before %s", path, now, was)
			}
		}
	})
	for _, order := range orders([]string{"IMG_1.CR2", "IMG_1.JPG", "IMG_1.MOV"}) {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			t.Parallel()
			p := inPlace(t, still)
			p.write(t, "IMG_1.xmp", files["IMG_1.xmp"])
			for _, name := range order {
				p.write(t, name, files[name])
				p.scan(t, external.InPlaceOptions{})
				p.only(t)
			}
			check(t, p)
		})
	}
	t.Run("decomposed", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		p.write(t, "Gr\u00fcn.JPG", files["IMG_1.JPG"])
		p.write(t, "Gru\u0308n.mov", files["IMG_1.MOV"])
		p.write(t, "gru\u0308n.xmp", titled("Shared"))
		p.scan(t, external.InPlaceOptions{})
		if got := p.stackOf(t, p.only(t)); got != "Photos/Gr\u00fcn.JPG [sidecar:gru\u0308n.xmp video:Gru\u0308n.mov] Shared available" {
			t.Error(got)
		}
	})
	t.Run("apart", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		p.write(t, "a/IMG_1.JPG", files["IMG_1.JPG"]) // in another folder
		p.write(t, "b/IMG_1.MOV", files["IMG_1.MOV"])
		p.write(t, "b/IMG_1.JPG", canon("2024:05:06 09:08:09").jpeg(7)) // at another time
		p.write(t, "b/IMG_12.CR2", files["IMG_1.CR2"])                  // with another name
		p.scan(t, external.InPlaceOptions{})
		p.total(t, p.token, "/api/v1/assets", 4)
	})
	t.Run("off", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, func(c *app.Config, _ *web.Options) { c.Stack = ingest.StackOff })
		p.write(t, "IMG_1.JPG", files["IMG_1.JPG"])
		p.write(t, "IMG_1.MOV", files["IMG_1.MOV"])
		p.scan(t, external.InPlaceOptions{})
		p.total(t, p.token, "/api/v1/assets", 2)
	})
}

// TestStackInPlaceLateSidecar checks that values that the asset has from a part, here the title
// of the video, don't hide those of a sidecar that is read after the stack is complete.
func TestStackInPlaceLateSidecar(t *testing.T) {
	t.Parallel()
	files := photoFiles(t)
	p := inPlace(t, still)
	for _, name := range []string{"IMG_1.MOV", "IMG_1.CR2", "IMG_1.JPG"} {
		p.write(t, name, files[name])
		p.scan(t, external.InPlaceOptions{})
	}
	path := "/api/v1/assets/" + p.only(t)
	if title := p.do(t, "GET", path, "").get("data.title"); title != "Halves" {
		t.Fatalf("the video does not have the title that it should: %v", title)
	}
	p.write(t, "IMG_1.xmp", files["IMG_1.xmp"])
	p.scan(t, external.InPlaceOptions{})
	p.until(t, path, func(a answer) bool { return len(column(a, "data.parts", "role")) == 3 })
	if a := p.do(t, "GET", path, ""); a.get("data.title") != "Shared" || a.get("data.technical.conflicts") != nil {
		t.Errorf("%s", a)
	}
}

// A stack in an external library follows its files when any of them is moved, changed,
// deleted or restored.
func TestStacksInPlaceFollowFiles(t *testing.T) {
	t.Parallel()
	files := photoFiles(t)
	p := inPlace(t, still)
	for name, data := range files {
		p.write(t, "a/"+name, data)
	}
	p.scan(t, external.InPlaceOptions{})
	gaid := p.only(t)
	step := func(what, want string) {
		t.Helper()
		p.scan(t, external.InPlaceOptions{})
		if got := p.stackOf(t, p.only(t)); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
		if p.only(t) != gaid {
			t.Errorf("%s: another asset", what)
		}
	}
	// All of them, with their folder.
	p.move(t, "a", "b")
	step("all moved", "Photos/b/"+wholePhoto)
	p.downloads(t, gaid, files)

	// Only the part.
	p.move(t, "b/IMG_1.MOV", "videos/IMG_1.MOV")
	step("the part moved", "Photos/b/"+wholePhoto)
	p.downloads(t, gaid, files)
	p.move(t, "videos/IMG_1.MOV", "b/clip.MOV")
	step("the part renamed", "Photos/b/IMG_1.JPG [raw:IMG_1.CR2 sidecar:IMG_1.xmp video:clip.MOV] Shared available")
	p.move(t, "b/clip.MOV", "b/IMG_1.MOV")
	step("the part renamed back", "Photos/b/"+wholePhoto)

	// A part that is deleted and restored stays listed.
	p.remove(t, "b/IMG_1.CR2")
	step("the part is gone", "Photos/b/"+wholePhoto)
	var raw string
	a := p.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200)
	for i, role := range column(a, "data.parts", "role") {
		if role == "raw" {
			raw = fmt.Sprintf("/api/v1/assets/%s/parts/%v", gaid, column(a, "data.parts", "id")[i])
		}
	}
	p.do(t, "GET", raw+"/download", "").want(t, 409)
	p.write(t, "b/IMG_1.CR2", files["IMG_1.CR2"])
	step("the part is back", "Photos/b/"+wholePhoto)
	p.downloads(t, gaid, files)
	p.do(t, "DELETE", raw, "").want(t, 409) // a library file

	// The part is edited, then the displayed file.
	files["IMG_1.CR2"] = canon("2024:05:06 07:08:09").raw(8)
	p.rewrite(t, "b/IMG_1.CR2", files["IMG_1.CR2"])
	step("the part was edited", "Photos/b/"+wholePhoto)
	p.downloads(t, gaid, files)
	files["IMG_1.JPG"] = canon("2024:05:06 07:08:09").jpeg(9)
	p.rewrite(t, "b/IMG_1.JPG", files["IMG_1.JPG"])
	step("the file was edited", "Photos/b/"+wholePhoto)
	p.downloads(t, gaid, files)
	if n := p.count(t, `SELECT count(*) FROM blobs WHERE in_place = 1`); n != 3 {
		t.Errorf("%d records of files in place, want 3", n)
	}

	// If the displayed file is deleted, no part takes its place, not even after a change.
	p.remove(t, "b/IMG_1.JPG")
	missing := strings.ReplaceAll(wholePhoto, "available", "missing")
	step("the file is gone", "Photos/b/"+missing)
	files["IMG_1.CR2"] = canon("2024:05:06 07:08:09").raw(10)
	p.rewrite(t, "b/IMG_1.CR2", files["IMG_1.CR2"])
	step("the part was edited without the file", "Photos/b/"+missing)
	p.write(t, "b/IMG_1.JPG", files["IMG_1.JPG"])
	step("the file is back", "Photos/b/"+wholePhoto)
	p.downloads(t, gaid, files)

	// A part that turns into something else stops being a part.
	p.rewrite(t, "b/IMG_1.MOV", []byte("just a text, not a video\n"))
	p.move(t, "b/IMG_1.MOV", "b/IMG_1.txt")
	p.write(t, "b/IMG_1.MOV", movie(t, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)))
	p.scan(t, external.InPlaceOptions{})
	if got := p.stackOf(t, gaid); got != "Photos/b/"+wholePhoto { // the same file with other content
		t.Error(got)
	}

	// A part that gets the bytes of another asset's file becomes that asset's.
	other := movie(t, time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC))
	p.write(t, "c/other.mov", other)
	p.scan(t, external.InPlaceOptions{})
	p.rewrite(t, "b/IMG_1.MOV", other)
	p.scan(t, external.InPlaceOptions{})
	if got := p.stackOf(t, gaid); got != "Photos/b/IMG_1.JPG [raw:IMG_1.CR2 sidecar:IMG_1.xmp] Shared available" {
		t.Error(got)
	}
	files["IMG_1.MOV"] = movie(t, time.Date(2024, 5, 6, 5, 8, 9, 0, time.UTC))
	p.rewrite(t, "b/IMG_1.MOV", files["IMG_1.MOV"])
	p.scan(t, external.InPlaceOptions{})
	if got := p.stackOf(t, gaid); got != "Photos/b/"+wholePhoto {
		t.Error(got)
	}
	p.downloads(t, gaid, files)

	// The trash keeps the stack, and permanent deletion leaves all files in the library
	// untouched.
	before := manifest(t, p.dir)
	p.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	p.scan(t, external.InPlaceOptions{})
	p.do(t, "POST", "/api/v1/assets/"+gaid+"/restore", "").want(t, 200)
	if got := p.stackOf(t, gaid); got != "Photos/b/"+wholePhoto {
		t.Error(got)
	}
	p.do(t, "DELETE", "/api/v1/assets/"+gaid+"?force=true", "").want(t, 200)
	p.scan(t, external.InPlaceOptions{})
	for path, was := range before {
		if now := manifest(t, p.dir)[path]; now != was {
			t.Errorf("%s was changed: %s, before %s", path, now, was)
		}
	}
	if n := p.count(t, `SELECT count(*) FROM assets WHERE file_category = 'Image'`); n != 0 {
		t.Errorf("%d pictures after all were deleted", n)
	}
	p.scan(t, external.InPlaceOptions{Again: true})
	if n := p.count(t, `SELECT count(*) FROM assets WHERE file_category = 'Image'`); n != 1 {
		t.Errorf("%d pictures, want the photo again", n)
	}
	if list := p.check(t); len(list) > 0 {
		t.Errorf("%q", list)
	}
}

// A part in an external library can become a separate asset, which follows its file.
func TestStacksInPlaceApart(t *testing.T) {
	t.Parallel()
	files := photoFiles(t)
	p := inPlace(t, still)
	p.write(t, "IMG_1.JPG", files["IMG_1.JPG"])
	p.write(t, "IMG_1.CR2", files["IMG_1.CR2"])
	p.scan(t, external.InPlaceOptions{})
	gaid := p.only(t)
	part := p.do(t, "GET", "/api/v1/assets/"+gaid, "").get("data.parts.0.id")
	own := p.do(t, "POST", fmt.Sprintf("/api/v1/assets/%s/parts/%v/detach", gaid, part), "").want(t, 201)
	if own.get("data.folder") != "Photos" || own.get("data.availability") != "available" || own.get("data.original_filename") != "IMG_1.CR2" {
		t.Errorf("%s", own)
	}
	raw := fmt.Sprint(own.get("data.gaid"))
	p.scan(t, external.InPlaceOptions{})
	p.rewrite(t, "IMG_1.CR2", canon("2024:05:06 07:08:09").raw(5))
	p.scan(t, external.InPlaceOptions{})
	p.total(t, p.token, "/api/v1/assets", 2)
	if got := p.stackOf(t, raw); got != "Photos/IMG_1.CR2 [] IMG 1 available" {
		t.Error(got)
	}
	p.remove(t, "IMG_1.CR2")
	p.scan(t, external.InPlaceOptions{})
	if got := p.stackOf(t, raw); got != "Photos/IMG_1.CR2 [] IMG 1 missing" {
		t.Error(got)
	}
	if got := p.stackOf(t, gaid); got != "Photos/IMG_1.JPG [] IMG 1 available" {
		t.Error(got)
	}
}

// Removing an external library trashes an asset only if its own file is in that library; a
// part of an asset elsewhere stays listed, and is available again once the library is added
// again.
func TestForgetRootOfParts(t *testing.T) {
	t.Parallel()
	files := photoFiles(t)
	p := inPlace(t, still)
	videos := filepath.Join(t.TempDir(), "Videos")
	p.write(t, "IMG_1.JPG", files["IMG_1.JPG"])
	p.write(t, "IMG_1.MOV", files["IMG_1.MOV"])
	p.scan(t, external.InPlaceOptions{})
	gaid := p.only(t)
	must(t, os.Mkdir(videos, 0o755))
	must(t, os.Rename(filepath.Join(p.dir, "IMG_1.MOV"), filepath.Join(videos, "IMG_1.MOV")))
	scanVideos := func() *dam.Root {
		t.Helper()
		res, err := p.app.External.Import(t.Context(), p.actor, videos, external.InPlaceOptions{Waiting: func(int) error { return nil }})
		must(t, err)
		return res.Root
	}
	root := scanVideos()
	p.scan(t, external.InPlaceOptions{})
	const want = "Photos/IMG_1.JPG [video:IMG_1.MOV] IMG 1 available"
	if got := p.stackOf(t, p.only(t)); got != want {
		t.Error(got)
	}
	p.downloads(t, gaid, files)
	part := p.do(t, "GET", "/api/v1/assets/"+gaid, "").get("data.parts.0.id")
	download := fmt.Sprintf("/api/v1/assets/%s/parts/%v/download", gaid, part)

	// Offline, like a disconnected disk.
	must(t, os.Rename(videos, videos+".away"))
	scanVideos()
	p.do(t, "GET", download, "").want(t, 409)
	if got := p.stackOf(t, gaid); got != want {
		t.Error(got)
	}
	must(t, os.Rename(videos+".away", videos))
	scanVideos()
	p.do(t, "GET", download, "").want(t, 200)

	for _, trash := range []bool{true, false} {
		must(t, p.app.External.Forget(t.Context(), p.actor, root.ID, trash))
		if got := p.stackOf(t, p.only(t)); got != want {
			t.Error(got)
		}
		p.do(t, "GET", download, "").want(t, 409)
		root = scanVideos()
		p.do(t, "GET", download, "").want(t, 200)
		p.downloads(t, p.only(t), files)
	}

	// The library with the displayed file.
	if err := p.app.External.Forget(t.Context(), p.actor, 1, false); dam.KindOf(err) != dam.Conflict {
		t.Errorf("%v", err)
	}
	must(t, p.app.External.Forget(t.Context(), p.actor, 1, true))
	p.total(t, p.token, "/api/v1/assets", 0)
	p.scan(t, external.InPlaceOptions{Again: true})
	if got := p.stackOf(t, p.only(t)); got != want {
		t.Error(got)
	}
	p.downloads(t, gaid, files)
	if list := p.check(t); len(list) > 0 {
		t.Errorf("%q", list)
	}
}

// A sidecar that matches several assets is listed as a problem until the match is
// unambiguous.
func TestUnclearSidecarInPlace(t *testing.T) {
	t.Parallel()
	p := inPlace(t, still)
	p.write(t, "a.jpg", picture(1, 40, 30))
	p.write(t, "a.png.jpg", picture(2, 40, 30))
	p.write(t, "a.tiff", canon("2024:05:06 07:08:09").raw(3)) // not from the same photo as a.jpg
	p.write(t, "a.xmp", titled("Whose"))
	p.scan(t, external.InPlaceOptions{})
	expect := func(what, title string, problems int) {
		t.Helper()
		if got := p.do(t, "GET", "/api/v1/assets/"+p.at(t, "Photos")["a.jpg"], "").want(t, 200).get("data.title"); got != title {
			t.Errorf("%s: %v, want %s", what, got, title)
		}
		list := p.problems(t)
		if len(list) != problems || problems > 0 && !strings.HasPrefix(list[0], "a.xmp: Several files have this name") {
			t.Errorf("%s: %q", what, list)
		}
	}
	expect("two", "a", 1)
	p.move(t, "a.tiff", "b.tiff")
	p.scan(t, external.InPlaceOptions{})
	expect("one", "Whose", 0)
	p.move(t, "b.tiff", "a.tiff")
	p.scan(t, external.InPlaceOptions{})
	expect("two again", "a", 1)
	p.move(t, "a.xmp", "a.jpg.xmp")
	p.scan(t, external.InPlaceOptions{})
	expect("the longer name", "Whose", 0)
	p.write(t, "a.xmp", titled("Later"))
	p.scan(t, external.InPlaceOptions{})
	expect("a later one", "Whose", 1)
}
