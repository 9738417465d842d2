package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/RoaringBitmap/roaring/v2"
)

// without returns a set of fields except one; anyField if no other is left.
func (s fieldSet) without(name string) fieldSet {
	if s == anyField {
		s = 1<<len(textFields()) - 1
	}
	return s &^ fieldsNamed(name)
}

// variants returns the forms of a word that may occur in the fields.
func (t *term) variants(fields fieldSet) []variant {
	var list []variant
	for i, f := range textFields() {
		if !fields.has(i) {
			continue
		}
		add := func(name, text string, weight float64) {
			has := func(v variant) bool { return v.field == i && v.name == name && v.term == text }
			if text != "" && !slices.ContainsFunc(list, has) {
				list = append(list, variant{i, name, text, float32(f.boost * weight)})
			}
		}
		stems, exact := f.name, exactField(f.name)
		if f.name == fieldFilename { // which combines stems and exact forms
			if add(exact, t.filename, 1); t.isStop() {
				add(exact, t.text, 1)
			}
			stems = exact
		}
		for _, stem := range t.stems {
			add(stems, stem, 1)
		}
		if t.filename == "" {
			add(exact, t.text, exactWeight)
			add(exact, t.other, exactWeight)
		}
	}
	return list
}

// The weight of a joined word where the query has several, or the other way round. Set by
// hand: a code such as AB1234 counts as much as its two parts, and wellknown little
// beside well and known.
const (
	codeWeight  = 2
	wholeWeight = 0.5
)

// wholeness returns the weight of the term as a joined word.
func (t *term) wholeness() float32 {
	if strings.ContainsFunc(t.text, unicode.IsNumber) {
		return codeWeight
	}
	return wholeWeight
}

// times multiplies the points of all documents.
func (d *docs) times(factor float32) *docs {
	for _, doc := range d.list {
		d.points[doc] *= factor
	}
	return d
}

// joined combines the words of each run into one list: the documents that have all of
// them or, if there are none, more than half.
func (s *searcher) joined(words []*docs, runs []int) []*docs {
	var list []*docs
	for i := 0; i < len(words); {
		n := 1
		for runs[i] != 0 && i+n < len(words) && runs[i+n] == runs[i] {
			n++
		}
		if n == 1 {
			list = append(list, words[i])
		} else {
			list = append(list, s.most(words[i:i+n]))
		}
		i += n
	}
	return list
}

// most returns the documents that are in all lists or, if there are none, in more than
// half of them.
func (s *searcher) most(lists []*docs) *docs {
	in := map[uint32]int{}
	enough := len(lists)/2 + 1
	for _, d := range lists {
		for _, doc := range d.list {
			if in[doc]++; in[doc] == len(lists) {
				enough = len(lists)
			}
		}
	}
	sum := s.newDocs()
	for _, d := range lists {
		for _, doc := range d.list {
			if in[doc] >= enough {
				sum.add(doc, d.points[doc], d.fields[doc])
			}
		}
	}
	return sum
}

// only returns the documents of some assets.
func (s *searcher) only(d *docs, within *roaring.Bitmap) *docs {
	kept := s.newDocs()
	for _, doc := range d.list {
		if within.Contains(s.assets[doc]) {
			kept.add(doc, d.points[doc], d.fields[doc])
		}
	}
	return kept
}

// alsoWords records the words that a dictionary returns.
func (s *searcher) alsoWords(dictionary func(name, word string) ([]string, error)) func(name, word string) ([]string, error) {
	return func(name, word string) ([]string, error) {
		list, err := dictionary(name, word)
		for _, w := range list {
			s.also[w] = true
		}
		return list, err
	}
}
