package document

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
)

// protectedBy returns the fault of a protected document if err contains it.
func protectedBy(err error) error {
	if fault, ok := errors.AsType[*engine.Fault](err); ok && fault.Reason == engine.Protected {
		return fault
	}
	return nil
}

// readODF reads an OpenDocument file. Source: OpenDocument 1.3, parts 2 and 3.
func readODF(d *doc, data []byte) error {
	c, err := open(data)
	if err != nil {
		return err
	}
	if err := c.encrypted(); err != nil {
		return err
	}
	if !c.has("content.xml") {
		return errors.New("the part with the text is missing")
	}
	meta, err := c.fields("meta.xml")
	d.note(err)
	d.title, d.description = first(meta["title"]), first(meta["description"])
	d.creator = first(append(meta["initial-creator"], meta["creator"]...))
	d.created = first(meta["creation-date"])
	for _, words := range meta["keyword"] {
		d.words(words)
	}
	for name, from := range map[string]string{
		"created": "creation-date", "modified": "date", "subject": "subject", "language": "language", "application": "generator",
	} {
		d.facts[name] = first(meta[from])
	}
	if creator := first(meta["creator"]); creator != d.creator {
		d.facts["last_modified_by"] = creator
	}
	if len(c.names("basic/", "script-lc.xml")) > 0 {
		d.facts["macros"] = true
	}
	d.pages = count(first(meta["@page-count"]))
	d.thumbnail = c.picture("Thumbnails/thumbnail.png")
	return d.content(c)
}

// encrypted returns a fault if the document is fully or partly encrypted.
func (c *container) encrypted() error {
	if c.has("encrypted-package") {
		return protected()
	}
	err := c.walk("META-INF/manifest.xml", visitor{start: func(name string, _ []xml.Attr) error {
		if name == "encryption-data" {
			return protected()
		}
		return nil
	}})
	return protectedBy(err)
}

// content reads the text of a document and counts its sheets and slides.
func (d *doc) content(c *container) error {
	sheets, slides, cells, lines := 0, 0, 0, 0
	inSheets := false
	err := c.walk("content.xml", visitor{
		skip: []string{"tracked-changes", "automatic-styles", "font-face-decls", "scripts", "forms"},
		start: func(name string, attr []xml.Attr) error {
			switch name {
			case "spreadsheet":
				inSheets = true
			case "table":
				if !inSheets {
					return nil
				}
				sheets++
				return d.body.add(attribute(attr, "name", true) + "\n")
			case "page":
				slides++
			case "table-cell":
				cells++
			case "p", "h", "header-decl", "footer-decl", "date-time-decl": // the latter are for slides
				lines++
			case "s":
				n, _ := strconv.Atoi(attribute(attr, "c", true)) // 1 by default
				return d.body.add(strings.Repeat(" ", min(max(n, 1), 8)))
			case "tab":
				return d.body.add("\t")
			case "line-break":
				return d.body.add("\n")
			}
			return nil
		},
		end: func(name string) error {
			switch name {
			case "p", "h", "header-decl", "footer-decl", "date-time-decl":
				lines--
				if cells > 0 {
					return d.body.add(" ")
				}
				return d.body.add("\n")
			case "table-cell":
				cells--
				return d.body.add("\t")
			case "table-row", "page":
				return d.body.add("\n")
			}
			return nil
		},
		text: func(s string) error {
			if lines <= 0 {
				return nil
			}
			return d.body.add(strings.ReplaceAll(s, "\n", " "))
		},
	})
	if n := max(sheets, slides); n > 0 && !errors.Is(err, errFull) {
		d.pages = n
	}
	return d.read(err)
}
