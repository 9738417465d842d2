package search

import (
	"html"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/dam"
)

// Limits of fragments.
const (
	fragmentLength = 160    // characters, about
	fragmentBefore = 50     // of them before the first match
	maxFragments   = 3      // per field
	maxHighlighted = 20_000 // bytes searched per field
)

// Highlighter marks the words of a query in texts. It is for one goroutine.
type Highlighter struct {
	analyzer *analyzer
	cache    *wordCache
	words    map[string]bool // stems and exact forms
	names    map[string]bool // words in the form of file names
	prefixes []string
	starts   map[string]bool // the first two letters of all of them
	known    map[wordForm]bool
}

// wordForm identifies a word of a text for caching.
type wordForm struct{ text, raw string }

func newHighlighter(a *analyzer, cache *wordCache) *Highlighter {
	return &Highlighter{analyzer: a, cache: cache, words: map[string]bool{}, names: map[string]bool{}, known: map[wordForm]bool{}}
}

// highlighter returns a Highlighter for the words of clauses, and for their synonyms in
// also.
func (e *Engine) highlighter(clauses []clause, also map[string]bool) *Highlighter {
	e.textMu.RLock()
	h := newHighlighter(e.text.analyzer, &e.shown)
	e.textMu.RUnlock()
	stops := h.analyzer.onlyStops(clauses)
	for _, c := range clauses {
		if c.not {
			continue
		}
		last := ""
		for _, t := range h.analyzer.terms(c.text) {
			if t.filename != "" {
				h.names[t.filename] = true
				continue
			}
			if t.isStop() && !stops && !c.must() {
				continue
			}
			h.add(t, c.phrase)
			last = t.text
		}
		if c.open && len([]rune(last)) >= minPrefix {
			h.prefixes = append(h.prefixes, last)
		}
	}
	maps.Copy(h.words, also)
	return h
}

// add adds a word, for a phrase only in its exact form.
func (h *Highlighter) add(t term, phrase bool) {
	h.words[t.text], h.names[t.text] = true, true
	if t.other != "" {
		h.words[t.other] = true
	}
	if !phrase {
		for _, stem := range t.stems {
			h.words[stem] = true
		}
	}
}

// Fragments returns fragments of some fields of an asset, named as in Hit.MatchedOn.
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

// span is a byte range of a text.
type span struct{ start, end int }

// fragment returns the part of a text around the first match, or "".
func (h *Highlighter) fragment(text string, name bool) string {
	text = compose(text)
	cut := min(len(text), maxHighlighted)
	for cut < len(text) && cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	looked := text[:cut]
	var found []span
	if name {
		if found = h.inName(looked); len(found) == 0 && looked != "" { // matched as a whole
			found = append(found, span{0, len(looked)})
		}
	} else {
		found = h.in(h.cache.split(looked), 0, nil)
		slices.SortStableFunc(found, func(a, b span) int { return a.start - b.start })
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
		for i+1 < len(found) && found[i+1].start <= s.end { // letters of scripts without spaces
			i++
			s.end = max(s.end, found[i].end)
		}
		b.WriteString(html.EscapeString(text[at:s.start]))
		b.WriteString("<mark>" + html.EscapeString(text[s.start:s.end]) + "</mark>")
		at = s.end
	}
	to = max(at, to)
	b.WriteString(html.EscapeString(text[at:to]))
	if to < len(text) {
		b.WriteString("…")
	}
	return b.String()
}

// spaced matches the parts of a file name that are looked up as a whole.
var spaced = regexp.MustCompile(`\S+`)

// in appends the words in a part of a text that match the query.
func (h *Highlighter) in(part []word, offset int, found []span) []span {
	for _, w := range part {
		if h.has(w) {
			found = append(found, span{offset + w.start, offset + w.end})
		}
	}
	return found
}

// inName returns the parts of a file name that match the query: its words, with or
// without the extension, or their pieces.
func (h *Highlighter) inName(name string) (found []span) {
	stem := len(name) - len(filepath.Ext(name))
	for _, w := range spaced.FindAllStringIndex(name, -1) {
		from, to := w[0], w[1]
		switch {
		case h.names[foldName(name[from:to])]:
			found = append(found, span{from, to})
		case from < stem && stem < to && h.names[foldName(name[from:stem])]:
			found = append(found, span{from, stem})
		default:
			for _, run := range nameRuns(name[from:to]) {
				if run = (span{from + run.start, from + run.end}); h.names[foldName(name[run.start:run.end])] {
					found = append(found, run)
				}
			}
			for _, p := range camelParts(name[from:to]) {
				found = h.in(split(name[from+p.start:from+p.end]), from+p.start, found)
			}
			for _, w := range split(name[from:to]) { // emoji are not in pieces
				if w.raw == "" && w.run == 0 && h.has(w) {
					found = append(found, span{from + w.start, from + w.end})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b span) int { return a.start - b.start })
	return found
}

// back returns the start of a word about n characters before a position.
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

// forward returns the end of a word about n characters after a position.
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

// has reports whether a word of a text matches the query.
func (h *Highlighter) has(w word) bool {
	if h.starts == nil {
		h.starts = map[string]bool{}
		for _, w := range slices.AppendSeq(slices.Clone(h.prefixes), maps.Keys(h.words)) {
			s, _ := start(w)
			h.starts[s] = true
		}
	}
	if s, ok := start(w.text); ok && len(w.text) > 2 && w.other == "" && !h.starts[s] && singular(w.text) == w.text {
		return false
	}
	form := wordForm{w.text, w.raw}
	is, ok := h.known[form]
	if !ok {
		list := []word{w}
		h.analyzer.stem(list)
		is = h.words[w.text] || w.other != "" && h.words[w.other]
		for _, stem := range list[0].stems {
			is = is || h.words[stem]
		}
		for _, p := range h.prefixes {
			is = is || strings.HasPrefix(w.text, p)
		}
		h.known[form] = is
	}
	return is
}
