package search

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/digital-asset-library/dal/app/dam"
)

// The fields of the index. Each of textFields has two: one with the stems of its words,
// and one with the exact words and their positions, for phrases. For a file name, the
// first has the words in order and the second all forms that it is found by.
const (
	fieldFilename = "original_filename"
	fieldMetadata = "metadata"
	fieldGAID     = "gaid"
	fieldKeys     = "keys" // of the metadata
	// fieldEndings contains the reversed stems of a document's long words, so that words
	// can be found by their ending.
	fieldEndings = "endings"
)

// exactField returns the name of the field with the exact words of another: unstemmed,
// with stop words.
func exactField(name string) string { return name + "_exact" }

// document returns the index document of an asset.
func (a *analyzer) document(asset *dam.Asset) *document.Document {
	const place = index.IndexField | index.IncludeTermVectors
	d := document.NewDocument(docID(asset.ID))
	d.AddField(document.NewTextFieldCustom(fieldGAID, nil, []byte(asset.GAID), index.IndexField, analyzerFunc(one)))
	for _, key := range slices.Sorted(maps.Keys(asset.Metadata)) {
		d.AddField(document.NewTextFieldCustom(fieldKeys, nil, []byte(key), index.IndexField|index.SkipFreqNorm, analyzerFunc(one)))
	}
	all := &contents{}
	for _, f := range textFields() {
		for i, text := range f.texts(asset) {
			if text = compose(text); text == "" {
				continue
			}
			at := []uint64{uint64(i)}
			add := func(name string, options index.FieldIndexingOptions, tokens func() analysis.TokenStream) {
				analyze := analyzerFunc(func([]byte) analysis.TokenStream { return tokens() })
				d.AddField(document.NewTextFieldCustom(name, at, []byte(text), options, analyze))
			}
			c := &content{analyzer: a, text: text}
			if f.name == fieldFilename {
				c.text = spacedOut(text)
				add(f.name, place, c.exact)
				add(exactField(f.name), index.IndexField, func() analysis.TokenStream { return c.name(text) })
			} else {
				add(f.name, index.IndexField, c.stems)
				add(exactField(f.name), place, c.exact)
			}
			if f.name != fieldOCRText {
				all.list = append(all.list, c)
			}
		}
	}
	d.AddField(document.NewTextFieldCustom(fieldEndings, nil, nil, index.IndexField|index.SkipFreqNorm, analyzerFunc(all.endings)))
	return d
}

// analyzerFunc adapts a function to Bleve's Analyzer for writing documents.
type analyzerFunc func([]byte) analysis.TokenStream

// Analyze calls f.
func (f analyzerFunc) Analyze(text []byte) analysis.TokenStream { return f(text) }

// one returns a text as a single word.
func one(text []byte) analysis.TokenStream { return analysis.TokenStream{token(string(text), 1)} }

func token(term string, pos int) *analysis.Token {
	return &analysis.Token{Term: []byte(term), Position: pos}
}

// content is a text of a document. Its words are computed once, for all fields.
type content struct {
	analyzer *analyzer
	text     string
	made     []word
	done     bool
}

func (c *content) words() []word {
	if !c.done {
		c.made, c.done = c.analyzer.words(c.text), true
	}
	return c.made
}

// exact returns the words as written, with their positions.
func (c *content) exact() analysis.TokenStream {
	list := make(analysis.TokenStream, 0, len(c.words()))
	for _, w := range c.words() {
		list = append(list, token(w.text, w.pos))
		if w.other != "" {
			list = append(list, token(w.other, w.pos))
		}
	}
	return list
}

// stems returns the stems of the words.
func (c *content) stems() analysis.TokenStream {
	list := make(analysis.TokenStream, 0, len(c.words()))
	for _, w := range c.words() {
		for _, stem := range w.stems {
			list = append(list, token(stem, w.pos))
		}
	}
	return list
}

// name returns the terms by which a file is found: its name with and without extension,
// the name joined to one word, and its pieces with their stems.
func (c *content) name(name string) analysis.TokenStream {
	known := map[string]bool{}
	for _, w := range nameWords(name) {
		known[w] = true
	}
	for _, w := range c.words() {
		known[w.text] = true
		known[w.other] = true
		for _, stem := range w.stems {
			known[stem] = true
		}
	}
	delete(known, "")
	var list analysis.TokenStream
	for _, w := range slices.Sorted(maps.Keys(known)) {
		list = append(list, token(w, 1))
	}
	return list
}

// nameWords returns the words of a file name, including punctuation, with and without
// extension, the name joined to one word, and words that mix letters and digits, such as
// mp4.
func nameWords(name string) []string {
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	words := append(strings.Fields(foldName(name)), strings.Fields(foldName(stem))...)
	if parts := camelParts(stem); len(parts) > 1 && len(parts) <= maxJoined && len(stem) <= maxJoinedText {
		var whole strings.Builder
		for _, p := range parts {
			whole.WriteString(stem[p.start:p.end])
		}
		words = append(words, foldName(whole.String()))
	}
	for _, run := range nameRuns(name) {
		words = append(words, foldName(name[run.start:run.end]))
	}
	return words
}

// nameRuns returns the words of a file name, between its punctuation, that mix letters
// and digits. Queries contain them whole, while camelParts splits them.
func nameRuns(name string) (runs []span) {
	start := -1
	for i, r := range name + "." {
		switch isPart := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r); {
		case isPart && start < 0:
			start = i
		case !isPart && start >= 0:
			if len(camelParts(name[start:i])) > 1 {
				runs = append(runs, span{start, i})
			}
			start = -1
		}
	}
	return runs
}

// foldName folds a file name, keeping its punctuation.
func foldName(name string) string {
	if ascii(name) {
		return strings.ToLower(name)
	}
	return withoutAccents(strings.ReplaceAll(strings.ToLower(name), "i\u0307", "i"))
}

// contents contains the texts of a document, except recognized text.
type contents struct{ list []*content }

// endings returns the reversed stems of the long words of these texts.
func (c *contents) endings([]byte) analysis.TokenStream {
	known := map[string]bool{}
	var list analysis.TokenStream
	for _, text := range c.list {
		for _, w := range text.words() {
			if known[w.text] || !mayBeCompound(w) {
				continue
			}
			known[w.text] = true
			for _, stem := range w.stems {
				list = append(list, token(reversed(stem), 1))
			}
		}
	}
	return list
}

func reversed(s string) string {
	list := []rune(s)
	slices.Reverse(list)
	return string(list)
}

// metadataTexts returns the texts of the metadata, by key.
func metadataTexts(a *dam.Asset) (texts []string) {
	for _, key := range slices.Sorted(maps.Keys(a.Metadata)) {
		texts = append(texts, values(a.Metadata[key])...)
	}
	return texts
}

func values(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, x := range v {
			list = append(list, values(x)...)
		}
		return list
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	}
	return []string{fmt.Sprint(v)}
}
