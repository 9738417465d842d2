package web_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/external"
)

// spellings returns pairs of a file name and a sidecar name in different Unicode
// normalizations.
func spellings() [][2]string {
	nfd := norm.NFD.String
	return [][2]string{
		{nfd("Grün7.jpg"), "Grün7.jpg.xmp"},
		{"Blüte.jpg", nfd("Blüte.jpg.xmp")},
		{nfd("ÄRGER.JPG"), "Ärger.xmp"},
		{"한글.jpg", nfd("한글.XMP")},
		{nfd("ガラス.jpg"), "ガラス.jpg.xmp"},
	}
}

// Sidecars match regardless of the normalization of their names, in external libraries, in
// imports and in uploads, and each file keeps its name.
func TestSidecarNamesAreNormalized(t *testing.T) {
	t.Parallel()
	t.Run("in place", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		for i, pair := range spellings() {
			p.write(t, pair[0], picture(i+1, 40, 30))
			p.write(t, pair[1], titled(fmt.Sprint("Title ", i)))
		}
		both := "Öl.jpg" // a folder may contain both spellings
		p.write(t, both, picture(20, 40, 30))
		p.write(t, norm.NFD.String(both), picture(21, 40, 30))
		p.write(t, both+".xmp", titled("Composed"))
		p.write(t, norm.NFD.String(both)+".xmp", titled("Decomposed"))
		before := manifest(t, p.dir)
		p.scan(t, external.InPlaceOptions{})
		here := p.at(t, "Photos")
		for i, pair := range spellings() {
			if got := p.shown(t, here[pair[0]]); !strings.HasPrefix(got, fmt.Sprint("Title ", i, " ")) {
				t.Errorf("%q: %s", pair, got)
			}
			p.do(t, "GET", "/api/v1/assets/"+here[pair[0]]+"/download", "").want(t, 200)
		}
		for name, want := range map[string]string{both: "Composed ", norm.NFD.String(both): "Decomposed "} {
			if got := p.shown(t, here[name]); !strings.HasPrefix(got, want) {
				t.Errorf("%q: %s", name, got)
			}
		}
		if problems := p.problems(t); len(problems) > 0 {
			t.Errorf("%q", problems)
		}

		// Changing the normalization, as when copying with another system, changes nothing.
		pair := spellings()[0]
		p.move(t, pair[1], norm.NFD.String(pair[1]))
		p.scan(t, external.InPlaceOptions{})
		if got := p.shown(t, here[pair[0]]); !strings.HasPrefix(got, "Title 0 ") || strings.Count(got, ".xmp") != 2 {
			t.Error(got)
		}
		p.move(t, norm.NFD.String(pair[1]), pair[1])
		if after := manifest(t, p.dir); len(after) != len(before) {
			t.Errorf("%d files, before %d", len(after), len(before))
		}
	})
	t.Run("import", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		files := spellings()
		for i, pair := range files {
			p.write(t, pair[0], picture(i+1, 40, 30))
		}
		p.bring(t)
		for i, pair := range files { // after the files were imported
			p.write(t, pair[1], titled(fmt.Sprint("Title ", i)))
		}
		sub := [2]string{"sub/Süd.jpg", norm.NFD.String("sub/Süd.xmp")}
		p.write(t, sub[0], picture(30, 40, 30))
		p.write(t, sub[1], titled(fmt.Sprint("Title ", len(files))))
		files = append(files, sub)
		p.bring(t)
		p.areTitled(t, files)
	})
	t.Run("upload", func(t *testing.T) {
		t.Parallel()
		s := start(t, noMeaning)
		files := spellings()
		batch := s.batch(t, `{}`)
		for i, pair := range files[:3] { // in one batch
			s.push(t, batch, upload{pair[1], titled(fmt.Sprint("Title ", i))}, upload{pair[0], picture(i+1, 40, 30)})
		}
		s.finish(t, batch)
		for i, pair := range files[3:] { // in later batches
			s.ingest(t, upload{pair[0], picture(i+10, 40, 30)})
			s.ingest(t, upload{pair[1], titled(fmt.Sprint("Title ", i+3))})
		}
		s.areTitled(t, files)

		// A newer sidecar replaces one with another normalization.
		s.ingest(t, upload{norm.NFD.String(files[0][1]), titled("Title 0")})
		s.areTitled(t, files)
	})
}

// bring imports the folder by copying.
func (p *placed) bring(t *testing.T) bulk.ImportProgress {
	t.Helper()
	sum, err := p.app.Importer.Import(t.Context(), p.actor, p.dir, bulk.ImportOptions{
		Progress: func(bulk.ImportProgress) {}, Problem: func(path, why string) { t.Errorf("%s: %s", path, why) },
	})
	must(t, err)
	return sum
}

// areTitled checks that the assets of files have the numbered titles and one sidecar each.
func (s *server) areTitled(t *testing.T, files [][2]string) {
	t.Helper()
	s.total(t, s.token, "/api/v1/assets", len(files))
	for i, pair := range files {
		filters := rule("asset.original_filename", "equals", jsonString(filepath.Base(pair[0])))
		a := s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(filters), "").want(t, 200)
		if got, want := a.get("data.0.title"), fmt.Sprint("Title ", i); got != want {
			t.Errorf("%q has the title %v, want %s", pair, got, want)
			continue
		}
		one := s.do(t, "GET", fmt.Sprint("/api/v1/assets/", a.get("data.0.gaid")), "").want(t, 200)
		if one.get("data.original_filename") != filepath.Base(pair[0]) || len(column(one, "data.parts", "filename")) != 1 {
			t.Errorf("%q: %s", pair, one)
		}
	}
}
