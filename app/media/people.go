package media

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// The namespaces of picture regions (Guidelines for Handling Image Metadata 2.0 of the
// Metadata Working Group, section 5.9; People Tagging of the Windows Imaging Component).
const (
	mwgRegions       = "http://www.metadataworkinggroup.com/schemas/regions/"
	microsoftRegions = "http://ns.microsoft.com/photo/1.2/t/Region#"
)

// maxRegionDepth limits the nesting of elements that describe regions.
const maxRegionDepth = 100

// people returns the names of the people in a picture: those in the IPTC property for that,
// and those of face regions.
func (c *collector) people() []string {
	return dam.CleanWords(append(slices.Clone(texts(c.xmp["PersonInImage"])), c.faces...))
}

// facesIn returns the names of the face regions in an XMP packet. In a damaged packet it
// stops at the damage.
func facesIn(packet []byte) (names []string) {
	type region struct{ name, kind string }
	d := xml.NewDecoder(bytes.NewReader(embed.Text(packet)))
	open := []region{{}} // region data of each open element
	note := func(r *region, name xml.Name, text string) {
		switch {
		case name.Space == mwgRegions && name.Local == "Name", name.Space == microsoftRegions && name.Local == "PersonDisplayName":
			r.name = cleanText(text)
		case name.Space == mwgRegions && name.Local == "Type":
			r.kind = strings.TrimSpace(text)
		}
	}
	var text strings.Builder
	for len(names) < dam.MaxKeywords && len(open) <= maxRegionDepth {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			text.Reset()
			var r region
			for _, a := range t.Attr {
				note(&r, a.Name, a.Value)
			}
			open = append(open, r)
		case xml.CharData:
			if text.Len() <= maxTagText {
				text.Write(t)
			}
		case xml.EndElement:
			r := open[len(open)-1]
			open = open[:len(open)-1]
			note(&open[len(open)-1], t.Name, text.String())
			text.Reset()
			if r.name != "" && (r.kind == "" || r.kind == "Face") {
				names = append(names, r.name)
			}
		}
	}
	return names
}
