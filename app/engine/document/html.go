package document

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// maxHTML is the maximum size of a page that is read, and maxToken that of a token, in
// bytes: a page may have inline pictures.
const (
	maxHTML  = 32 << 20
	maxToken = 16 << 20
)

// hidden are the elements whose content is not text.
var hidden = []atom.Atom{atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg, atom.Math}

// inline are the elements that do not end a line.
var inline = []atom.Atom{
	atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Data, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Img, atom.Ins,
	atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong,
	atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr,
}

// page is the state of reading an HTML page.
type page struct {
	d      *doc
	hidden atom.Atom // enclosing hidden element; 0 for none
	deep   int       // nesting depth of that element
	title  bool      // inside the title
	pre    int
}

// readHTML reads an HTML page.
func readHTML(d *doc, data []byte) error {
	d.body.full = len(data) > maxHTML
	data = cut(data, maxHTML)
	r, name := decodeHTML(data)
	d.facts["encoding"] = name
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	p := &page{d: d}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if err := z.Err(); !errors.Is(err, io.EOF) {
				d.note(err)
				d.body.full = true
			}
			return nil
		}
		if err := p.token(kind, z.Token()); err != nil {
			return nil // enough text was read
		}
	}
}

// decodeHTML converts a page to UTF-8 and returns its original encoding: the declared one,
// otherwise the detected one.
func decodeHTML(data []byte) (io.Reader, string) {
	e, name, sure := charset.DetermineEncoding(data[:min(len(data), 1024)], "")
	if !sure {
		if utf8.Valid(data) {
			return bytes.NewReader(data), "utf-8"
		}
		if c := detect(data[:min(len(data), maxDetect)]); c.name != "" {
			e, name = c, strings.ToLower(c.name)
		}
	}
	return e.NewDecoder().Reader(bytes.NewReader(data)), name
}

func (p *page) token(kind html.TokenType, t html.Token) error {
	switch kind {
	case html.TextToken:
		return p.text(t.Data)
	case html.StartTagToken, html.SelfClosingTagToken:
		return p.start(t, kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		return p.end(t.DataAtom)
	}
	return nil
}

func (p *page) text(s string) error {
	switch {
	case p.hidden != 0:
		return nil
	case p.title:
		if len(p.d.title) < maxWords {
			p.d.title += s
		}
		return nil
	case p.pre > 0:
		return p.d.body.add(s)
	}
	words := strings.Join(strings.Fields(s), " ")
	if words == "" {
		return p.d.body.add(" ")
	}
	if strings.ContainsAny(s[:1], " \t\r\n\f") {
		words = " " + words
	}
	if strings.ContainsAny(s[len(s)-1:], " \t\r\n\f") {
		words += " "
	}
	return p.d.body.add(words)
}

func (p *page) start(t html.Token, closed bool) error {
	a := t.DataAtom
	switch {
	case p.hidden != 0:
		if a == p.hidden && !closed {
			p.deep++
		}
		return nil
	case slices.Contains(hidden, a) && !closed:
		p.hidden, p.deep = a, 1
		return nil
	case a == atom.Title:
		p.title = !closed && p.d.title == ""
		return nil
	case a == atom.Meta:
		p.meta(t.Attr)
		return nil
	case a == atom.Html:
		p.d.facts["language"] = value(t.Attr, "lang")
		return nil
	case a == atom.Pre:
		p.pre++
	case a == atom.Td || a == atom.Th:
		return p.d.body.add("\t")
	case slices.Contains(inline, a):
		return nil
	}
	return p.d.body.add("\n")
}

func (p *page) end(a atom.Atom) error {
	switch {
	case p.hidden != 0:
		if a == p.hidden {
			if p.deep--; p.deep == 0 {
				p.hidden = 0
			}
		}
		return nil
	case a == atom.Title:
		p.title = false
		return nil
	case a == atom.Pre:
		p.pre = max(p.pre-1, 0)
	case a == atom.Td, a == atom.Th, slices.Contains(inline, a):
		return nil
	}
	return p.d.body.add("\n")
}

// meta reads the metadata of a page: HTML's standard names and Dublin Core.
func (p *page) meta(attr []html.Attribute) {
	name := strings.ToLower(value(attr, "name"))
	content := value(attr, "content")
	content = content[:min(len(content), 2*maxWords)]
	for prefix := range strings.SplitSeq("dc. dcterms. dc: dcterms:", " ") {
		name = strings.TrimPrefix(name, prefix)
	}
	switch name {
	case "author", "creator":
		p.d.creator = or(p.d.creator, content)
	case "description":
		p.d.description = or(p.d.description, content)
	case "keywords", "subject":
		if len(p.d.keywords) < maxWords {
			p.d.words(content)
		}
	case "created", "date":
		p.d.created = or(p.d.created, content)
		p.d.facts["created"] = p.d.created
	case "generator":
		p.d.facts["application"] = content
	}
}

func value(attr []html.Attribute, name string) string {
	for _, a := range attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
