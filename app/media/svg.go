package media

import (
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

// unknownSize is the header function for files whose size the engine determines.
func unknownSize(source) (header, error) { return header{}, nil }

// isSVG reports whether the root element of an XML document is svg.
func isSVG(_ source, head []byte) bool { return firstElement(head) == "svg" }
