package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// sidecarOf returns a sidecar in Lightroom's format.
func sidecarOf(properties string) []byte {
	return []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" ` +
		`xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" ` + properties +
		`</rdf:Description></rdf:RDF></x:xmpmeta>`)
}

func titled(title string) []byte {
	return sidecarOf(`><dc:title><rdf:Alt><rdf:li xml:lang="x-default">` + title + `</rdf:li></rdf:Alt></dc:title>`)
}

// A sidecar is read with its file, in either order; the more specific name takes
// precedence, and values changed by users are kept.
func TestSidecars(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	s.define(t, `{"key":"headline","label":"Headline","type":"text","xmp_path":"photoshop:Headline"}`)
	batch := s.batch(t, `{}`)
	s.push(t, batch,
		upload{"a.jpg.xmp", sidecarOf(`xmp:Rating="4" photoshop:Headline="Boats"><dc:title><rdf:Alt>` +
			`<rdf:li xml:lang="x-default">Exact</rdf:li></rdf:Alt></dc:title>` +
			`<lr:hierarchicalSubject><rdf:Bag><rdf:li>Places|Europe</rdf:li></rdf:Bag></lr:hierarchicalSubject>`)},
		upload{"A.XMP", titled("Loose")}, upload{"a.jpg", picture(1, 80, 60)}, upload{"lonely.xmp", titled("Nobody")},
		upload{"broken.jpg.xmp", []byte("no XMP")}, upload{"broken.jpg", picture(2, 80, 60)})
	s.finish(t, batch)
	a := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v/files", batch), "").want(t, 200)
	if got := fmt.Sprint(column(a, "data", "status")); got != "[ready ready ready ready rejected ready]" {
		t.Fatalf("%s: %s", got, a)
	}
	if got := fmt.Sprint(a.get("data.3.warning")); !strings.Contains(got, "stored without a preview") { // becomes a separate file
		t.Error(got)
	}
	gaid := fmt.Sprint(a.get("data.2.gaid"))
	if a.get("data.0.gaid") != gaid || a.get("data.1.gaid") != gaid {
		t.Errorf("%s", a)
	}
	path := assets + "/" + gaid
	show := func() string {
		t.Helper()
		a := s.do(t, "GET", path, "").want(t, 200)
		return fmt.Sprint(a.get("data.title"), " ", a.get("data.rating"), " ", a.get("data.metadata.headline"), " ", a.get("data.keywords"), " ",
			column(a, "data.parts", "filename"))
	}
	if got := show(); got != "Exact 4 Boats [Europe] [a.jpg.xmp A.XMP]" && got != "Exact 4 Boats [Europe] [A.XMP a.jpg.xmp]" {
		t.Error(got)
	}
	whole := s.do(t, "GET", path, "").want(t, 200)
	got := fmt.Sprint(whole.get("data.technical.sidecars"))
	if got != "[map[applied:true filename:a.jpg.xmp] map[applied:false filename:A.XMP]]" {
		t.Error(got)
	}
	if got := fmt.Sprint(whole.get("data.technical.keywords.paths")); got != "[Places|Europe]" {
		t.Error(got)
	}

	// A later sidecar applies to the existing asset, except to values written by users.
	s.do(t, "PUT", path, `{"title":"Mine"}`).want(t, 200)
	later := s.ingest(t, upload{"a.jpg.xmp", sidecarOf(`xmp:Rating="2"><dc:title><rdf:Alt>` +
		`<rdf:li xml:lang="x-default">Theirs</rdf:li></rdf:Alt></dc:title>`)})
	if later[0]["status"] != "ready" || later[0]["gaid"] != gaid {
		t.Fatal(later)
	}
	if got := show(); !strings.HasPrefix(got, "Mine 2 <nil> [] [") {
		t.Error(got)
	}
	told := fmt.Sprint(s.do(t, "GET", path, "").get("data.technical.conflicts"))
	if !strings.Contains(told, "chosen:library field:title sources:[map[source:sidecar value:Theirs]]") {
		t.Error(told)
	}
	if n := len(column(s.do(t, "GET", path, ""), "data.parts", "filename")); n != 2 {
		t.Errorf("%d parts", n)
	}
	if problems := s.check(t); len(problems) > 0 {
		t.Error(problems)
	}
}

// A token that may only upload can send sidecars with its files, but cannot change existing
// assets with them: neither earlier uploads of the user nor duplicates in the batch.
func TestSidecarsOfTokens(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaid := s.one(t, "a.jpg", picture(1, 80, 60))
	user := s.lastUser(t)
	title := func(gaid string) any { return s.do(t, "GET", assets+"/"+gaid, "").want(t, 200).get("data.title") }
	send := func(token string, files ...upload) (list []any, gaids []any) {
		t.Helper()
		own := *s
		own.token = token
		batch := own.batch(t, `{}`)
		own.push(t, batch, files...)
		own.finish(t, batch)
		a := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v/files", batch), "").want(t, 200)
		return column(a, "data", "status"), column(a, "data", "gaid")
	}
	abilities := func(more ...dam.Ability) string { return s.tokenFor(t, user, append(more, dam.UploadsManage)...) }
	for what, token := range map[string]string{
		"uploads": abilities(), "no metadata": abilities(dam.AssetsRead, dam.AssetsWrite), "no assets": abilities(dam.MetadataWrite),
	} {
		if got, _ := send(token, upload{"a.jpg.xmp", titled("Stolen")}); fmt.Sprint(got) != "[rejected]" {
			t.Errorf("%s, alone: %v", what, got)
		}
		got, _ := send(token, upload{"a.jpg", picture(1, 80, 60)}, upload{"a.jpg.xmp", titled("Stolen")})
		if fmt.Sprint(got) != "[duplicate rejected]" {
			t.Errorf("%s, with a duplicate: %v", what, got)
		}
		if got := title(gaid); got != "a" {
			t.Errorf("%s: the title is %v", what, got)
		}
	}
	got, gaids := send(abilities(), upload{"b.jpg", picture(2, 80, 60)}, upload{"b.jpg.xmp", titled("Own")})
	if fmt.Sprint(got) != "[ready ready]" || title(fmt.Sprint(gaids[0])) != "Own" {
		t.Error(got, gaids)
	}
	all := abilities(dam.AssetsWrite, dam.MetadataWrite)
	if got, _ := send(all, upload{"a.jpg.xmp", titled("Allowed")}); fmt.Sprint(got) != "[ready]" || title(gaid) != "Allowed" {
		t.Error(got, title(gaid))
	}
}

// A sidecar whose name matches several files applies to none of them, except to a raw file.
func TestSidecarOfSeveral(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	files := s.ingest(t, upload{"x.jpg", picture(1, 80, 60)}, upload{"x.png", pngOf(30, 20)}, upload{"x.xmp", titled("One")})
	if files[2]["status"] != "rejected" {
		t.Error(files[2])
	}
}

// A truncated sidecar is refused with the reason, and its file is accepted.
func TestSidecarDamaged(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	whole := titled("Cut")
	for name, data := range map[string][]byte{
		"cut": whole[:len(whole)-40], "deep": append(whole[:len(whole)-40:len(whole)-40], strings.Repeat("<a>", 100_000)...),
		"entity": []byte(strings.Replace(`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`+string(whole), "Cut", "&e;", 1)),
	} {
		files := s.ingest(t, upload{"a.jpg", picture(len(name), 80, 60)}, upload{"a.xmp", data})
		if files[0]["status"] != "ready" || files[1]["status"] != "rejected" {
			t.Errorf("%s: %v", name, files)
		}
		if e, _ := files[1]["error"].(map[string]any); !strings.Contains(fmt.Sprint(e["message"]), "is damaged") {
			t.Errorf("%s: %v", name, e)
		}
	}
}
