package media

import (
	"fmt"
	"strings"
	"testing"
)

// ofXMP reads metadata from an XMP description with the given attributes and elements, and
// from EXIF.
func ofXMP(t *testing.T, attributes, elements string, exif tags) metadata {
	t.Helper()
	c := newCollector()
	for name, v := range exif {
		c.exif[name] = v
	}
	if err := c.readXMP([]byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="` + rdf + `"><rdf:Description rdf:about="" ` +
		`xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:m="http://ns.microsoft.com/photo/1.0/" ` +
		`xmlns:a="http://ns.acdsee.com/iptc/1.0/" ` + attributes + `>` + elements + `</rdf:Description></rdf:RDF></x:xmpmeta>`)); err != nil {
		t.Fatal(err)
	}
	return c.metadata(nil)
}

// A rating in percent is Microsoft's, and counts if the star rating is absent.
func TestRatingPercent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		xmp  string
		exif tags
		want int64 // 0 for none
	}{
		{`m:Rating="1"`, nil, 1}, {`m:Rating="25"`, nil, 2}, {`m:Rating="50"`, nil, 3}, {`m:Rating="75"`, nil, 4}, {`m:Rating="99"`, nil, 5},
		{`m:Rating="100"`, nil, 5}, {`m:Rating="0"`, tags{"Rating": uint16(4)}, 0}, {`m:Rating="-1"`, nil, 0}, {`m:Rating="101"`, nil, 0},
		{`m:Rating="many"`, nil, 0}, {`m:Rating="75" xmp:Rating="2"`, nil, 2}, {`xmp:Rating="2" m:Rating="75"`, nil, 2},
		{`xmp:Rating="5"`, nil, 5},
		{"", tags{"RatingPercent": uint16(75)}, 4}, {"", tags{"RatingPercent": uint16(75), "Rating": uint16(2)}, 2},
		{`m:Rating="99"`, tags{"Rating": uint16(2)}, 5},
	} {
		got := int64(0)
		if n := ofXMP(t, tt.xmp, "", tt.exif).rating; n != nil {
			got = *n
		}
		if got != tt.want {
			t.Errorf("%s %v: %d, want %d", tt.xmp, tt.exif, got, tt.want)
		}
	}
}

// The assigned ACDSee categories of a picture become keywords.
func TestCategoriesOfACDSee(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("<", "&lt;", ">", "&gt;")
	m := ofXMP(t, "", `<a:categories>`+text.Replace(`<Categories><Category Assigned="0">Places<Category Assigned="1">France`+
		`<Category Assigned="0">Paris</Category></Category></Category><Category Assigned="1">Boats &amp;amp; more</Category></Categories>`)+
		`</a:categories>`, nil)
	if got := fmt.Sprintf("%q", m.keywords); got != `["France" "Boats & more"]` {
		t.Error(got)
	}
	if got := fmt.Sprint(m.technical["keywords"]); got != "map[paths:[Places|France]]" {
		t.Error(got)
	}
}

func FuzzCategories(f *testing.F) {
	f.Add(`<Categories><Category Assigned="1">A<Category Assigned="1">B|C</Category></Category></Categories>`)
	f.Add(`<Category Assigned="1">A`)
	f.Add(`A<x Assigned="1"/></x>`)
	f.Fuzz(func(t *testing.T, text string) {
		properties := map[string][]string{acdseeCategories: {text}}
		for _, path := range categories(properties) {
			if len(path) == 0 || len(path) > maxCategoryDepth+1 || strings.Contains(strings.Join(path, ""), "|") {
				t.Fatalf("%q", path)
			}
		}
		KeywordPaths(properties)
	})
}

// The people in a picture are those named by IPTC, and the face regions of Picasa, digiKam,
// Lightroom and Windows.
func TestPeople(t *testing.T) {
	t.Parallel()
	const ns = `xmlns:r="` + mwgRegions + `" xmlns:MPReg="` + microsoftRegions + `" xmlns:MP="http://ns.microsoft.com/photo/1.2/" ` +
		`xmlns:MPRI="http://ns.microsoft.com/photo/1.2/t/RegionInfo#" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"`
	regions := func(list string) string {
		return `<r:Regions rdf:parseType="Resource"><r:AppliedToDimensions r:w="1" r:h="1"/><r:RegionList><rdf:Bag>` + list +
			`</rdf:Bag></r:RegionList></r:Regions>`
	}
	for _, tt := range []struct{ name, xmp, want string }{
		{"IPTC", `<e:PersonInImage><rdf:Bag><rdf:li>Ada</rdf:li><rdf:li>Grace</rdf:li></rdf:Bag></e:PersonInImage>`, `["Ada" "Grace"]`},
		{"attributes", regions(`<rdf:li><rdf:Description r:Name="Ada" r:Type="Face"><r:Area/></rdf:Description></rdf:li>` +
			`<rdf:li><rdf:Description r:Type="Pet" r:Name="Rex"/></rdf:li>`), `["Ada"]`},
		{"elements", regions(`<rdf:li rdf:parseType="Resource"><r:Area r:x="1"/><r:Name>Ada  L.</r:Name><r:Type>Face</r:Type></rdf:li>` +
			`<rdf:li rdf:parseType="Resource"><r:Type>BarCode</r:Type><r:Name>123</r:Name></rdf:li>` +
			`<rdf:li rdf:parseType="Resource"><r:Name>Grace</r:Name></rdf:li>`), `["Ada L." "Grace"]`},
		{"Windows", `<MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions><rdf:Bag><rdf:li MPReg:PersonDisplayName="Ada" ` +
			`MPReg:Rectangle="0,0,1,1"/><rdf:li rdf:parseType="Resource"><MPReg:PersonDisplayName>Grace</MPReg:PersonDisplayName></rdf:li>` +
			`<rdf:li MPReg:Rectangle="0,0,1,1"/></rdf:Bag></MPRI:Regions></MP:RegionInfo>`, `["Ada" "Grace"]`},
		{"all", `<e:PersonInImage><rdf:Bag><rdf:li>Zoë</rdf:li></rdf:Bag></e:PersonInImage>` +
			regions(`<rdf:li r:Name="ZOE&#x308;"/><rdf:li r:Name=" "/><rdf:li r:Name="Ada" r:Type="Face"/>`), `["Zoë" "Ada"]`},
		{"none", regions(""), `[]`},
	} {
		if got := fmt.Sprintf("%q", ofXMP(t, ns, tt.xmp, nil).people); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func FuzzFaces(f *testing.F) {
	f.Add([]byte(`<a xmlns:r="` + mwgRegions + `" r:Name="Ada" r:Type="Face"><r:Name>Grace</r:Name></a>`))
	f.Add([]byte(`<a xmlns:m="` + microsoftRegions + `"><m:PersonDisplayName>Ada</m:PersonDisplayName>`))
	f.Add([]byte(`</a><a>`))
	f.Fuzz(func(t *testing.T, packet []byte) {
		for _, name := range facesIn(packet) {
			if name == "" || len(name) > maxTagText {
				t.Fatalf("%q", name)
			}
		}
	})
}
