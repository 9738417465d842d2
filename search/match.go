package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2"
	bsearch "github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// matches is what a text found: for each asset how well, and in which fields.
type matches struct {
	ids    *roaring.Bitmap
	scores map[uint32]score
}

type score struct {
	points float32
	fields uint16 // a bit for each of textFields, and one for the gaid
}

const gaidBit = 15

// about returns the score of an asset and the names of the fields that
// matched.
func (m *matches) about(id uint32) (float64, []string) {
	s := m.scores[id]
	var names []string
	for i, f := range textFields() {
		if s.fields&(1<<i) != 0 {
			names = append(names, f.name)
		}
	}
	if s.fields&(1<<gaidBit) != 0 {
		names = append(names, "gaid")
	}
	return float64(s.points), names
}

// top returns part of a set by score, best first if desc, ties by ID.
func (m *matches) top(set *roaring.Bitmap, desc bool, offset, limit int) []uint32 {
	ids := set.ToArray()
	slices.SortFunc(ids, func(a, b uint32) int {
		d := cmp.Compare(m.scores[a].points, m.scores[b].points)
		if desc {
			d = -d
		}
		return cmp.Or(d, cmp.Compare(b, a))
	})
	offset = min(offset, len(ids))
	return ids[offset:min(offset+limit, len(ids))]
}

// The weights of the ways to match a word of a field.
const (
	exactWeight  = 0.5 // beside its stem
	prefixWeight = 0.5 // as the beginning of a word, which has no rarity
	gaidPoints   = 1000
)

// The bounds of completing the last word of a text.
const (
	minPrefix = 2   // characters
	maxPrefix = 100 // words of a field that begin with it
)

// search looks for the words of a text in all fields. An asset matches with
// any of them; more, and rarer, words count more.
func (t *textIndex) search(ctx context.Context, text string) (*matches, error) {
	text = fold(text)
	advanced, err := t.index.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	s := searcher{ctx: context.WithValue(ctx, bsearch.GetScoringModelCallbackKey, bsearch.GetScoringModelCallbackFn(func() string { return index.BM25Scoring })),
		reader: reader, index: t.index, byDoc: map[uint64]score{}}
	last := lastWord(text)
	for i, f := range textFields() {
		bit := uint16(1) << i
		if f.name == "original_filename" {
			if err := s.add(match(strings.Join(filenameWords(text), " "), exactField(f.name), filename), f.boost, bit); err != nil {
				return nil, err
			}
		} else {
			if err := s.add(match(text, f.name, stemmed), f.boost, bit); err != nil {
				return nil, err
			}
			if err := s.add(match(text, exactField(f.name), exact), f.boost*exactWeight, bit); err != nil {
				return nil, err
			}
		}
		if err := s.addPrefix(last, exactField(f.name), f.boost*prefixWeight, bit); err != nil {
			return nil, err
		}
	}
	gaid := query.NewTermQuery(strings.ToUpper(strings.TrimSpace(text)))
	gaid.SetField("gaid")
	if err := s.collect(gaid, true, func(float64) float32 { return gaidPoints }, 1<<gaidBit); err != nil {
		return nil, err
	}
	return s.matches()
}

func match(text, field, analyzer string) query.Query {
	q := bleve.NewMatchQuery(text)
	q.SetField(field)
	q.Analyzer = analyzer
	return q
}

// lastWord returns the word that a text ends with, "" if it does not end with
// one that is worth completing.
func lastWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
	if len(words) == 0 || strings.HasSuffix(text, " ") {
		return ""
	}
	return strings.Trim(words[len(words)-1], `"'*.,;:!?()[]{}<>`)
}

// searcher adds up scores by Bleve's own document numbers.
type searcher struct {
	ctx    context.Context
	reader index.IndexReader
	index  bleve.Index
	byDoc  map[uint64]score
}

// add runs a query whose matches score by BM25 times boost.
func (s *searcher) add(q query.Query, boost float64, bit uint16) error {
	return s.collect(q, false, func(score float64) float32 { return float32(score * boost) }, bit)
}

// addPrefix looks for words of a field that begin with a prefix.
func (s *searcher) addPrefix(prefix, field string, points float64, bit uint16) error {
	if len([]rune(prefix)) < minPrefix {
		return nil
	}
	analyzer := exact
	if field == exactField("original_filename") {
		analyzer = filename
	}
	tokens := s.index.Mapping().AnalyzerNamed(analyzer).Analyze([]byte(prefix))
	if len(tokens) == 0 {
		return nil
	}
	term := tokens[len(tokens)-1].Term
	dict, err := s.reader.FieldDictPrefix(field, term)
	if err != nil {
		return err
	}
	defer dict.Close()
	var words []query.Query
	for len(words) < maxPrefix {
		e, err := dict.Next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if e.Term == string(term) {
			continue // matched as a word
		}
		q := query.NewTermQuery(e.Term)
		q.SetField(field)
		words = append(words, q)
	}
	if len(words) == 0 {
		return nil
	}
	return s.collect(query.NewDisjunctionQuery(words), true, func(float64) float32 { return float32(points) }, bit)
}

// collect runs Bleve's raw searcher: no sorting, no stored fields.
func (s *searcher) collect(q query.Query, unscored bool, points func(score float64) float32, bit uint16) error {
	opt := bsearch.SearcherOptions{}
	if unscored {
		opt.Score = "none"
	}
	run, err := q.Searcher(s.ctx, s.reader, s.index.Mapping(), opt)
	if err != nil {
		return err
	}
	defer run.Close()
	sc := &bsearch.SearchContext{DocumentMatchPool: bsearch.NewDocumentMatchPool(run.DocumentMatchPoolSize()+1, 0), IndexReader: s.reader}
	for n := 0; ; n++ {
		if n%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		dm, err := run.Next(sc)
		if err != nil || dm == nil {
			return err
		}
		doc := binary.BigEndian.Uint64(dm.IndexInternalID)
		sum := s.byDoc[doc]
		sum.points += points(dm.Score)
		sum.fields |= bit
		s.byDoc[doc] = sum
		sc.DocumentMatchPool.Put(dm)
	}
}

// matches turns document numbers into asset IDs.
func (s *searcher) matches() (*matches, error) {
	m := &matches{ids: roaring.New(), scores: make(map[uint32]score, len(s.byDoc))}
	ids := make([]uint32, 0, len(s.byDoc))
	var internal [8]byte
	for doc, sum := range s.byDoc {
		binary.BigEndian.PutUint64(internal[:], doc)
		external, err := s.reader.ExternalID(internal[:])
		if err != nil {
			return nil, err
		}
		if len(external) != 4 {
			continue
		}
		id := binary.BigEndian.Uint32([]byte(external))
		ids = append(ids, id)
		m.scores[id] = sum
	}
	m.ids.AddMany(ids)
	return m, nil
}
