package embed

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
)

const (
	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsDC  = "http://purl.org/dc/elements/1.1/"
	nsX   = "adobe:ns:meta/"
)

// written are the properties of Dublin Core that are written, and those that are taken out
// of a packet before.
var written = map[string]bool{"title": true, "description": true, "creator": true, "rights": true, "subject": true}

// packet returns an XMP packet (ISO 16684-1) that says what f says, and else what an
// older one did, if that can be read.
func packet(old []byte, f Fields) []byte {
	kept, ok := without(old)
	if !ok {
		kept = []byte(`<x:xmpmeta xmlns:x="` + nsX + `"><rdf:RDF xmlns:rdf="` + nsRDF + `"></rdf:RDF></x:xmpmeta>`)
	}
	end := bytes.LastIndex(kept, []byte("</"))
	if at := endOfRDF(kept); at >= 0 {
		end = at
	}
	var b bytes.Buffer
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n")
	b.Write(kept[:end])
	f.describe(&b)
	b.Write(kept[end:])
	b.WriteString("\n<?xpacket end=\"r\"?>")
	return b.Bytes()
}

// describe writes what f says as a description in RDF.
func (f Fields) describe(b *bytes.Buffer) {
	b.WriteString(`<rdf:Description xmlns:rdf="` + nsRDF + `" xmlns:dc="` + nsDC + `" rdf:about="">`)
	list := func(property, kind, attributes string, texts ...string) {
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" {
			return
		}
		b.WriteString("<dc:" + property + "><rdf:" + kind + ">")
		for _, t := range texts {
			b.WriteString("<rdf:li" + attributes + ">")
			_ = xml.EscapeText(b, []byte(t)) // a buffer takes all
			b.WriteString("</rdf:li>")
		}
		b.WriteString("</rdf:" + kind + "></dc:" + property + ">")
	}
	const standard = ` xml:lang="x-default"`
	list("title", "Alt", standard, f.Title)
	list("description", "Alt", standard, f.Description)
	list("creator", "Seq", "", f.Creator)
	list("rights", "Alt", standard, f.Copyright)
	list("subject", "Bag", "", f.Keywords...)
	b.WriteString("</rdf:Description>")
}

// without returns a packet without what is written, and whether it can be read. What
// remains is as it was, to the byte.
func without(old []byte) ([]byte, bool) {
	if old = Text(old); len(old) == 0 || len(old) > maxPacket || !bytes.Contains(old, []byte(nsRDF)) {
		return nil, false
	}
	c := cutter{data: old}
	c.d = xml.NewDecoder(bytes.NewReader(c.data))
	if err := c.run(); err != nil || !c.found {
		return nil, false
	}
	return bytes.TrimSpace(append(c.out, c.data[c.done:max(c.done, c.end)]...)), true
}

// cutter takes elements and attributes out of a packet.
type cutter struct {
	data  []byte
	d     *xml.Decoder
	out   []byte
	done  int // bytes of data that are in out, or left out
	end   int // of the last element
	depth int
	found bool

	// Of the description that is being read:
	inside int // its depth, 0 for none
	before int // bytes of out before it
	kept   bool
}

func (c *cutter) run() error {
	for {
		start := int(c.d.InputOffset())
		t, err := c.d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.ProcInst, xml.Directive: // the wrapper is made anew
			c.cut(start, int(c.d.InputOffset()))
		case xml.StartElement:
			if err := c.begin(t, start); err != nil {
				return err
			}
		case xml.EndElement:
			c.end = int(c.d.InputOffset())
			if c.depth == c.inside && !c.kept { // a description of which nothing is left
				c.out, c.done = c.out[:c.before], c.end
			}
			if c.depth--; c.depth < c.inside {
				c.inside = 0
			}
		}
	}
}

// begin looks at the beginning of an element.
func (c *cutter) begin(t xml.StartElement, start int) error {
	c.depth++
	switch {
	case c.inside == 0 && t.Name.Space == nsRDF && t.Name.Local == "Description":
		c.found, c.inside, c.kept = true, c.depth, false
		c.cut(start, start)
		c.before = len(c.out)
		c.attributes(start, int(c.d.InputOffset()), t)
	case c.inside > 0 && c.depth == c.inside+1 && t.Name.Space == nsDC && written[t.Name.Local]:
		if err := c.d.Skip(); err != nil {
			return err
		}
		c.depth--
		c.cut(start, int(c.d.InputOffset()))
	case c.inside > 0:
		c.kept = true
	}
	return nil
}

// cut leaves out what is between two offsets.
func (c *cutter) cut(from, to int) {
	c.out = append(c.out, c.data[c.done:from]...)
	c.done = to
}

// attributes leaves out the attributes of a description that are written.
func (c *cutter) attributes(from, to int, t xml.StartElement) {
	tag := c.data[from:to]
	for _, a := range t.Attr {
		if a.Name.Space != nsDC || !written[a.Name.Local] {
			c.kept = c.kept || a.Name.Space != "xmlns" && a.Name.Local != "xmlns" && a.Name.Space != nsRDF
			continue
		}
		if i, j := attribute(tag, c.prefix(to)+":"+a.Name.Local); i >= 0 {
			c.cut(from+i, from+j)
		}
	}
}

var dcPrefix = regexp.MustCompile(`xmlns:([^\s=]+)\s*=\s*["']` + regexp.QuoteMeta(nsDC) + `["']`)

// prefix returns the prefix of Dublin Core that was declared last before an offset.
func (c *cutter) prefix(before int) string {
	all := dcPrefix.FindAllSubmatch(c.data[:before], -1)
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1][1])
}

// attribute finds an attribute in a start tag, with the space before it.
func attribute(tag []byte, wanted string) (from, to int) {
	for at := 1; at < len(tag); {
		eq := bytes.IndexByte(tag[at:], '=')
		if eq < 0 {
			break
		}
		eq += at
		open := eq + 1
		for open < len(tag) && strings.IndexByte(" \t\r\n", tag[open]) >= 0 {
			open++
		}
		if open >= len(tag) {
			break
		}
		end := bytes.IndexByte(tag[open+1:], tag[open])
		if end < 0 {
			break
		}
		end += open + 2
		name := bytes.TrimSpace(tag[at:eq])
		if i := bytes.LastIndexAny(name, " \t\r\n"); i >= 0 {
			name = name[i+1:]
		}
		if string(name) == wanted {
			start := at + bytes.LastIndex(tag[at:eq], name)
			for start > 0 && strings.IndexByte(" \t\r\n", tag[start-1]) >= 0 {
				start--
			}
			return start, end
		}
		at = end
	}
	return -1, -1
}

// Text returns an XMP packet in UTF-8, without a mark of the byte order and without
// characters that XML does not have. It may have been in UTF-16.
func Text(packet []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(packet, []byte{0xfe, 0xff}), bytes.HasPrefix(packet, []byte{0, '<'}):
		order = binary.BigEndian
	case bytes.HasPrefix(packet, []byte{0xff, 0xfe}), bytes.HasPrefix(packet, []byte{'<', 0}):
		order = binary.LittleEndian
	}
	if order != nil {
		var units []uint16
		for at := 0; at+1 < len(packet) && order.Uint16(packet[at:]) != 0; at += 2 {
			units = append(units, order.Uint16(packet[at:]))
		}
		packet = []byte(string(utf16.Decode(units)))
	}
	packet = bytes.TrimPrefix(packet, []byte("\ufeff"))
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, packet) // which replaces what is not UTF-8
}

// endOfRDF returns where the end tag of the RDF element begins, -1 if there is none.
func endOfRDF(kept []byte) int {
	d := xml.NewDecoder(bytes.NewReader(kept))
	at := -1
	for {
		start := int(d.InputOffset())
		t, err := d.Token()
		if err != nil {
			return at
		}
		if e, ok := t.(xml.EndElement); ok && e.Name.Space == nsRDF && e.Name.Local == "RDF" {
			at = start
		}
	}
}
