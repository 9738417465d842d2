package document

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"
)

// maxChapters is the maximum number of e-book parts whose text is read.
const maxChapters = 5000

// packaged is the content of an e-book's package document. Names of parts are relative to
// the container.
type packaged struct {
	fields   map[string][]string
	href     map[string]string // parts by id
	chapters []string          // ids in reading order
	cover    string            // id of the cover picture
}

// readEPUB reads an e-book. Source: EPUB 3.3 and OPF 2.0.
func readEPUB(d *doc, data []byte) error {
	c, err := open(data)
	if err != nil {
		return err
	}
	root, err := c.fields("META-INF/container.xml")
	name := first(root["@full-path"])
	if err != nil || !c.has(name) {
		return errors.Join(err, errors.New("the part that tells what is in the book is missing"))
	}
	p, err := c.packaged(name)
	d.note(err)
	d.title, d.description = first(p.fields["title"]), plainWords(first(p.fields["description"]))
	d.creator, d.created = strings.Join(p.fields["creator"], ", "), first(p.fields["date"])
	for _, words := range p.fields["subject"] {
		d.words(words)
	}
	if p.cover != "" {
		d.thumbnail = c.picture(p.href[p.cover])
	}
	locked := c.locked()
	for i, id := range p.chapters {
		if i >= maxChapters || d.body.full {
			d.body.full = true
			break
		}
		d.chapter(c, p.href[id], locked)
	}
	for name, from := range map[string]string{
		"created": "date", "language": "language", "publisher": "publisher", "identifier": "identifier",
	} {
		d.facts[name] = first(p.fields[from])
	}
	return nil
}

// chapter adds the text of a part.
func (d *doc) chapter(c *container, name string, locked map[string]bool) {
	if locked[strings.ToLower(name)] {
		d.note(errors.New("the text is encrypted"))
		return
	}
	r, err := c.part(name)
	if err != nil {
		d.note(err)
		return
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxHTML))
	d.note(err)
	page := &doc{facts: map[string]any{}}
	_ = readHTML(page, data)                    // it records errors itself
	_ = d.body.add(page.body.String() + "\n\n") // it records that the text is full
	d.body.full = d.body.full || page.body.full
}

// packaged reads the package document.
func (c *container) packaged(name string) (*packaged, error) {
	p := &packaged{href: map[string]string{}}
	var err error
	if p.fields, err = c.fields(name); err != nil {
		return p, err
	}
	cover := ""
	err = c.walk(name, visitor{start: func(element string, attr []xml.Attr) error {
		id := attribute(attr, "id", false)
		switch element {
		case "item":
			p.href[id] = within(name, attribute(attr, "href", false))
			if strings.Contains(attribute(attr, "properties", false), "cover-image") {
				p.cover = id
			}
		case "itemref":
			p.chapters = append(p.chapters, attribute(attr, "idref", false))
		case "meta":
			if attribute(attr, "name", false) == "cover" {
				cover = attribute(attr, "content", false)
			}
		}
		return nil
	}})
	if p.cover == "" {
		p.cover = cover
	}
	return p, err
}

// within resolves a reference in a part to the name of another part.
func within(name, ref string) string {
	if u, err := url.PathUnescape(ref); err == nil {
		ref = u
	}
	return path.Join(path.Dir(name), ref)
}

// locked returns the lower-case names of the encrypted parts.
func (c *container) locked() map[string]bool {
	names := map[string]bool{}
	_ = c.walk("META-INF/encryption.xml", visitor{start: func(element string, attr []xml.Attr) error { // unreadable parts decode to noise
		if element == "CipherReference" {
			names[strings.ToLower(within("", attribute(attr, "URI", false)))] = true
		}
		return nil
	}})
	return names
}

// plainWords converts a description, which may be HTML, to text.
func plainWords(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var d doc
	d.facts = map[string]any{}
	_ = readHTML(&d, []byte(s)) // cannot fail in memory
	return d.body.String()
}

// readIWork reads a Pages, Numbers or Keynote file. Only its picture is in an open format.
func readIWork(d *doc, data []byte) error {
	c, err := open(data)
	if err != nil {
		return err
	}
	if c.has(".iwph") {
		return protected()
	}
	d.thumbnail = c.picture("preview.jpg", "QuickLook/Thumbnail.jpg", "preview-web.jpg")
	return nil
}
