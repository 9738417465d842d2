package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/mapping"
)

// clause is a part of a query text: a word, or a phrase in quotes, that may be
// tied to a field or forbidden.
type clause struct {
	text   string
	field  int // in textFields; anyField for all
	phrase bool
	not    bool
	open   bool // the last word, which may be the beginning of one
}

const anyField = -1

// must reports whether an asset without it is not a match.
func (c *clause) must() bool { return !c.not && (c.phrase || c.field != anyField) }

// queryField returns the field that people mean by a name before a colon.
func queryField(name string) (int, bool) {
	want := ""
	switch strings.ToLower(name) {
	case "title":
		want = "title"
	case "filename", "original_filename":
		want = "original_filename"
	case "keyword", "keywords":
		want = "keywords"
	case "creator":
		want = "creator"
	}
	for i, f := range textFields() {
		if f.name == want {
			return i, true
		}
	}
	return anyField, false
}

// maxClauses bounds the words of a query; the rest is ignored.
const maxClauses = 64

// parseQuery reads a query text: words, "phrases", -word, field:word. Any text is
// valid: what has no other meaning is a word.
func parseQuery(text string) []clause {
	rest := []rune(compose(text))
	for i, r := range rest {
		switch r {
		case '“', '”', '„', '«', '»':
			rest[i] = '"'
		}
	}
	var list []clause
	for len(list) < maxClauses {
		for len(rest) > 0 && unicode.IsSpace(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		c := clause{field: anyField}
		if rest[0] == '-' && len(rest) > 1 && !unicode.IsSpace(rest[1]) {
			c.not, rest = true, rest[1:]
		}
		if i := indexRune(rest, ':'); i > 0 && i+1 < len(rest) && !unicode.IsSpace(rest[i+1]) {
			if f, ok := queryField(string(rest[:i])); ok {
				c.field, rest = f, rest[i+1:]
			}
		}
		if rest[0] == '"' {
			end := indexRune(rest[1:], '"')
			if end < 0 {
				end = len(rest) - 1
			}
			c.text, c.phrase = string(rest[1:1+end]), true
			rest = rest[min(len(rest), end+2):]
		} else {
			end := 0
			for end < len(rest) && !unicode.IsSpace(rest[end]) && rest[end] != '"' {
				end++
			}
			c.text, rest = string(rest[:end]), rest[end:]
			c.open = len(rest) == 0
		}
		if strings.ContainsFunc(c.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) }) {
			list = append(list, c)
		}
	}
	return list
}

func indexRune(s []rune, r rune) int {
	for i, x := range s {
		if x == r {
			return i
		}
		if unicode.IsSpace(x) && r == ':' {
			return -1
		}
	}
	return -1
}

// term is one word of a clause as the index may have it.
type term struct {
	stem     string // "" for a stop word
	exact    string
	filename string // "" when it is not to be looked for there
}

// terms are the words of a piece of text.
func terms(m mapping.IndexMapping, text string) []term {
	var list []term
	stems := m.AnalyzerNamed(stemmed).Analyze([]byte(text))
	for _, t := range m.AnalyzerNamed(exact).Analyze([]byte(text)) {
		w := term{exact: string(t.Term), filename: string(t.Term)}
		for _, s := range stems {
			if s.Start == t.Start && s.End == t.End && s.Type == t.Type {
				w.stem = string(s.Term)
				break
			}
		}
		list = append(list, w)
	}
	// A piece with its punctuation may be a file's name, or its stem.
	for _, t := range m.AnalyzerNamed(filename).Analyze([]byte(text)) {
		if s := string(t.Term); len(list) != 1 || list[0].exact != s {
			list = append(list, term{filename: s})
		}
	}
	return list
}

// onlyStops reports whether the text has nothing but stop words, so that they
// count.
func onlyStops(m mapping.IndexMapping, clauses []clause) bool {
	return !slices.ContainsFunc(clauses, func(c clause) bool {
		return !c.not && slices.ContainsFunc(terms(m, c.text), func(t term) bool { return t.stem != "" })
	})
}
