package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// clause is a part of a query text: a word, or a phrase in quotes, optionally excluded or
// restricted to fields.
type clause struct {
	text   string
	fields fieldSet
	key    string // custom field that it is restricted to, "" for none
	phrase bool
	not    bool
	open   bool // the last word, which may be a prefix

	name     string // prefix before the colon as typed, "" for none
	group    int    // equal for clauses connected by OR; 0 for none
	required bool   // the text has AND or OR, so each clause or group has to match
	exact    bool   // matches without prefixes, corrections and compounds

	// within contains all assets that match in the custom field, and possibly others.
	within *roaring.Bitmap
}

// fieldSet is a set of textFields, with a bit for each; the empty set means all of them.
type fieldSet uint16

const anyField fieldSet = 0

func (s fieldSet) has(field int) bool { return s == anyField || s&(1<<field) != 0 }

// fieldsNamed returns the set of some of textFields.
func fieldsNamed(names ...string) (s fieldSet) {
	for i, f := range textFields() {
		if slices.Contains(names, f.name) {
			s |= 1 << i
		}
	}
	return s
}

// must reports whether only assets with the clause match.
func (c *clause) must() bool { return !c.not && (c.demands() || c.required || c.exact) }

// demands reports whether the clause itself makes it a condition: a phrase or a field.
func (c *clause) demands() bool { return c.phrase || c.fields != anyField }

// queryFields returns the fields for a name before a colon, none for an unknown name.
func queryFields(name string) fieldSet {
	switch name = strings.ToLower(name); name {
	case "filename":
		name = fieldFilename
	case "keyword":
		name = fieldKeywords
	case "person":
		name = fieldPeople
	case "tag", "tags":
		return fieldsNamed(fieldAITags, fieldKeywords)
	case "caption":
		return fieldsNamed(fieldAICaption, "description")
	case "place":
		name = fieldPlace
	case "text":
		name = fieldOCRText
	}
	return fieldsNamed(name)
}

// Limits of a query; the rest is ignored.
const (
	maxClauses = 64 // words and phrases
	maxName    = 64 // characters before a colon
)

// prefixOf returns the name at the start of a text if a colon and a search term follow,
// else "": 12:30 and https://example.com have none.
func prefixOf(text []rune) string {
	for i, r := range text[:min(len(text), maxName+1)] {
		switch {
		case r == ':':
			if i == 0 || i+1 == len(text) || unicode.IsSpace(text[i+1]) || strings.ContainsRune(`/\:`, text[i+1]) {
				return ""
			}
			return string(text[:i])
		case i == 0 && !unicode.IsLetter(r), !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_-.", r):
			return ""
		}
	}
	return ""
}

// parseQuery parses a query text: words, "phrases", -word, !word, field:word, and the
// operators AND, OR and NOT. Any text is valid: invalid syntax is read as words. unknown
// contains the names before a colon that are neither a field nor the key of a custom
// field.
func parseQuery(text string, isKey func(string) bool) (list []clause, unknown []string) {
	list, unknown = readClauses(text, isKey)
	return connect(list), unknown
}

// readClauses parses the clauses of a query text, with operators as words.
func readClauses(text string, isKey func(string) bool) (list []clause, unknown []string) {
	rest := []rune(compose(text))
	for i, r := range rest {
		switch r {
		case '“', '”', '„', '«', '»':
			rest[i] = '"'
		}
	}
	for len(list) < maxClauses {
		for len(rest) > 0 && unicode.IsSpace(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		c := clause{}
		if (rest[0] == '-' || rest[0] == '!') && len(rest) > 1 && !unicode.IsSpace(rest[1]) {
			c.not, rest = true, rest[1:]
		}
		if name := prefixOf(rest); name != "" {
			c.fields = queryFields(name)
			switch {
			case c.fields != anyField:
				c.name, rest = name, rest[len([]rune(name))+1:]
			case isKey(name):
				c.fields, c.key, c.name = fieldsNamed(fieldMetadata), name, name
				rest = rest[len([]rune(name))+1:]
			case !slices.Contains(unknown, name):
				unknown = append(unknown, name)
			}
		}
		end := -1
		if rest[0] == '"' {
			if end = slices.Index(rest[1:], '"'); end < 0 { // an unpaired quote is ignored
				rest = rest[1:]
			}
		}
		if end >= 0 {
			c.text, c.phrase = string(rest[1:1+end]), true
			rest = rest[min(len(rest), end+2):]
		} else {
			end = 0
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
	return list, unknown
}

// The operators are upper-case only: people write "and" and "not" as words.
const (
	opAnd = "AND"
	opOr  = "OR"
	opNot = "NOT"
)

// isOperator reports whether the clause is written like an operator.
func (c *clause) isOperator() bool {
	return !c.not && !c.demands() && (c.text == opAnd || c.text == opOr || c.text == opNot)
}

// connect applies the operators among clauses. OR connects the two adjacent clauses and
// binds more tightly than AND. An operator without its operands is a word.
func connect(from []clause) []clause {
	operand := func(i int) bool { return i < len(from) && !from[i].isOperator() }
	var list []clause
	groups, required := 0, false
	for i := 0; i < len(from); i++ {
		c, last := from[i], len(list)-1
		switch operator := c.isOperator(); {
		case operator && c.text == opNot && operand(i+1):
			i++
			c = from[i]
			c.not = true
		case operator && c.text == opAnd && last >= 0 && (operand(i+1) || operand(i+2) && from[i+1].text == opNot):
			required = true
			continue
		case operator && c.text == opOr && last >= 0 && !list[last].not && operand(i+1) && !from[i+1].not:
			i++
			c = from[i]
			if list[last].group == 0 {
				groups++
				list[last].group = groups
			}
			c.group, required = list[last].group, true
		}
		list = append(list, c)
	}
	for i := range list {
		list[i].required = required
	}
	return list
}

// shown returns the clause in query syntax, without its negation.
func (c *clause) shown() string {
	text := c.text
	if c.phrase {
		text = `"` + text + `"`
	} else if trimmed := strings.Trim(text, "()"); trimmed != "" {
		text = trimmed
	}
	if c.name != "" {
		text = c.name + ":" + text
	}
	return text
}

// understood describes the interpretation of a text; nil for a text without any clauses.
func understood(clauses []clause) *dam.ParsedQuery {
	if len(clauses) == 0 {
		return nil
	}
	p := &dam.ParsedQuery{Operator: dam.MatchAny}
	var parts, not []string
	group := 0
	for i, c := range clauses {
		text := c.shown()
		if c.not {
			p.Excluded, not = append(p.Excluded, text), append(not, opNot+" "+text)
			continue
		}
		if c.required || c.exact {
			p.Operator = dam.MatchAll
		}
		if c.phrase {
			p.Phrases = append(p.Phrases, text)
		} else {
			p.Terms = append(p.Terms, text)
		}
		switch {
		case c.group == 0:
			parts = append(parts, text)
		case c.group != group:
			p.Alternatives = append(p.Alternatives, []string{text})
			parts = append(parts, text)
		default:
			last := len(p.Alternatives) - 1
			p.Alternatives[last] = append(p.Alternatives[last], text)
			parts[len(parts)-1] += " " + opOr + " " + text
		}
		if group = c.group; group != 0 && len(p.Alternatives[len(p.Alternatives)-1]) > 1 {
			if ends := i+1 == len(clauses) || clauses[i+1].group != group; ends {
				parts[len(parts)-1] = "(" + parts[len(parts)-1] + ")"
			}
		}
	}
	between := " "
	if p.Operator == dam.MatchAll {
		between = " " + opAnd + " "
	}
	p.Readable = strings.Join(append(parts, not...), between)
	return p
}

// term is a word of a clause in the forms of the index, or a text with its punctuation,
// which may be a file name with or without extension.
type term struct {
	text     string
	other    string   // another spelling
	stems    []string // none for a stop word
	kind     wordKind
	run      int    // the run that contains a pair of letters
	filename string // if set, the other fields are unused
}

// isStop reports whether the term is a stop word, which counts only if the text has no
// other words.
func (t *term) isStop() bool { return len(t.stems) == 0 }

// terms returns the words of a text. For runs of letters without spaces, these are the
// pairs of adjacent letters.
func (a *analyzer) terms(text string) []term {
	list := a.plainTerms(text)
	for _, s := range strings.Fields(foldName(text)) {
		if len(list) != 1 || list[0].text != s {
			list = append(list, term{filename: s})
		}
	}
	return list
}

func (a *analyzer) plainTerms(text string) []term {
	var list []term
	for _, w := range queryWords(a.words(text)) {
		list = append(list, term{text: w.text, other: w.other, stems: w.stems, kind: w.kind, run: w.run})
	}
	return list
}

// queryWords removes the single letters of runs with several letters.
func queryWords(list []word) []word {
	pairs := map[int]bool{}
	for _, w := range list {
		if w.kind == pair {
			pairs[w.run] = true
		}
	}
	return slices.DeleteFunc(list, func(w word) bool { return w.kind == letter && pairs[w.run] })
}

// phraseRows returns the words of a phrase by position, each with its other spellings.
func phraseRows(text string) [][]string {
	var rows [][]string
	first := 0
	for _, w := range queryWords(split(text)) {
		if first == 0 {
			first = w.pos
		}
		for len(rows) <= w.pos-first {
			rows = append(rows, nil)
		}
		row := &rows[w.pos-first]
		if *row = append(*row, w.text); w.other != "" {
			*row = append(*row, w.other)
		}
	}
	return rows
}

// onlyStops reports whether the text has only stop words, so that they count.
func (a *analyzer) onlyStops(clauses []clause) bool {
	return !slices.ContainsFunc(clauses, func(c clause) bool {
		return !c.not && slices.ContainsFunc(a.plainTerms(c.text), func(t term) bool { return !t.isStop() })
	})
}
