package search

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bsearch "github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// searcher runs one query on one state of the index.
type searcher struct {
	ctx    context.Context
	reader *scorch.IndexSnapshot
	index  bleve.Index
	assets []uint32 // the IDs of assets by document number, 0 for none
	count  float64  // number of documents
	stops  bool     // stop words count

	analyzer *analyzer
	also     map[string]bool // words that matched in place of the query's

	state        *indexState
	stored       []stored // of the current term, by segment
	iterator     segment.PostingsIterator
	made         []*docs
	spare        *sync.Pool // of docs without documents
	spareMatches *sync.Pool
}

func (t *textIndex) searcher(ctx context.Context) (*searcher, error) {
	advanced, err := t.index.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, err
	}
	s := &searcher{
		ctx: ctx, reader: reader.(*scorch.IndexSnapshot), index: t.index, analyzer: t.analyzer,
		also: map[string]bool{}, spare: &t.spare, spareMatches: &t.spareMatches,
	}
	segments := s.reader.Segments()
	if s.state, err = t.states.of(segments); err != nil {
		reader.Close()
		return nil, err
	}
	s.assets = s.state.assets
	for _, seg := range segments {
		s.count += float64(seg.Count())
	}
	return s, nil
}

// helper returns a searcher for a part of the query, which runs concurrently with others.
// Call join to add its results to s.
func (s *searcher) helper() *searcher {
	h := *s
	h.also, h.stored, h.iterator, h.made = map[string]bool{}, nil, nil, nil
	return &h
}

// join adds the results of a helper.
func (s *searcher) join(h *searcher) {
	maps.Copy(s.also, h.also)
	s.made = append(s.made, h.made...)
}

// close ends the query and releases all its document lists.
func (s *searcher) close() {
	s.reader.Close()
	for _, d := range s.made {
		d.empty()
		s.spare.Put(d)
	}
}

// free releases a list before the query ends.
func (s *searcher) free(d *docs) {
	if i := slices.Index(s.made, d); i >= 0 {
		s.made = slices.Delete(s.made, i, i+1)
		d.empty()
		s.spare.Put(d)
	}
}

// docs contains documents by number, with points and the fields that matched.
type docs struct {
	list   []uint32
	points []float32 // by document number
	fields []uint16
	found  []posting // of the current term
}

// newDocs returns an empty list, valid as long as the searcher is open.
func (s *searcher) newDocs() *docs {
	d, ok := s.spare.Get().(*docs)
	if !ok {
		d = &docs{}
	}
	if n := len(s.assets); cap(d.points) < n {
		d.points, d.fields = make([]float32, n), make([]uint16, n)
	} else {
		d.points, d.fields = d.points[:n], d.fields[:n]
	}
	s.made = append(s.made, d)
	return d
}

// empty removes all documents.
func (d *docs) empty() {
	if len(d.list) > len(d.points)/16 {
		clear(d.points)
		clear(d.fields)
	} else {
		for _, doc := range d.list {
			d.points[doc], d.fields[doc] = 0, 0
		}
	}
	d.list = d.list[:0]
}

// add adds points to a document. Every match is in a field, so fields shows whether the
// document is in the list.
func (d *docs) add(doc uint32, points float32, bits uint16) {
	if d.fields[doc] == 0 {
		d.list = append(d.list, doc)
	}
	d.points[doc] += points
	d.fields[doc] |= bits
}

// and keeps the documents that are also in e, and adds their points and fields from
// there.
func (d *docs) and(e *docs) *docs {
	both := d.list[:0]
	for _, doc := range d.list {
		if e.fields[doc] == 0 {
			d.points[doc], d.fields[doc] = 0, 0
			continue
		}
		both = append(both, doc)
		d.points[doc] += e.points[doc]
		d.fields[doc] |= e.fields[doc]
	}
	d.list = both
	return d
}

// or adds the documents of e to d.
func (d *docs) or(e *docs) *docs {
	for _, doc := range e.list {
		d.add(doc, e.points[doc], e.fields[doc])
	}
	return d
}

// postings appends the documents that have a term in a field to a list. It reads the
// segments directly: Bleve's own reader of all of them takes twice as long.
func (s *searcher) postings(term []byte, field string, list []posting) ([]posting, error) {
	if err := s.ctx.Err(); err != nil {
		return list, err
	}
	segments := s.reader.Segments()
	dictionaries, err := s.state.dictionaries(field, segments)
	if err != nil {
		return list, err
	}
	s.stored = grown(s.stored, len(segments))
	all := 0
	for i, d := range dictionaries {
		n := 0
		if s.stored[i] = (stored{}); d == nil {
			s.stored[i].elsewhere = true
		} else if s.stored[i], n, err = d.postings(term); err != nil {
			return list, err
		}
		all += n
	}
	list = slices.Grow(list, all)
	first := uint32(0)
	for i, seg := range segments {
		var err error
		if found := &s.stored[i]; found.elsewhere {
			list, err = s.unstored(seg, term, field, first, list)
		} else {
			list, err = found.each(first, seg.Deleted(), list)
		}
		if err != nil {
			return list, err
		}
		first += uint32(seg.FullSize())
	}
	return list, nil
}

// unstored is postings for a segment that is not in a file yet; its documents are
// numbered from first.
func (s *searcher) unstored(seg *scorch.SegmentSnapshot, term []byte, field string, first uint32, list []posting) ([]posting, error) {
	dict, err := seg.Segment().Dictionary(field)
	if err != nil {
		return list, err
	}
	found, err := dict.PostingsList(term, seg.Deleted(), nil)
	if err != nil || found.Count() == 0 {
		return list, err
	}
	for s.iterator = found.Iterator(true, true, false, s.iterator); ; {
		p, err := s.iterator.Next()
		if err != nil || p == nil {
			return list, err
		}
		length := float32(0)
		if exact, ok := p.(interface{ NormUint64() uint64 }); ok {
			length = float32(exact.NormUint64())
		} else { // the norm is the reciprocal root of the length
			length = float32(1 / (p.Norm() * p.Norm()))
		}
		list = append(list, posting{first + uint32(p.Number()), float32(p.Frequency()), length})
	}
}

// expand returns the words that dictionary returns for a word, as variants.
func (s *searcher) expand(
	word string, fields fieldSet, weight float64, dictionary func(name, word string) ([]string, error),
) ([]variant, error) {
	var list []variant
	for i, f := range textFields() {
		if !fields.has(i) {
			continue
		}
		words, err := dictionary(exactField(f.name), word)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			list = append(list, variant{i, exactField(f.name), w, float32(f.boost * weight)})
		}
	}
	return list, nil
}

// beginning returns longer words of a field that begin with a word.
func (s *searcher) beginning(name, word string) ([]string, error) {
	if len([]rune(word)) < minPrefix {
		return nil, nil
	}
	dict, err := s.reader.FieldDictPrefix(name, []byte(word))
	if err != nil {
		return nil, err
	}
	return entries(dict, word, maxPrefix)
}

// oneEdit returns words of a field that are one edit away from a word: a letter added,
// removed or replaced, or two swapped.
func (s *searcher) oneEdit(name, word string) ([]string, error) {
	if n := len([]rune(word)); n < minTypo || n > longTypo || strings.ContainsFunc(word, unicode.IsNumber) {
		return nil, nil
	}
	dict, err := s.reader.FieldDictFuzzy(name, word, 1, "")
	if err != nil {
		return nil, err
	}
	return entries(dict, word, maxTypo)
}

func entries(dict index.FieldDict, but string, most int) (list []string, err error) {
	defer dict.Close()
	for len(list) < most {
		e, err := dict.Next()
		if err != nil || e == nil {
			return list, err
		}
		if e.Term != but {
			list = append(list, e.Term)
		}
	}
	return list, nil
}

// collect runs Bleve's raw searcher: no sorting, no stored fields.
func (s *searcher) collect(q query.Query, do func(doc uint32)) error {
	run, err := q.Searcher(s.ctx, s.reader, s.index.Mapping(), bsearch.SearcherOptions{Score: "none"})
	if err != nil {
		return err
	}
	defer run.Close()
	pool := bsearch.NewDocumentMatchPool(run.DocumentMatchPoolSize()+1, 0)
	sc := &bsearch.SearchContext{DocumentMatchPool: pool, IndexReader: s.reader}
	for n := 0; ; n++ {
		if n%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		dm, err := run.Next(sc)
		if err != nil || dm == nil {
			return err
		}
		do(uint32(binary.BigEndian.Uint64(dm.IndexInternalID)))
		sc.DocumentMatchPool.Put(dm)
	}
}
