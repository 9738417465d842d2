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

// The fields of the index: for each of textFields one with the stems of its words,
// and one with the words as they are written and where they are, for phrases. Of a
// file name the first has the words in order, and the second everything that it is
// found by.
const (
	fieldFilename = "original_filename"
	fieldMetadata = "metadata"
	fieldGAID     = "gaid"
	fieldKeys     = "keys" // of the metadata
	// fieldEndings has the stems of a document's long words back to front, so that
	// those that end with a word can be found.
	fieldEndings = "endings"
)

// exactField is the name of the field that has the words of another as they are
// written: unstemmed, with stop words.
func exactField(name string) string { return name + "_exact" }

// document is an asset as it is indexed.
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

// analyzerFunc is a function as Bleve calls it, when it writes a document.
type analyzerFunc func([]byte) analysis.TokenStream

// Analyze is the function itself.
func (f analyzerFunc) Analyze(text []byte) analysis.TokenStream { return f(text) }

// one is a text as a single word.
func one(text []byte) analysis.TokenStream { return analysis.TokenStream{token(string(text), 1)} }

func token(term string, pos int) *analysis.Token {
	return &analysis.Token{Term: []byte(term), Position: pos}
}

// content is a text of a document. Its words are made once, for all fields.
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

// exact are the words as they are written, where they are.
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

// stems are the stems of the words.
func (c *content) stems() analysis.TokenStream {
	list := make(analysis.TokenStream, 0, len(c.words()))
	for _, w := range c.words() {
		for _, stem := range w.stems {
			list = append(list, token(stem, w.pos))
		}
	}
	return list
}

// name is what a file is found by: its name with and without extension, written
// as one, and its pieces with their stems.
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

// nameWords are the words of a file name with the signs in them: with and without
// extension, and all as one; and those of letters and digits, such as mp4.
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

// nameRuns are the words of a file name that have letters and digits, between its signs. A query has them whole, while
// camelParts takes them apart.
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

// foldName folds a file name, whose signs count.
func foldName(name string) string {
	if ascii(name) {
		return strings.ToLower(name)
	}
	return withoutAccents(strings.ReplaceAll(strings.ToLower(name), "i\u0307", "i"))
}

// contents are all texts of a document.
type contents struct{ list []*content }

// endings are the stems of the long words of all texts, back to front.
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

// metadataTexts lists the texts of the metadata, by key.
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
