package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	regexpchar "github.com/blevesearch/bleve/v2/analysis/char/regexp"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	unicodetok "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/digital-asset-library/dal/app/dam"
)

// textVersion names how documents are indexed: a number that is increased when that
// changes, and the fields. An index of another version is discarded.
func textVersion() string {
	version := "3"
	for _, f := range textFields() {
		version += " " + f.name
	}
	return version
}

// fieldFilename is indexed as its words in order, for phrases; its exact field has
// everything that it can be found by.
const fieldFilename = "original_filename"

// exactField is the name of the field that has the words of another as they are
// written: unstemmed, with stop words.
func exactField(name string) string { return name + "_exact" }

// The analyzers of the index.
const (
	stemmed  = "dal_stemmed"
	exact    = "dal_exact"
	filename = "dal_filename"
)

func newMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	analyzer := func(name, tokenizer string, charFilters, tokenFilters []string) error {
		return m.AddCustomAnalyzer(name, map[string]any{
			"type": custom.Name, "char_filters": charFilters, "tokenizer": tokenizer, "token_filters": tokenFilters,
		})
	}
	joints := []string{asciifolding.Name, "dal_joints"}
	err := errors.Join(
		m.AddCustomCharFilter("dal_joints", map[string]any{"type": regexpchar.Name, "regexp": "[_:]", "replace": " "}),
		m.AddCustomTokenFilter("dal_cjk", map[string]any{"type": cjk.BigramName, "output_unigram": true}),
		analyzer(stemmed, unicodetok.Name, joints,
			[]string{cjk.WidthName, "dal_cjk", en.PossessiveName, lowercase.Name, en.StopName, porter.Name}),
		analyzer(exact, unicodetok.Name, joints, []string{cjk.WidthName, "dal_cjk", lowercase.Name}),
		analyzer(filename, whitespace.Name, []string{asciifolding.Name}, []string{lowercase.Name}),
	)
	if err != nil {
		return nil, err
	}
	m.ScoringModel = index.BM25Scoring
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	field := func(name, analyzer string) *mapping.FieldMapping {
		f := bleve.NewTextFieldMapping()
		f.Name, f.Analyzer = name, analyzer
		f.Store, f.IncludeTermVectors, f.DocValues, f.IncludeInAll = false, false, false, false
		return f
	}
	phrases := func(f *mapping.FieldMapping) *mapping.FieldMapping {
		f.IncludeTermVectors = true // where the words are
		return f
	}
	for _, f := range textFields() {
		if f.name == fieldFilename {
			m.DefaultMapping.AddFieldMappingsAt(exactField(f.name), field(exactField(f.name), filename))
			m.DefaultMapping.AddFieldMappingsAt(f.name, phrases(field(f.name, exact)))
			continue
		}
		m.DefaultMapping.AddFieldMappingsAt(f.name, field(f.name, stemmed), phrases(field(exactField(f.name), exact)))
	}
	m.DefaultMapping.AddFieldMappingsAt("gaid", field("gaid", keyword.Name))
	return m, m.Validate()
}

// document is an asset as it is indexed.
func document(a *dam.Asset) map[string]any {
	d := map[string]any{"gaid": string(a.GAID)}
	for _, f := range textFields() {
		d[f.name] = composed(f.texts(a))
	}
	d[exactField(fieldFilename)] = strings.Join(filenameWords(a.OriginalFilename), " ")
	d[fieldFilename] = strings.Join(pieces.FindAllString(compose(a.OriginalFilename), -1), " ")
	return d
}

// metadataTexts lists the texts of the metadata, by key.
func metadataTexts(a *dam.Asset) (texts []string) {
	for _, key := range slices.Sorted(maps.Keys(a.Metadata)) {
		texts = append(texts, values(a.Metadata[key])...)
	}
	return texts
}

// composed keeps texts apart, so that a phrase has to be in one of them.
func composed(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = compose(s)
	}
	return out
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

// pieces are the runs of letters and of digits of a name: "IMG_1234" has two,
// "harbourDawn" too.
var pieces = regexp.MustCompile(`\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}+`)

// filenameWords are the words under which a file name is found: itself, with
// and without extension, and its pieces.
func filenameWords(name string) []string {
	name = compose(name)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	words := slices.Concat(strings.Fields(name), strings.Fields(stem), pieces.FindAllString(name, -1),
		strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }))
	slices.Sort(words)
	return slices.Compact(words)
}

// textIndex is a Bleve index of all assets, and how far it is in the sequence of
// changes. Both are written together.
type textIndex struct {
	index bleve.Index
	path  string
	done  atomic.Int64 // the latest change indexed

	mu      sync.Mutex // held while following
	numbers docNumbers
}

// Keys of what the index stores besides documents.
const (
	keySeq      = "seq"
	keyVersion  = "version"
	keyComplete = "complete"
)

// openText opens the newest usable index in dir and removes all others. An index
// is not usable if it cannot be opened, is of another version or has changes after
// last, which the library does not have. Without a usable one, an empty index is
// created.
func openText(dir string, last int64, log *slog.Logger) (*textIndex, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "text-*"))
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return generation(path) == 0 }) // not ours
	slices.SortFunc(paths, func(a, b string) int { return generation(b) - generation(a) })
	var usable *textIndex
	for _, path := range paths {
		if usable == nil {
			t, err := tryOpen(path, last)
			if err == nil {
				usable = t
				continue
			}
			log.Warn("rebuilding the text index", "index", filepath.Base(path), "because", err)
		}
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	if usable != nil {
		return usable, nil
	}
	t, err := createText(dir)
	if err != nil {
		return nil, err
	}
	return t, t.complete()
}

// generation returns the number in an index's name, 0 for another name.
func generation(path string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), "text-"))
	return n
}

func tryOpen(path string, last int64) (*textIndex, error) {
	ix, err := bleve.OpenUsing(path, map[string]any{"bolt_timeout": "2s"})
	if err != nil {
		return nil, err
	}
	t := &textIndex{index: ix, path: path}
	version, err1 := ix.GetInternal([]byte(keyVersion))
	complete, err2 := ix.GetInternal([]byte(keyComplete))
	seq, err3 := ix.GetInternal([]byte(keySeq))
	err = errors.Join(err1, err2, err3)
	if len(seq) == 8 {
		t.done.Store(int64(binary.BigEndian.Uint64(seq)))
	}
	switch {
	case err != nil:
	case string(version) != textVersion():
		err = fmt.Errorf("it has version %q and this dal writes %q", version, textVersion())
	case len(complete) == 0:
		err = errors.New("its building was interrupted")
	case t.done.Load() > last:
		err = errors.New("it knows more changes than the library has")
	default:
		return t, nil
	}
	return nil, errors.Join(err, ix.Close())
}

// createText creates an empty index in dir, not yet complete.
func createText(dir string) (*textIndex, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "text-*"))
	if err != nil {
		return nil, err
	}
	n := 1
	for _, p := range paths {
		n = max(n, generation(p)+1)
	}
	m, err := newMapping()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("text-%d", n))
	ix, err := bleve.New(path, m)
	if err != nil {
		return nil, err
	}
	return &textIndex{index: ix, path: path}, ix.SetInternal([]byte(keyVersion), []byte(textVersion()))
}

// complete marks the index usable after a restart.
func (t *textIndex) complete() error { return t.index.SetInternal([]byte(keyComplete), []byte("1")) }

func (t *textIndex) close() error { return t.index.Close() }

// remove closes and deletes the index.
func (t *textIndex) remove() error { return errors.Join(t.close(), os.RemoveAll(t.path)) }

func joinRemove(err error, t *textIndex) error { return errors.Join(err, t.remove()) }

func (t *textIndex) seq() int64 { return t.done.Load() }

// docID is the name of an asset's document: its row number, big-endian.
func docID(id int64) string { return string(binary.BigEndian.AppendUint32(nil, uint32(id))) }

// follow indexes the next changes and reports how many.
func (t *textIndex) follow(ctx context.Context, src Source, limit int) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.take(ctx, src, limit)
}

// upTo indexes the changes up to one, unless they are indexed by the time it is
// this caller's turn.
func (t *textIndex) upTo(ctx context.Context, src Source, seq int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seq() >= seq {
		return nil
	}
	_, err := t.take(ctx, src, int(seq-t.seq()))
	return err
}

func (t *textIndex) take(ctx context.Context, src Source, limit int) (int, error) {
	changes, err := src.Documents(ctx, t.seq(), limit)
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	b := t.index.NewBatch()
	for _, c := range changes {
		if c.Asset == nil {
			b.Delete(docID(c.AssetID))
		} else if err := b.Index(docID(c.AssetID), document(c.Asset)); err != nil {
			return 0, err
		}
	}
	last := changes[len(changes)-1].Seq
	b.SetInternal([]byte(keySeq), binary.BigEndian.AppendUint64(nil, uint64(last)))
	if err := t.index.Batch(b); err != nil {
		return 0, err
	}
	t.done.Store(last)
	return len(changes), nil
}
