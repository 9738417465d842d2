package search

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	index "github.com/blevesearch/bleve_index_api"
)

// maxSynonymDocs is the maximum number of documents read for the synonyms of a word, the
// best of which come first. It bounds the cost: a search reads no more for a word that is
// in every other asset.
const maxSynonymDocs = 100_000

// standIns contains the assets that have a synonym of one word of the query.
type standIns struct {
	assets *roaring.Bitmap
	points float32 // of each
}

// standIns searches for synonyms of the words in clauses that neither demand nor exclude
// anything. It returns one set per word, or none at all if one of them is empty.
func (s *searcher) standIns(clauses []clause) (list []standIns, err error) {
	for _, c := range clauses {
		if s.analyzer.thesaurus == nil || c.not || c.must() {
			continue
		}
		for _, t := range s.analyzer.plainTerms(c.text) {
			if t.isStop() || t.kind != plain {
				continue
			}
			others, err := s.analyzer.thesaurus.Of(singular(t.text))
			if err != nil {
				return nil, err
			}
			assets, err := s.withAny(others, t.stems)
			if err != nil {
				return nil, err
			}
			if assets.IsEmpty() {
				return nil, nil
			}
			n := float64(assets.GetCardinality())
			idf := math.Log(1 + (s.count-n+0.5)/(n+0.5))
			list = append(list, standIns{assets, synonymWeight * float32(max(idf, 0.01))})
		}
	}
	return list, nil
}

// withAny returns the assets that contain a form of any of the words, ignoring the stems
// in but.
func (s *searcher) withAny(words, but []string) (*roaring.Bitmap, error) {
	assets, left := roaring.New(), maxSynonymDocs
	for _, stem := range s.analyzer.stemsOf(words, but) {
		for _, f := range textFields() {
			name := f.name
			if name == fieldFilename { // which combines stems and exact forms
				name = exactField(name)
			}
			n, err := s.having(stem, name, left, assets)
			if err != nil {
				return nil, err
			}
			left -= n
		}
	}
	return assets, nil
}

// stemsOf returns the distinct stems of words, without those in but.
func (a *analyzer) stemsOf(words, but []string) (list []string) {
	for _, w := range a.words(strings.Join(words, " ")) {
		for _, stem := range w.stems {
			if !slices.Contains(but, stem) && !slices.Contains(list, stem) {
				list = append(list, stem)
			}
		}
	}
	return list
}

// having adds up to most assets that have a term in a field of the index to a set, and
// returns their number.
func (s *searcher) having(term, field string, most int, to *roaring.Bitmap) (n int, err error) {
	r, err := s.reader.TermFieldReader(s.ctx, []byte(term), field, false, false, false)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var d index.TermFieldDoc
	for ; n < most; n++ {
		if n%1024 == 0 && s.ctx.Err() != nil {
			return n, s.ctx.Err()
		}
		p, err := r.Next(&d)
		if err != nil || p == nil {
			return n, err
		}
		to.Add(s.assets[binary.BigEndian.Uint64(p.ID)])
	}
	return n, nil
}

// alike reports whether an asset has a synonym of each word of the query, and its points
// for them.
func (m *matches) alike(id uint32) (all bool, points float32) {
	for _, s := range m.standIns {
		if !s.assets.Contains(id) {
			return false, 0
		}
		points += s.points
	}
	return len(m.standIns) > 0, points
}
