package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/search/query"
)

// searchClauses searches for the clauses of a text. An asset matches if it has everything
// that the text demands, nothing that it excludes, and any of the other words, if there
// are some; more words and rarer words score higher. Stop words count only if the text
// has no other words. With alike, it also searches for synonyms: assets with those do not
// match, but may become semantic results.
func (t *textIndex) searchClauses(ctx context.Context, clauses []clause, alike bool) (*matches, error) {
	s, err := t.searcher(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.stops = s.analyzer.onlyStops(clauses)
	var must, not, some []*docs
	groups := map[int]*docs{}
	demands := slices.ContainsFunc(clauses, func(c clause) bool { return c.must() })
	err = s.eachClause(clauses, func(c clause, found []*docs) {
		if c.within != nil {
			found = []*docs{s.only(found[0], c.within)} // a demand is a single list
		}
		switch {
		case len(found) == 0:
		case c.not:
			not = append(not, found...)
		case c.group != 0 && groups[c.group] != nil:
			groups[c.group].or(found[0])
		case c.must():
			if must = append(must, found...); c.group != 0 {
				groups[c.group] = found[0]
			}
		default:
			if some = append(some, found...); !demands {
				some = s.sum(some)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	m := s.combine(must, not, some)
	if alike {
		if m.standIns, err = s.standIns(clauses); err != nil {
			return nil, err
		}
	}
	m.any = !slices.ContainsFunc(clauses, func(c clause) bool { return !c.not })
	return m, nil
}

// docsAPart is the number of documents that justifies another processor for the words of
// a query.
const docsAPart = 1000

// eachClause searches for clauses, one per processor at a time, and calls do for each
// with its results, in order.
func (s *searcher) eachClause(clauses []clause, do func(c clause, found []*docs)) error {
	type answer struct {
		found []*docs
		err   error
	}
	parts := min(partsOf(len(s.assets), docsAPart), len(clauses))
	free := make(chan struct{}, parts)
	helpers, answers := make([]*searcher, len(clauses)), make([]chan answer, len(clauses))
	for i := range clauses {
		helpers[i], answers[i] = s.helper(), make(chan answer, 1)
	}
	go func() {
		for i, c := range clauses {
			free <- struct{}{}
			go func() {
				found, err := helpers[i].clause(c)
				answers[i] <- answer{found, err}
			}()
		}
	}()
	var failed error
	for i, c := range clauses { // wait for all, because they use the reader of s
		a := <-answers[i]
		s.join(helpers[i])
		if failed = cmp.Or(failed, a.err); failed == nil {
			do(c, a.found)
		}
		<-free
	}
	return failed
}

// clause searches for one clause: the result of a demand or an exclusion is one list of
// documents, that of any other clause one per word.
func (s *searcher) clause(c clause) ([]*docs, error) {
	if c.phrase {
		d, err := s.phrase(c)
		return []*docs{d}, err
	}
	if c.required && !c.exact && !c.not && !c.demands() && !s.stops && s.analyzer.onlyStops([]clause{c}) {
		return nil, nil
	}
	words, wholes, err := s.words(c)
	if err != nil {
		return nil, err
	}
	if !c.not && !c.must() {
		return append(words, wholes...), nil
	}
	if len(words) == 0 {
		words = append(words, s.newDocs())
	}
	all := words[0]
	for _, w := range words[1:] {
		all = all.and(w)
	}
	for _, d := range wholes {
		all = all.or(d)
	}
	return []*docs{all}, nil
}

// searchField searches for a text in one field, or in all: as a phrase, or for any of its
// words.
func (t *textIndex) searchField(ctx context.Context, text string, fields fieldSet, phrase bool) (*matches, error) {
	c := clause{text: compose(text), fields: fields, phrase: phrase}
	s, err := t.searcher(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.stops = phrase || s.analyzer.onlyStops([]clause{c})
	if phrase {
		d, err := s.phrase(c)
		if err != nil {
			return nil, err
		}
		return s.combine(nil, nil, []*docs{d}), nil
	}
	var some []*docs
	for i, word := range strings.Fields(c.text) {
		if i == maxClauses {
			break
		}
		words, wholes, err := s.words(clause{text: word, fields: fields})
		if err != nil {
			return nil, err
		}
		some = s.sum(append(append(some, words...), wholes...))
	}
	return s.combine(nil, nil, some), nil
}

// searchGAID returns the asset whose GAID is the text, nil for none.
func (t *textIndex) searchGAID(ctx context.Context, text string) (*matches, error) {
	s, err := t.searcher(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	found, err := s.postings([]byte(strings.ToUpper(strings.TrimSpace(text))), fieldGAID, nil)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	d := s.newDocs()
	for _, p := range found {
		d.add(p.doc, gaidPoints, 1<<gaidBit)
	}
	return s.combine(nil, nil, []*docs{d}), nil
}

// words searches for each word of a clause, and for several as one: as a word joined
// without the punctuation between them, or as a file name. If such a file exists, the
// single words are not searched in file names, many of which have the same ending.
func (s *searcher) words(c clause) (words, wholes []*docs, err error) {
	all := s.analyzer.terms(c.text)
	last := -1
	named := false
	for i, t := range all {
		switch {
		case t.filename != "":
			name, err := s.word(t, c.fields, false, false)
			if err != nil {
				return nil, nil, err
			}
			if len(name.list) > 0 {
				wholes, named = append(wholes, name), true
			}
		case c.open && !c.not && t.kind != whole:
			last = i
		}
	}
	var runs []int // by word
	for i, t := range all {
		if t.filename != "" || t.isStop() && !s.stops && !c.must() && !c.not {
			continue
		}
		fields := c.fields
		if named {
			if fields = fields.without(fieldFilename); fields == anyField {
				continue
			}
		}
		d, err := s.word(t, fields, i == last || last >= 0 && t.kind == whole, !c.not && !c.exact && t.kind != whole)
		switch {
		case err != nil:
			return nil, nil, err
		case t.kind == whole:
			wholes = append(wholes, d.times(t.wholeness()))
		default:
			words, runs = append(words, d), append(runs, t.run)
		}
	}
	return s.joined(words, runs), wholes, nil
}

// variant is a form of a word in a field.
type variant struct {
	field  int
	name   string // of the field in the index
	term   string
	weight float32
}

// word searches for one word in some fields.
func (s *searcher) word(t term, fields fieldSet, open, mend bool) (*docs, error) {
	tf := s.newDocs()
	if err := s.frequencies(t.variants(fields), tf); err != nil {
		return nil, err
	}
	have := len(tf.list)
	expand := func(weight float64, dictionary func(name, word string) ([]string, error)) error {
		more, err := s.expand(t.text, fields, weight, dictionary)
		if err != nil {
			return err
		}
		return s.frequencies(more, tf)
	}
	if open && t.text != "" {
		if err := expand(prefixWeight, s.beginning); err != nil {
			return nil, err
		}
	}
	switch {
	case !mend || t.text == "" || t.run != 0:
	case have > 0:
		more, err := s.compounds(t, fields)
		if err != nil {
			return nil, err
		}
		if err := s.frequencies(more, tf); err != nil {
			return nil, err
		}
	case len(tf.list) == 0:
		if err := expand(typoWeight, s.alsoWords(s.oneEdit)); err != nil {
			return nil, err
		}
	}
	if have == 0 {
		have = len(tf.list)
	}
	idf := math.Log(1 + (s.count-float64(have)+0.5)/(float64(have)+0.5))
	for _, doc := range tf.list {
		f := tf.points[doc]
		tf.points[doc] = float32(max(idf, 0.01)) * f * (bm25K1 + 1) / (bm25K1 + f)
	}
	return tf, nil
}

// frequencies adds the frequencies of words to documents, weighted by field and length of
// the text.
func (s *searcher) frequencies(list []variant, tf *docs) error {
	fields := textFields()
	for _, v := range list {
		found, err := s.postings([]byte(v.term), v.name, tf.found[:0])
		if err != nil {
			return err
		}
		tf.found = found
		tf.list = slices.Grow(tf.list, max(0, len(found)-len(tf.list)))
		var sum float64
		for _, p := range found {
			sum += float64(p.len)
		}
		// The length of a text is relative to that of the others that have the word.
		b := fields[v.field].length
		mean := float32(sum / float64(max(1, len(found))))
		for _, p := range found {
			tf.add(p.doc, v.weight*p.freq/(1-b+b*p.len/mean), 1<<v.field)
		}
	}
	return nil
}

// phrase searches for consecutive words, exactly as written.
func (s *searcher) phrase(c clause) (*docs, error) {
	d := s.newDocs()
	for i, f := range textFields() {
		if !c.fields.has(i) {
			continue
		}
		add := func(doc uint32) { d.add(doc, float32(f.boost), 1<<i) }
		name, text := exactField(f.name), c.text
		if f.name == fieldFilename {
			name, text = f.name, spacedOut(c.text)
			whole, err := s.postings([]byte(foldName(c.text)), exactField(f.name), nil)
			if err != nil {
				return nil, err
			}
			for _, p := range whole {
				add(p.doc)
			}
		}
		rows := phraseRows(text)
		if len(rows) == 0 {
			continue
		}
		if err := s.collect(query.NewMultiPhraseQuery(rows, name), add); err != nil {
			return nil, err
		}
	}
	idf := float32(math.Log(1 + (s.count-float64(len(d.list))+0.5)/(float64(len(d.list))+0.5)))
	for _, doc := range d.list {
		d.points[doc] *= idf
	}
	return d, nil
}
