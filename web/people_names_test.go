package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// The people in a picture are read from its sidecar, found by name in any spelling,
// counted, and written into copies.
func TestPeopleInPictures(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	a := s.ingest(t, upload{"a.jpg", picture(1, 80, 60)}, upload{"a.jpg.xmp", sidecarOf(
		`xmlns:r="http://www.metadataworkinggroup.com/schemas/regions/" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">` +
			`<e:PersonInImage><rdf:Bag><rdf:li>Zoë Müller</rdf:li></rdf:Bag></e:PersonInImage><r:Regions rdf:parseType="Resource"><r:RegionList>` +
			`<rdf:Bag><rdf:li r:Name="ZOË MÜLLER" r:Type="Face"/><rdf:li r:Name="Ada" r:Type="Face"/><rdf:li r:Name="Rex" r:Type="Pet"/>` +
			`</rdf:Bag></r:RegionList></r:Regions>`)})
	path := assets + "/" + fmt.Sprint(a[0]["gaid"])
	if got := fmt.Sprint(s.do(t, "GET", path, "").want(t, 200).get("data.people")); got != "[Zoë Müller Ada]" {
		t.Error(got)
	}
	for _, query := range []string{
		"?q=zoe", "?q=person:ada", "?q=people:muller", "?filters=" + url.QueryEscape(rule("asset.people", "in", `["zoe muller"]`)),
	} {
		s.total(t, s.token, assets+query, 1)
	}
	s.total(t, s.token, assets+"?q=person:rex", 0)
	facets := s.do(t, "GET", assets+"?facets=people", "").want(t, 200)
	for _, want := range []string{"map[count:1 value:Zoë Müller]", "map[count:1 value:Ada]"} {
		if got := fmt.Sprint(facets.get("meta.facets.people")); !strings.Contains(got, want) {
			t.Error(got)
		}
	}
	s.do(t, "PUT", path, `{"people":["Ada","Grace"," ada "]}`).want(t, 200)
	copied := s.do(t, "GET", path+"/download?embed_metadata=1", "").want(t, 200)
	again := s.one(t, "b.jpg", copied.body)
	if got := fmt.Sprint(s.do(t, "GET", assets+"/"+again, "").get("data.people")); got != "[Ada Grace]" {
		t.Error(got)
	}
}

// The pictures of a library from before people were stored get those of their files and
// sidecars, except where somebody has edited them.
func TestPeopleOfAnOlderLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const person = `xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">` +
		`<e:PersonInImage><rdf:Bag><rdf:li>%s</rdf:li></rdf:Bag></e:PersonInImage>`
	change := func(c *app.Config, o *web.Options) { noMeaning(c, o); c.DataDir = dir }
	var token, inFile, beside, both, cleared, nobody string
	t.Run("older", func(t *testing.T) { //nolint:paralleltest // must run first
		s := start(t, change)
		token = s.token
		named := func(name string, seed int) string {
			a := s.ingest(t, upload{name, picture(seed, 80, 60)}, upload{name + ".xmp", sidecarOf(fmt.Sprintf(person, "Ada"))})
			return fmt.Sprint(a[0]["gaid"])
		}
		beside, cleared, nobody = named("a.jpg", 1), named("b.jpg", 2), s.one(t, "c.jpg", picture(3, 80, 60))
		copied := s.do(t, "GET", assets+"/"+beside+"/download?embed_metadata=1", "").want(t, 200)
		inFile = s.one(t, "d.jpg", copied.body)
		a := s.ingest(t, upload{"e.jpg", append(copied.body, 0)}, upload{"e.jpg.xmp", sidecarOf(fmt.Sprintf(person, "Grace"))})
		both = fmt.Sprint(a[0]["gaid"])
		exec := func(text string) {
			_, err := s.db(t).ExecContext(t.Context(), text)
			must(t, err)
		}
		exec(`DELETE FROM asset_history`) // of the sidecars: older versions took no people from them
		s.do(t, "PUT", assets+"/"+cleared, `{"people":[]}`).want(t, 200)
		exec(`DELETE FROM asset_words WHERE kind = 'person'`)
		exec(`INSERT INTO asset_followups (asset_id, what) SELECT id, 8 FROM assets`)
	})
	s := run(t, change)
	s.token = token
	s.until(t, assets+"/"+both, func(a answer) bool { return fmt.Sprint(a.get("data.people")) != "[]" })
	for gaid, want := range map[string]string{inFile: "[Ada]", beside: "[Ada]", both: "[Grace]", cleared: "[]", nobody: "[]"} {
		if got := fmt.Sprint(s.do(t, "GET", assets+"/"+gaid, "").want(t, 200).get("data.people")); got != want {
			t.Errorf("%s: %s, want %s", gaid, got, want)
		}
	}
	s.total(t, s.token, assets+"?q=person:ada", 2)
	if n := s.count(t, `SELECT count(*) FROM asset_followups`); n != 0 {
		t.Errorf("%d assets are left", n)
	}
}
