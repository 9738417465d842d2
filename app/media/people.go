package media

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// The namespaces of regions in pictures (Guidelines for Handling Image Metadata 2.0 of the Metadata Working Group,
// section 5.9; People Tagging of the Windows Imaging Component).
const (
	mwgRegions       = "http://www.metadataworkinggroup.com/schemas/regions/"
	microsoftRegions = "http://ns.microsoft.com/photo/1.2/t/Region#"
)

// maxRegionDepth bounds how deep the elements with regions are in each other.
const maxRegionDepth = 100

// people returns who is in a picture: the names that IPTC has for that, and those of the regions of faces.
func (c *collector) people() []string {
	return dam.CleanWords(append(slices.Clone(texts(c.xmp["PersonInImage"])), c.faces...))
}

// facesIn returns the names of the regions of an XMP packet that are faces, up to the damage of one that is damaged.
func facesIn(packet []byte) (names []string) {
	type region struct{ name, kind string }
	d := xml.NewDecoder(bytes.NewReader(embed.Text(packet)))
	open := []region{{}} // of each element that is open, what it says of a region
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
