package media

import (
	"bytes"
	"encoding/xml"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

var svgFormat = format{
	Type: Type{
		MIME: "image/svg+xml", Name: "SVG", Phrase: "an SVG picture",
		Extensions: []string{"svg"}, Category: dam.CategoryImage,
	},
	is:     isSVG,
	header: unknownSize,
	engine: &byEngine{name: "resvg"},
	says:   "title, description, creator",
	scales: true,
}

// unknownSize is the header of a file whose size the engine tells.
func unknownSize(source) (header, error) { return header{}, nil }

// isSVG reports whether the first element of an XML document is svg.
func isSVG(_ source, head []byte) bool {
	if !bytes.Contains(head, []byte("<")) || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		t, err := d.RawToken()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case xml.StartElement:
			return t.Name.Local == "svg"
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return false
			}
		}
	}
}
