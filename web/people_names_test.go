package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
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
