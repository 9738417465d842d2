package web

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markdown "github.com/yuin/goldmark/text"
)

const (
	guideRoot  = "/docs/guide"
	guideIndex = "README" // the name that forges display with the folder
)

// guidePage is a page of the guide, written in Markdown for a forge and served as HTML.
type guidePage struct {
	Path  string
	Title string
	Parts []guideLink // second-level headings
	html  []byte
	body  template.HTML
	links []string // distinct link targets, as written
}

type guideLink struct{ Path, Title string }

// guide renders all pages, in the order of the index.
func guide() ([]*guidePage, error) {
	index, err := readGuidePage(guideIndex)
	if err != nil {
		return nil, err
	}
	pages := []*guidePage{index}
	for _, l := range index.links {
		if name, ok := strings.CutSuffix(l, ".md"); ok {
			p, err := readGuidePage(name)
			if err != nil {
				return nil, err
			}
			pages = append(pages, p)
		}
	}
	layout, err := template.ParseFS(docsFiles, "docs/guide.html")
	if err != nil {
		return nil, err
	}
	for i, p := range pages {
		view := struct {
			*guidePage
			Body           template.HTML
			Pages          []*guidePage
			Previous, Next *guidePage
		}{guidePage: p, Body: p.body, Pages: pages}
		if i > 0 {
			view.Previous = pages[i-1]
		}
		if i < len(pages)-1 {
			view.Next = pages[i+1]
		}
		var b bytes.Buffer
		if err := layout.Execute(&b, view); err != nil {
			return nil, err
		}
		p.html = b.Bytes()
	}
	return pages, nil
}

// readGuidePage reads and renders a page, without the layout.
func readGuidePage(name string) (*guidePage, error) {
	source, err := docsFiles.ReadFile("docs/guide/" + name + ".md")
	if err != nil {
		return nil, err
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	p := &guidePage{Path: guidePath(name)}
	for _, l := range markdownLink.FindAllSubmatch(source, -1) {
		if to := string(l[1]); !slices.Contains(p.links, to) {
			p.links = append(p.links, to)
		}
	}
	served := servedLinks(source)
	doc := md.Parser().Parse(markdown.NewReader(served))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		title := plainText(h, served)
		switch id, _ := h.AttributeString("id"); {
		case h.Level == 1 && p.Title == "":
			p.Title = title
		case h.Level == 2:
			p.Parts = append(p.Parts, guideLink{fmt.Sprintf("#%s", id), title})
		}
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, served, doc); err != nil {
		return nil, err
	}
	p.body = template.HTML(b.String()) // #nosec: our own text
	return p, nil
}

// plainText returns the text of a node without markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
		} else {
			b.WriteString(plainText(c, source))
		}
	}
	return b.String()
}

// guidePath returns the path of a page of the guide.
func guidePath(name string) string {
	if name == guideIndex {
		return guideRoot
	}
	return guideRoot + "/" + name
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// servedLinks converts links between the guide's files, which work on a forge, to links
// between the served pages.
func servedLinks(source []byte) []byte {
	return markdownLink.ReplaceAllFunc(source, func(link []byte) []byte {
		to := string(link[2 : len(link)-1])
		if name, part, _ := strings.Cut(to, "#"); strings.HasSuffix(name, ".md") {
			path := guidePath(strings.TrimSuffix(name, ".md"))
			if part != "" {
				path += "#" + part
			}
			return []byte("](" + path + ")")
		}
		if strings.HasSuffix(to, ".svg") {
			return []byte("](" + guideRoot + "/" + to + ")")
		}
		return link
	})
}
