package web_test

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// segment returns a JPEG segment with a marker and data.
func segment(marker byte, data string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2))) + data
}

// captioned returns a JPEG with a description in XMP or, with xmp empty, in IPTC.
func captioned(seed int, xmp, iptc string) []byte {
	more := ""
	if xmp != "" {
		more = segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+`<x:xmpmeta xmlns:x="adobe:ns:meta/">`+
			`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" `+
			`xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default">`+xmp+
			`</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>`)
	}
	if iptc != "" {
		const utf8 = "\x1c\x01\x5a\x00\x03\x1b%G"
		record := utf8 + "\x1c\x02\x78" + string([]byte{0, byte(len(iptc))}) + iptc
		if len(record)%2 == 1 {
			record += "\x00"
		}
		resource := "8BIM\x04\x04\x00\x00" + string(binary.BigEndian.AppendUint32(nil, uint32(len(record)))) + record
		more += segment(0xed, "Photoshop 3.0\x00"+resource)
	}
	pic := picture(seed, 16, 12)
	return append(append(pic[:2:2], more...), pic[2:]...)
}

// wordsAlone disables semantic search.
func wordsAlone(c *app.Config, _ *web.Options) { c.Embeddings = find.EmbeddingsOff }

// Captions in files, XMP before IPTC, become the description of assets and are searchable;
// the upload's own description takes precedence.
func TestCaptionsOfFiles(t *testing.T) {
	t.Parallel()
	s := start(t, wordsAlone)
	xmp := s.one(t, "a.jpg", captioned(1, "Fishing boats in Sassnitz", "Other boats in Wismar"))
	iptc := s.one(t, "b.jpg", captioned(2, "", "Regatta off Warnemünde"))
	camera := s.one(t, "c.jpg", captioned(3, "OLYMPUS DIGITAL CAMERA", ""))
	for gaid, want := range map[string]any{xmp: "Fishing boats in Sassnitz", iptc: "Regatta off Warnemünde", camera: nil} {
		if a := s.do(t, "GET", "/api/v1/assets/"+gaid, ""); a.get("data.description") != want {
			t.Errorf("the description is %v, want %v", a.get("data.description"), want)
		}
	}
	for q, want := range map[string]string{
		"sassnitz": xmp, "warnemuende": iptc, "caption:regatta": iptc, "description:boats": xmp, "wismar": "", "olympus": "",
	} {
		a := s.search(t, "q", q)
		if want == "" && a.get("meta.total") != 0.0 || want != "" && (a.get("meta.total") != 1.0 || a.get("data.0.gaid") != want) {
			t.Errorf("%s: %s", q, a)
		}
	}
}

// Keys of custom fields are search prefixes, with terms matched by label; unknown prefixes
// are reported.
func TestSearchPrefixes(t *testing.T) {
	t.Parallel()
	s := start(t, wordsAlone)
	list := s.pictures(t, 3)
	id, _ := s.vocabulary(t, "seas", "north=Nordsee")
	s.define(t, fmt.Sprintf(`{"key":"region","label":"Region","type":"term","vocabulary_id":%v}`, id)).want(t, 201)
	s.define(t, `{"key":"project","label":"Project","type":"text"}`).want(t, 201)
	put := func(i int, body string) { s.do(t, "PUT", "/api/v1/assets/"+list[i], body).want(t, 200) }
	put(0, `{"title":"one","metadata":{"project":"Harbour tour","region":"north"}}`)
	put(1, `{"title":"two harbour","metadata":{"project":"City walk"}}`)
	put(2, `{"title":"three","ai_tags":["harbour"]}`)
	for q, want := range map[string]string{
		"project:harbour": "one", `project:"city walk"`: "two harbour", "tag:harbour": "three", "region:nordsee": "one",
		"project:nowhere": "", "harbour -project:harbour -tag:harbour": "two harbour", "project:harbuor": "one",
	} {
		a := s.search(t, "q", q)
		if got := titlesOf(a); got != want || a.get("meta.unknown_prefixes") != nil {
			t.Errorf("%s finds %q, want %q: %s", q, got, want, a)
		}
	}
	a := s.search(t, "q", "titel:harbour nope:x title:two")
	if got := fmt.Sprint(a.get("meta.unknown_prefixes")); got != "[titel nope]" || titlesOf(a) != "two harbour" {
		t.Errorf("the unknown prefixes are %s: %s", got, a)
	}
	a = s.search(t, "q", "title:harbuor")
	if got := fmt.Sprint(a.get("data.0.highlights.0.html")); got != "two <mark>harbour</mark>" {
		t.Errorf("a correction shows %s", got)
	}
}

// A server configured for another language matches inflected words, and the setting must be
// a known language.
func TestLanguageOfSearch(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Language, c.Embeddings = "de", find.EmbeddingsOff })
	gaid := s.pictures(t, 1)[0]
	s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"title":"Häuser am See"}`).want(t, 200)
	for _, q := range []string{"haus ", "häusern ", "haeuser "} {
		if a := s.search(t, "q", q); a.get("meta.total") != 1.0 {
			t.Errorf("%s: %s", q, a)
		}
	}
	cfg := app.DefaultConfig()
	cfg.OCR = analyze.OCROff
	cfg.DataDir, cfg.Language = t.TempDir(), "xx"
	if a, err := app.Open(t.Context(), cfg); err == nil {
		a.Close()
		t.Error("there is no such language")
	}
}

// Keywords are equal regardless of case, composition and origin.
func TestKeywordsInAnySpelling(t *testing.T) {
	t.Parallel()
	s := start(t, wordsAlone)
	const composed, decomposed = "M\u00fcller", "Mu\u0308ller"
	pic := picture(1, 16, 12)
	xmp := segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+string(sidecarOf(`><dc:subject><rdf:Bag><rdf:li>`+decomposed+`</rdf:li><rdf:li>`+
		composed+`</rdf:li></rdf:Bag></dc:subject>`+
		`<lr:hierarchicalSubject><rdf:Bag><rdf:li>People|`+"M\u00dcLLER"+`</rdf:li></rdf:Bag></lr:hierarchicalSubject>`)))
	path := assets + "/" + s.one(t, "a.jpg", append(append(pic[:2:2], xmp...), pic[2:]...))
	has := func(what string, want ...any) {
		t.Helper()
		if got := s.do(t, "GET", path, "").want(t, 200).get("data.keywords"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+q", what, got)
		}
	}
	bulk := func(changes string) {
		t.Helper()
		s.ended(t, s.operate(t, fmt.Sprintf(`{"type":"bulk_update","selection":{"gaids":[%q]},"changes":{%s}}`, path[len(assets)+1:], changes)))
	}
	has("of the file", composed)
	s.do(t, "PUT", path, `{"keywords":["Caf\u00e9","Cafe\u0301","CAF\u00c9"],"ai_tags":["Cafe\u0301","CAF\u00c9"]}`).want(t, 200)
	has("sent", "Caf\u00e9")
	if tags := s.do(t, "GET", path, "").get("data.ai_tags"); !reflect.DeepEqual(tags, []any{"Caf\u00e9"}) {
		t.Errorf("tags: %+q", tags)
	}
	bulk(`"add_keywords":["cafe\u0301","` + decomposed + `","` + composed + `"]`)
	has("added", "Caf\u00e9", composed)
	bulk(`"remove_keywords":["CAFE\u0301"]`)
	has("removed", composed)
	// One stored before keywords were normalized is removed as well.
	bulk(`"add_keywords":["x"]`)
	if _, err := s.db(t).ExecContext(t.Context(), `UPDATE asset_words SET word = ? WHERE word = ?`, decomposed, composed); err != nil {
		t.Fatal(err)
	}
	bulk(`"remove_keywords":["` + composed + `"]`)
	has("removed of old", "x")
}
