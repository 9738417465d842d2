package embed

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/digital-asset-library/dal/app/dam"
)

const (
	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsX   = "adobe:ns:meta/"
)

// packet returns an XMP packet (ISO 16684-1) with the given properties, and the other
// properties of an older packet if that is readable.
func packet(old []byte, list []Property) []byte {
	had := map[xmlName]*node{}
	kept, ok := without(old, list, had)
	if !ok {
		clear(had)
		kept = []byte(`<x:xmpmeta xmlns:x="` + nsX + `"><rdf:RDF xmlns:rdf="` + nsRDF + `"></rdf:RDF></x:xmpmeta>`)
	}
	end := bytes.LastIndex(kept, []byte("</"))
	if at := endOfRDF(kept); at >= 0 {
		end = at
	}
	var b bytes.Buffer
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n")
	b.Write(kept[:end])
	describe(&b, list, had)
	b.Write(kept[end:])
	b.WriteString("\n<?xpacket end=\"r\"?>")
	return b.Bytes()
}

// topOf returns the name of a top-level property, or of the structure that contains a
// member.
func topOf(path string) xmlName {
	top, _, _ := strings.Cut(path, "/")
	return nameOf(top)
}

// describe writes the new versions of the properties as an RDF description.
func describe(b *bytes.Buffer, list []Property, had map[xmlName]*node) {
	var order []xmlName
	for _, p := range list {
		name := topOf(p.Path)
		if had[name] = p.changed(had[name]); !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	prefixes := map[string]string{nsRDF: "rdf"}
	for _, name := range order {
		if n := had[name]; n != nil {
			n.namespaces(prefixes)
		}
	}
	b.WriteString(`<rdf:Description`)
	for _, space := range slices.Sorted(maps.Keys(prefixes)) {
		b.WriteString(" xmlns:" + prefixes[space] + `="`)
		_ = xml.EscapeText(b, []byte(space)) // a buffer never fails
		b.WriteString(`"`)
	}
	b.WriteString(` rdf:about="">`)
	for _, name := range order {
		if n := had[name]; n != nil {
			n.write(b, prefixes)
		}
	}
	b.WriteString("</rdf:Description>")
}

// prefixFor returns the usual prefix of a namespace, or a numbered one.
func prefixFor(space string, n int) string {
	if prefix := dam.XMPPrefix(space); prefix != "" {
		return prefix
	}
	return "ns" + strconv.Itoa(n)
}

// without returns a packet without some properties, which it moves to had, and whether the
// packet is readable. The remainder is unchanged, byte for byte.
func without(old []byte, list []Property, had map[xmlName]*node) ([]byte, bool) {
	if old = Text(old); len(old) == 0 || len(old) > maxPacket || !bytes.Contains(old, []byte(nsRDF)) {
		return nil, false
	}
	c := cutter{data: old, had: had, wanted: map[xmlName]bool{}}
	for _, p := range list {
		c.wanted[topOf(p.Path)] = true
	}
	c.d = newDecoder(c.data)
	if err := c.run(); err != nil || !c.found {
		return nil, false
	}
	return bytes.TrimSpace(append(c.out, c.data[c.done:max(c.done, c.end)]...)), true
}

// cutter removes elements and attributes from a packet.
type cutter struct {
	data   []byte
	wanted map[xmlName]bool
	had    map[xmlName]*node // the removed properties
	d      *xml.Decoder
	out    []byte
	done   int // bytes of data that were copied to out or skipped
	end    int // end of the last element
	depth  int
	found  bool

	// Of the current description:
	inside int // its depth; 0 for none
	before int // length of out before it
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
		case xml.ProcInst, xml.Directive: // the wrapper is regenerated
			c.cut(start, int(c.d.InputOffset()))
		case xml.StartElement:
			if err := c.begin(t, start); err != nil {
				return err
			}
		case xml.EndElement:
			c.end = int(c.d.InputOffset())
			if c.depth == c.inside && !c.kept { // a description that has become empty
				c.out, c.done = c.out[:c.before], c.end
			}
			if c.depth--; c.depth < c.inside {
				c.inside = 0
			}
		}
	}
}

// begin handles a start tag.
func (c *cutter) begin(t xml.StartElement, start int) error {
	c.depth++
	switch {
	case c.inside == 0 && t.Name == nameDescription:
		c.found, c.inside, c.kept = true, c.depth, false
		c.cut(start, start)
		c.before = len(c.out)
		c.attributes(start, int(c.d.InputOffset()), t)
	case c.inside > 0 && c.depth == c.inside+1 && c.wanted[t.Name]:
		n, err := readNode(c.d, t)
		if err != nil {
			return err
		}
		c.take(n)
		c.depth--
		c.cut(start, int(c.d.InputOffset()))
	case c.inside > 0:
		c.kept = true
	}
	return nil
}

// take records a removed property. If a property occurs twice, the first one counts.
func (c *cutter) take(n *node) {
	if c.had[n.name] == nil {
		c.had[n.name] = n
	}
}

// cut skips the data between two offsets.
func (c *cutter) cut(from, to int) {
	c.out = append(c.out, c.data[c.done:from]...)
	c.done = to
}

// attributes removes the wanted attributes of a description.
func (c *cutter) attributes(from, to int, t xml.StartElement) {
	places := attributes(c.data[from:to])
	for i, a := range t.Attr {
		if !c.wanted[a.Name] || i >= len(places) {
			c.kept = c.kept || a.Name.Space != "xmlns" && a.Name.Local != "xmlns" && a.Name.Space != nsRDF
			continue
		}
		c.take(&node{name: a.Name, children: text(a.Value)})
		c.cut(from+places[i][0], from+places[i][1])
	}
}

// attributes returns the ranges of the attributes in a start tag, each including the space
// before it.
func attributes(tag []byte) (list [][2]int) {
	const space = " \t\r\n"
	at := bytes.IndexAny(tag, space)
	for at >= 0 && at < len(tag) {
		eq := bytes.IndexByte(tag[at:], '=')
		if eq < 0 {
			break
		}
		open := at + eq + 1
		for open < len(tag) && strings.IndexByte(space, tag[open]) >= 0 {
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
		list = append(list, [2]int{at, end})
		at = end
	}
	return list
}

// Text returns an XMP packet converted to UTF-8, from UTF-16 if necessary, without a byte
// order mark and without characters that are invalid in XML.
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
	}, packet) // replaces invalid UTF-8
}

// endOfRDF returns the offset of the RDF element's end tag, or -1.
func endOfRDF(kept []byte) int {
	d := newDecoder(kept)
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
