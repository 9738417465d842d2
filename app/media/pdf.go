package media

import (
	"bytes"
	"errors"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
)

var pdfFormat = format{
	Type: Type{
		MIME: "application/pdf", Name: "PDF", Phrase: "a PDF document", Extensions: []string{"pdf"}, Category: dam.CategoryDocument,
	},
	// Readers look for the magic in the first 1024 bytes (ISO 32000-1, annex H.3.4.1).
	is:     func(_ source, head []byte) bool { return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) },
	header: unknownSize,
	engine: &byEngine{name: "pdfium"},
	scales: true,
	paged:  true,
	says:   "pages, title, author, subject, XMP, text",

	metadata: pdfMetadata,
	unit:     func(s source) float64 { return embed.PageUnit(s, s.size) },
}

// pdfMetadata reads the XMP and the information dictionary of a document. For damaged or
// encrypted ones, the engine reports the error.
func pdfMetadata(s source) (*collector, error) {
	c := newCollector()
	xmp, info, err := embed.ReadPDF(s, s.size)
	for key, text := range info {
		if text = cleanText(text); text != "" {
			c.pdf[key] = text
		}
	}
	if errors.Is(err, embed.ErrDamaged) {
		err = nil
	}
	if len(xmp) > 0 {
		err = errors.Join(err, c.readXMP(xmp))
	}
	return c, err
}
