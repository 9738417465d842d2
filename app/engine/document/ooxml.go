package document

import (
	"encoding/xml"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The parts of Office Open XML and their elements: ECMA-376, part 1; core properties: part
// 2, section 11.

// ooxml opens a document and reads its metadata.
func ooxml(d *doc, data []byte) (*container, error) {
	c, err := open(data)
	if err != nil {
		return nil, err
	}
	core, err := c.fields("docProps/core.xml")
	d.note(err)
	d.title, d.creator, d.description = first(core["title"]), first(core["creator"]), first(core["description"])
	d.created = first(core["created"])
	d.words(strings.Join(core["keywords"], ","))
	for name, from := range map[string]string{
		"created": "created", "modified": "modified", "subject": "subject", "category": "category", "language": "language",
		"last_modified_by": "lastModifiedBy",
	} {
		d.facts[name] = first(core[from])
	}
	app, err := c.fields("docProps/app.xml")
	d.note(err)
	d.facts["application"] = first(app["Application"])
	d.pages = count(first(app["Pages"]))
	for _, folder := range []string{"word/", "xl/", "ppt/"} {
		if c.has(folder + "vbaProject.bin") {
			d.facts["macros"] = true
		}
	}
	d.thumbnail = c.picture("docProps/thumbnail.jpeg", "docProps/thumbnail.jpg", "docProps/thumbnail.png")
	return c, nil
}

// count parses a number of pages, 0 if it is invalid.
func count(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1_000_000 {
		return 0
	}
	return n
}

// readWord reads a Word document.
func readWord(d *doc, data []byte) error {
	c, err := ooxml(d, data)
	if err != nil {
		return err
	}
	main := c.names("word/document", ".xml")
	if len(main) == 0 {
		return errors.New("the part with the text is missing")
	}
	notes := []string{"word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"}
	for _, name := range slices.Concat(main, notes, c.names("word/header", ".xml"), c.names("word/footer", ".xml")) {
		if err := d.drawing(c, name); err != nil {
			return err
		}
	}
	return nil
}

// drawing reads the text of a part: w:t, or a:t of DrawingML. It returns an error only for
// a protected document.
func (d *doc) drawing(c *container, name string) error {
	inText := false
	err := c.walk(name, visitor{
		skip: []string{"pPr", "rPr", "sectPr", "tblPr", "Fallback"}, // formatting, and alternative versions of some texts
		start: func(name string, _ []xml.Attr) error {
			switch name {
			case "t":
				inText = true
			case "tab":
				return d.body.add("\t")
			case "br", "cr":
				return d.body.add("\n")
			}
			return nil
		},
		end: func(name string) error {
			switch name {
			case "t":
				inText = false
			case "p":
				return d.body.add("\n")
			}
			return nil
		},
		text: func(s string) error {
			if !inText {
				return nil
			}
			return d.body.add(s)
		},
	})
	return d.read(err)
}

// read handles the end of reading a part. The text read so far is kept.
func (d *doc) read(err error) error {
	if errors.Is(err, errUnpacked) {
		d.body.full = true
		return nil
	}
	if protected := protectedBy(err); protected != nil {
		return protected
	}
	d.note(err)
	return nil
}

// listed is a part referenced by an element of another part.
type listed struct{ name, part string }

// list returns the parts referenced by the elements of a part, with their names.
func (d *doc) list(c *container, from, element string) ([]listed, error) {
	dir, file := path.Split(from)
	targets := map[string]string{}
	err := c.walk(dir+"_rels/"+file+".rels", visitor{start: func(_ string, attr []xml.Attr) error {
		if to := attribute(attr, "Target", false); strings.HasPrefix(to, "/") {
			targets[attribute(attr, "Id", false)] = to[1:]
		} else {
			targets[attribute(attr, "Id", false)] = path.Join(dir, to)
		}
		return nil
	}})
	if err := d.read(err); err != nil {
		return nil, err
	}
	var list []listed
	err = c.walk(from, visitor{start: func(name string, attr []xml.Attr) error {
		if name == element && len(list) < 10_000 {
			list = append(list, listed{attribute(attr, "name", false), targets[attribute(attr, "id", true)]})
		}
		return nil
	}})
	return list, d.read(err)
}

// readPowerPoint reads a PowerPoint presentation: its slides with their notes.
func readPowerPoint(d *doc, data []byte) error {
	c, err := ooxml(d, data)
	if err != nil {
		return err
	}
	if !c.has("ppt/presentation.xml") {
		return errors.New("the part with the slides is missing")
	}
	slides, err := d.list(c, "ppt/presentation.xml", "sldId")
	if err != nil {
		return err
	}
	d.pages = len(slides)
	for _, s := range slides {
		if err := d.drawing(c, s.part); err != nil {
			return err
		}
		if err := d.body.add("\n"); err != nil {
			return nil
		}
	}
	for _, name := range c.names("ppt/notesslides/", ".xml") {
		if err := d.drawing(c, name); err != nil {
			return err
		}
	}
	return nil
}

// maxStrings is the maximum size of the shared strings of a spreadsheet, in bytes.
const maxStrings = 8 << 20

// readExcel reads an Excel spreadsheet: the names of its sheets, and the cells.
func readExcel(d *doc, data []byte) error {
	c, err := ooxml(d, data)
	if err != nil {
		return err
	}
	if !c.has("xl/workbook.xml") {
		return errors.New("the part with the sheets is missing")
	}
	sheets, err := d.list(c, "xl/workbook.xml", "sheet")
	if err != nil {
		return err
	}
	d.pages = len(sheets)
	shared, err := d.shared(c)
	if err != nil {
		return err
	}
	for _, s := range sheets {
		if d.body.add(s.name+"\n") != nil {
			return nil
		}
		if err := d.cells(c, s.part, shared); err != nil {
			return err
		}
	}
	return nil
}

// shared reads the shared strings.
func (d *doc) shared(c *container) ([]string, error) {
	var list []string
	var b strings.Builder
	n, inText := 0, false
	err := c.walk("xl/sharedStrings.xml", visitor{
		skip:  []string{"rPh", "rPr"}, // phonetic text and formatting
		start: func(name string, _ []xml.Attr) error { inText = name == "t"; return nil },
		text: func(s string) error {
			if !inText {
				return nil
			}
			if n += len(s); n > maxStrings {
				d.body.full = true
				return errFull
			}
			b.WriteString(s)
			return nil
		},
		end: func(name string) error {
			inText = false
			if name != "si" {
				return nil
			}
			if n += 32; n > maxStrings {
				d.body.full = true
				return errFull
			}
			list = append(list, b.String())
			b.Reset()
			return nil
		},
	})
	return list, d.read(err)
}

// cells reads the cells of a sheet.
func (d *doc) cells(c *container, name string, shared []string) error {
	kind, value, inValue := "", "", false
	err := c.walk(name, visitor{
		skip: []string{"rPh", "rPr", "f", "headerFooter"},
		start: func(name string, attr []xml.Attr) error {
			switch name {
			case "c":
				kind, value = attribute(attr, "t", false), ""
			case "v", "t":
				inValue = true
			}
			return nil
		},
		text: func(s string) error {
			if inValue && len(value)+len(s) <= MaxText {
				value += s
			}
			return nil
		},
		end: func(name string) error {
			switch name {
			case "v", "t":
				inValue = false
			case "c":
				if i, err := strconv.Atoi(strings.TrimSpace(value)); kind == "s" && err == nil && i >= 0 && i < len(shared) {
					value = shared[i]
				} else if kind == "s" {
					value = ""
				}
				return d.body.add(strings.ReplaceAll(value, "\n", " ") + "\t")
			case "row":
				return d.body.add("\n")
			}
			return nil
		},
	})
	return d.read(err)
}
