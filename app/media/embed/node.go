package embed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

type xmlName = xml.Name

// node is an element of a packet or, without a name, a text in it.
type node struct {
	name     xmlName
	attrs    []xml.Attr // without namespace declarations
	children []*node
	text     string
}

const nsXML = "http://www.w3.org/XML/1998/namespace"

var (
	nameLI          = xmlName{Space: nsRDF, Local: "li"}
	nameDescription = xmlName{Space: nsRDF, Local: "Description"}
	nameParseType   = xmlName{Space: nsRDF, Local: "parseType"}
	nameLang        = xmlName{Space: nsXML, Local: "lang"}
)

// errDeep is returned for a property that exceeds the limits.
var errDeep = errors.New("a property is too deep or too large")

// readNode reads an element up to its end tag.
func readNode(d *xml.Decoder, t xml.StartElement) (*node, error) {
	left := maxNodes
	return readNodes(d, t, maxDepth, &left)
}

func readNodes(d *xml.Decoder, t xml.StartElement, depth int, left *int) (*node, error) {
	if *left--; depth == 0 || *left < 0 {
		return nil, errDeep
	}
	n := &node{name: t.Name}
	for _, a := range t.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			n.attrs = append(n.attrs, a)
		}
	}
	for {
		t, err := d.Token()
		if err != nil {
			return n, err
		}
		switch t := t.(type) {
		case xml.CharData:
			n.children = append(n.children, &node{text: string(t)})
		case xml.StartElement:
			c, err := readNodes(d, t, depth-1, left)
			if err != nil {
				return n, err
			}
			n.children = append(n.children, c)
		case xml.EndElement:
			return n, nil
		}
	}
}

// eachProperty calls fn for each property of a packet in UTF-8, including those written as
// attributes.
func eachProperty(packet []byte, fn func(*node)) error {
	d := newDecoder(packet)
	for inside := false; ; {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch {
			case !inside && t.Name == nameDescription:
				inside = true
				for _, a := range t.Attr {
					if a.Name.Space != "xmlns" && a.Name.Space != nsRDF {
						fn(&node{name: a.Name, children: []*node{{text: a.Value}}})
					}
				}
			case inside:
				n, err := readNode(d, t)
				if err != nil {
					return err
				}
				fn(n)
			}
		case xml.EndElement:
			if t.Name == nameDescription {
				inside = false
			}
		}
	}
}

// newDecoder returns a decoder for XML that has been converted to UTF-8, regardless of the
// encoding that it declares.
func newDecoder(text []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return d
}

// attr returns the value of an attribute, or "" if it is missing.
func (n *node) attr(name xmlName) string {
	for _, a := range n.attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// container returns the list in a property, or nil if it has none.
func (n *node) container() *node {
	for _, c := range n.children {
		if c.name.Space == nsRDF && slices.Contains([]string{"Seq", "Bag", "Alt"}, c.name.Local) {
			return c
		}
	}
	return nil
}

// items returns the items of a list.
func (n *node) items() (list []*node) {
	for _, c := range n.children {
		if c.name == nameLI && len(list) < maxTexts {
			list = append(list, c)
		}
	}
	return list
}

// plain returns the text of an element without child elements, or "".
func (n *node) plain() string {
	var b strings.Builder
	for _, c := range n.children {
		if c.name.Local != "" {
			return ""
		}
		b.WriteString(c.text)
	}
	s := strings.TrimSpace(b.String())
	if s == "" {
		s = n.attr(xmlName{Space: nsRDF, Local: "resource"})
	}
	if len(s) > maxText {
		return ""
	}
	return s
}

// texts returns the values of a property; for a text in several languages, the default one.
func (n *node) texts() (list []string) {
	c := n.container()
	if c == nil {
		if s := n.plain(); s != "" {
			list = append(list, s)
		}
		return list
	}
	items := c.items()
	if c.name.Local == "Alt" && len(items) > 0 {
		items = []*node{items[max(0, slices.IndexFunc(items, isDefault))]}
	}
	for _, li := range items {
		if s := li.plain(); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func isDefault(li *node) bool { return li.attr(nameLang) == "x-default" }

// body returns the element that contains the members of a structure: n itself, the
// description in it, or that of the first item of a list; nil if n is not a structure.
func (n *node) body() *node {
	if c := n.container(); c != nil {
		items := c.items()
		if len(items) == 0 {
			return nil
		}
		n = items[0]
	}
	for _, c := range n.children {
		if c.name == nameDescription {
			return c
		}
	}
	if n.attr(nameParseType) == "Resource" || slices.ContainsFunc(n.attrs, isMember) {
		return n
	}
	return nil
}

func isMember(a xml.Attr) bool {
	return a.Name.Space != nsRDF && a.Name.Space != nsXML && a.Name.Space != ""
}

// members returns the members of a structure, or of the first structure in a list.
func (n *node) members() (list []*node) {
	b := n.body()
	if b == nil {
		return nil
	}
	for _, a := range b.attrs {
		if isMember(a) {
			list = append(list, &node{name: a.Name, children: []*node{{text: a.Value}}})
		}
	}
	for _, c := range b.children {
		if c.name.Local != "" && c.name.Space != nsRDF {
			list = append(list, c)
		}
	}
	return list
}

// without removes a member from a structure.
func (n *node) without(name xmlName) {
	n.attrs = slices.DeleteFunc(n.attrs, func(a xml.Attr) bool { return a.Name == name })
	n.children = slices.DeleteFunc(n.children, func(c *node) bool { return c.name == name })
}

func text(s string) []*node { return []*node{{text: s}} }

// changed returns the new version of a property, given its previous version or nil. It
// returns nil if nothing remains.
func (p Property) changed(before *node) *node {
	top, member, isMember := strings.Cut(p.Path, "/")
	if !isMember {
		return made(p.Path, p.Texts, before)
	}
	name := nameOf(member)
	if before == nil || before.body() == nil {
		if len(p.Texts) == 0 {
			return before
		}
		before = structure(nameOf(top), forms[top])
	}
	body := before.body()
	var old *node
	for _, m := range before.members() {
		if m.name == name {
			old = m
		}
	}
	body.without(name)
	if m := made(member, p.Texts, old); m != nil {
		body.children = append(body.children, m)
	}
	if c := before.container(); len(before.members()) == 0 && (c == nil || len(c.items()) == 1) {
		return nil
	}
	return before
}

// structure returns a property that is a structure without members.
func structure(name xmlName, f form) *node {
	empty := []xml.Attr{{Name: nameParseType, Value: "Resource"}}
	kind := map[form]string{bagPart: "Bag", seqPart: "Seq"}[f]
	if kind == "" {
		return &node{name: name, attrs: empty}
	}
	return &node{name: name, children: []*node{{
		name: xmlName{Space: nsRDF, Local: kind}, children: []*node{{name: nameLI, attrs: empty}},
	}}}
}

// made returns a property with the given texts, in its previous form. It preserves
// translations; those equal to the old text are updated.
func made(path string, texts []string, before *node) *node {
	if len(texts) == 0 {
		return nil
	}
	f := forms[path]
	if f == single && len(texts) > 1 {
		f = bag
	}
	var list *node
	if before != nil {
		list = before.container()
	}
	if list != nil && f == single {
		f = map[string]form{"Seq": seq, "Bag": bag, "Alt": alt}[list.name.Local]
	}
	n := &node{name: nameOf(path)}
	if f != bag && f != seq && f != alt {
		n.children = text(texts[0])
		return n
	}
	to := &node{name: xmlName{Space: nsRDF, Local: map[form]string{bag: "Bag", seq: "Seq", alt: "Alt"}[f]}}
	n.children = []*node{to}
	if f != alt {
		for _, s := range texts {
			to.children = append(to.children, &node{name: nameLI, children: text(s)})
		}
		return n
	}
	to.children = []*node{{name: nameLI, attrs: []xml.Attr{{Name: nameLang, Value: "x-default"}}, children: text(texts[0])}}
	if list == nil {
		return n
	}
	had := before.texts()
	for i, li := range list.items() {
		switch {
		case isDefault(li), i == 0 && li.attr(nameLang) == "":
			continue
		case len(had) > 0 && li.plain() == had[0]:
			li.children = text(texts[0])
		}
		to.children = append(to.children, li)
	}
	return n
}

// namespaces collects the namespaces used in an element.
func (n *node) namespaces(all map[string]string) {
	note := func(space string) {
		if _, known := all[space]; space != "" && space != nsXML && !known {
			all[space] = prefixFor(space, len(all))
		}
	}
	note(n.name.Space)
	for _, a := range n.attrs {
		note(a.Name.Space)
	}
	for _, c := range n.children {
		c.namespaces(all)
	}
}

// write writes an element with the given namespace prefixes.
func (n *node) write(b *bytes.Buffer, prefixes map[string]string) {
	if n.name.Local == "" {
		_ = xml.EscapeText(b, []byte(n.text)) // a buffer never fails
		return
	}
	name := qualified(n.name, prefixes)
	b.WriteString("<" + name)
	for _, a := range n.attrs {
		b.WriteString(" " + qualified(a.Name, prefixes) + `="`)
		_ = xml.EscapeText(b, []byte(a.Value))
		b.WriteString(`"`)
	}
	b.WriteString(">")
	for _, c := range n.children {
		c.write(b, prefixes)
	}
	b.WriteString("</" + name + ">")
}

func qualified(name xmlName, prefixes map[string]string) string {
	switch name.Space {
	case "":
		return name.Local
	case nsXML:
		return "xml:" + name.Local
	}
	return prefixes[name.Space] + ":" + name.Local
}
