package search

import (
	"html"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	unicodetok "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/digital-asset-library/dal/app/dam"
)

// The bounds of fragments.
const (
	fragmentLength = 160    // characters, about
	fragmentBefore = 50     // of them before the first word found
	maxFragments   = 3      // of one field
	maxHighlighted = 20_000 // bytes of one field that are searched
)

// Highlighter finds the words of a query in texts. It is for one goroutine.
type Highlighter struct {
	mapping  mapping.IndexMapping
	words    map[string]bool // stems and exact forms
	names    map[string]bool // words as they may be in file names
	prefixes []string
	starts   map[string]bool // the first two letters of all of them
	known    map[string]bool // words of texts that were looked at
}

func (e *Engine) highlighter(clauses []clause) *Highlighter {
	e.textMu.RLock()
	m := e.text.index.Mapping()
	e.textMu.RUnlock()
	h := &Highlighter{mapping: m, words: map[string]bool{}, names: map[string]bool{}, known: map[string]bool{}}
	stops := onlyStops(m, clauses)
	for _, c := range clauses {
		if c.not {
			continue
		}
		last := ""
		for _, t := range terms(m, c.text) {
			if t.exact != "" && t.stem == "" && !stops && !c.must() {
				continue
			}
			h.words[t.exact] = true
			if !c.phrase {
				h.words[t.stem] = true
			}
			h.names[t.filename] = true
			if t.exact != "" {
				last = t.exact
			}
		}
		if c.open && len([]rune(last)) >= minPrefix {
			h.prefixes = append(h.prefixes, last)
		}
	}
	delete(h.words, "")
	delete(h.names, "")
	return h
}

// Fragments returns pieces of some fields of an asset, named as in Hit.MatchedOn.
func (h *Highlighter) Fragments(a *dam.Asset, fields []string) []dam.Fragment {
	var list []dam.Fragment
	add := func(field string, texts ...string) {
		n := 0
		for _, t := range texts {
			if s := h.fragment(t, field == fieldFilename); s != "" && n < maxFragments {
				list = append(list, dam.Fragment{Field: field, HTML: s})
				n++
			}
		}
	}
	for _, name := range fields {
		if name == "metadata" {
			for _, key := range slices.Sorted(maps.Keys(a.Metadata)) {
				add("metadata."+key, values(a.Metadata[key])...)
			}
			continue
		}
		for _, f := range textFields() {
			if f.name == name {
				add(name, f.texts(a)...)
			}
		}
	}
	return list
}

// span is a part of a text in bytes.
type span struct{ start, end int }

// fragment returns the part of a text around what was found first, or "".
func (h *Highlighter) fragment(text string, name bool) string {
	text = compose(text)
	cut := min(len(text), maxHighlighted)
	for cut < len(text) && cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	looked := text[:cut]
	var found []span
	if name {
		if found = h.inName(looked); len(found) == 0 && looked != "" { // found as a whole
			found = append(found, span{0, len(looked)})
		}
	} else {
		for _, t := range unicodetok.NewUnicodeTokenizer().Tokenize([]byte(looked)) {
			if h.has(string(t.Term)) {
				found = append(found, span{t.Start, t.End})
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	from := back(text, found[0].start, fragmentBefore)
	to := forward(text, max(found[0].end, forward(text, from, fragmentLength)), 0)
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	at := from
	for i := 0; i < len(found) && found[i].end <= to; i++ {
		s := found[i]
		for i+1 < len(found) && found[i+1].start == s.end { // letters of scripts without spaces
			i++
			s.end = found[i].end
		}
		b.WriteString(html.EscapeString(text[at:s.start]))
		b.WriteString("<mark>" + html.EscapeString(text[s.start:s.end]) + "</mark>")
		at = s.end
	}
	b.WriteString(html.EscapeString(text[at:max(at, to)]))
	if to < len(text) {
		b.WriteString("…")
	}
	return b.String()
}

// spaced are the words of a file name that are looked for as a whole.
var spaced = regexp.MustCompile(`\S+`)

// inName finds the parts of a file name that are in the query: its words, with or
// without the extension, or their pieces.
func (h *Highlighter) inName(name string) (found []span) {
	is := func(word string) bool {
		list := h.mapping.AnalyzerNamed(filename).Analyze([]byte(word))
		return len(list) == 1 && h.names[string(list[0].Term)]
	}
	stem := len(name) - len(filepath.Ext(name))
	for _, w := range spaced.FindAllStringIndex(name, -1) {
		from, to := w[0], w[1]
		switch {
		case is(name[from:to]):
			found = append(found, span{from, to})
		case from < stem && stem < to && is(name[from:stem]):
			found = append(found, span{from, stem})
		default:
			for _, p := range pieces.FindAllStringIndex(name[from:to], -1) {
				if h.has(name[from+p[0] : from+p[1]]) {
					found = append(found, span{from + p[0], from + p[1]})
				}
			}
		}
	}
	return found
}

// back returns the start of a word that is about n characters before a place.
func back(text string, at, n int) int {
	from := at
	for ; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	if from > 0 {
		if i := strings.IndexAny(text[from:at], " \n\t"); i >= 0 {
			from += i + 1
		}
	}
	return from
}

// forward returns the end of a word that is about n characters after a place.
func forward(text string, at, n int) int {
	to := at
	for ; n > 0 && to < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	if to < len(text) {
		if i := strings.LastIndexAny(text[at:to], " \n\t"); i > 0 {
			to = at + i
		}
	}
	return to
}

// start returns the first two letters of a word, which all of its forms share, and
// whether they are ASCII.
func start(word string) (string, bool) {
	s := word[:min(2, len(word))]
	return strings.ToLower(s), ascii(s) && !strings.HasSuffix(s, "'") // x's is a form of x
}

// has reports whether a word of a text is one of the query's.
func (h *Highlighter) has(word string) bool {
	if h.starts == nil {
		h.starts = map[string]bool{}
		for _, w := range slices.AppendSeq(slices.Clone(h.prefixes), maps.Keys(h.words)) {
			s, _ := start(w)
			h.starts[s] = true
		}
	}
	if s, ok := start(word); ok && len(word) > 2 && !h.starts[s] {
		return false
	}
	is, ok := h.known[word]
	if !ok {
		for _, t := range terms(h.mapping, word) {
			is = is || h.words[t.exact] || t.stem != "" && h.words[t.stem]
			for _, p := range h.prefixes {
				is = is || strings.HasPrefix(t.exact, p)
			}
		}
		h.known[word] = is
	}
	return is
}

// textFits tests a text for a phrase, or for any of the words of another.
func (t *textIndex) textFits(want string, phrase bool) func(string) bool {
	m := t.index.Mapping()
	words := terms(m, compose(want))
	if !phrase {
		h := Highlighter{mapping: m, words: map[string]bool{}, known: map[string]bool{}}
		for _, w := range words {
			h.words[w.exact], h.words[w.stem] = true, true
		}
		delete(h.words, "")
		return func(s string) bool {
			return slices.ContainsFunc(strings.Fields(compose(s)), h.has)
		}
	}
	exactWords := func(list []term) (out []string) {
		for _, w := range list {
			if w.exact != "" {
				out = append(out, w.exact)
			}
		}
		return out
	}
	seek := exactWords(words)
	return func(s string) bool {
		have := exactWords(terms(m, compose(s)))
		for i := 0; i+len(seek) <= len(have) && len(seek) > 0; i++ {
			if slices.Equal(have[i:i+len(seek)], seek) {
				return true
			}
		}
		return false
	}
}
