package media

import (
	"bytes"

	"github.com/digital-asset-library/dal/app/dam"
)

var pdfFormat = format{
	Type: Type{
		MIME: "application/pdf", Name: "PDF", Phrase: "a PDF document", Extensions: []string{"pdf"}, Category: dam.CategoryDocument,
	},
	// Readers look for the mark in the first 1024 bytes (ISO 32000-1, annex H.3.4.1).
	is:     func(_ source, head []byte) bool { return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) },
	header: unknownSize,
	engine: &byEngine{name: "pdfium"},
	scales: true,
	paged:  true,
	says:   "pages, title, author, subject, text",
}
