package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// wordnet is the part of WordNet that the list is derived from. The formats are specified
// in its manual, wndb(5) and senseidx(5).
type wordnet struct {
	synsets map[string]*synset
	senses  map[string][]sense // by word: most frequent first per part of speech
	glosses map[string]int     // occurrences of a word in all glosses
}

// synset is a sense, and the words that have it.
type synset struct {
	pos            byte // n, v, a
	words          []string
	definition     []string // words of its definition
	above, similar []*synset
	below          []*synset // for nouns
}

// sense is a word in one of its senses.
type sense struct {
	of     *synset
	number int // within a part of speech, from 1
	count  int // in annotated texts
}

// read parses the files of the package.
func read(files map[string][]byte) (*wordnet, error) {
	w := &wordnet{synsets: map[string]*synset{}, senses: map[string][]sense{}, glosses: map[string]int{}}
	var links []func()
	for pos, name := range map[byte]string{'n': "noun", 'v': "verb", 'a': "adj"} {
		for line := range strings.Lines(string(files["package/dict/data."+name])) {
			if strings.HasPrefix(line, " ") { // the licence
				continue
			}
			line, gloss, _ := strings.Cut(line, " | ")
			for _, word := range strings.FieldsFunc(gloss, notLetter) {
				w.glosses[word]++
			}
			definition, _, _ := strings.Cut(gloss, ";")
			link, err := w.synset(pos, strings.Fields(line), strings.FieldsFunc(definition, notLetter))
			if err != nil {
				return nil, fmt.Errorf("data.%s: %w: %.60s", name, err, line)
			}
			links = append(links, link)
		}
	}
	for _, link := range links {
		link()
	}
	for line := range strings.Lines(string(files["package/dict/index.sense"])) {
		if err := w.sense(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("index.sense: %w: %.60s", err, line)
		}
	}
	for _, s := range w.synsets { // synsets is a map: sort each list
		slices.SortFunc(s.below, func(a, b *synset) int { return slices.Compare(a.words, b.words) })
	}
	for _, list := range w.senses {
		slices.SortFunc(list, func(a, b sense) int { return cmp.Or(cmp.Compare(a.of.pos, b.of.pos), cmp.Compare(a.number, b.number)) })
	}
	return w, nil
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// synset parses a line of a data file. link connects the synset; call it once all are
// read.
func (w *wordnet) synset(pos byte, f, definition []string) (link func(), err error) {
	n, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil {
		return nil, err
	}
	s := &synset{pos: pos, definition: definition}
	for i := range int(n) {
		word, _, _ := strings.Cut(f[4+2*i], "(") // an adjective's (p), (a) or (ip)
		s.words = append(s.words, word)
	}
	w.synsets[string(pos)+f[0]] = s
	f = f[4+2*n:]
	pointers, err := strconv.Atoi(f[0])
	if err != nil {
		return nil, err
	}
	return func() {
		for i := range pointers {
			p := f[1+4*i : 5+4*i]
			to := w.synsets[string(pos)+p[1]]
			switch {
			case p[0] == "@" && to != nil:
				s.above = append(s.above, to)
				to.below = append(to.below, s)
			case p[0] == "&" && to != nil:
				s.similar = append(s.similar, to)
			}
		}
	}, nil
}

// sense parses a line of index.sense.
func (w *wordnet) sense(f []string) error {
	word, key, ok := strings.Cut(f[0], "%")
	number, err1 := strconv.Atoi(f[2])
	count, err2 := strconv.Atoi(f[3])
	if err := cmp.Or(err1, err2); err != nil || !ok || key == "" {
		return fmt.Errorf("no sense: %w", err)
	}
	pos, ok := map[byte]string{'1': "n", '2': "v", '3': "a", '5': "a"}[key[0]]
	if of := w.synsets[pos+f[1]]; ok && of != nil {
		w.senses[word] = append(w.senses[word], sense{of, number, count})
	}
	return nil
}

// counted returns the number of annotations of a word in a sense.
func (w *wordnet) counted(word string, in *synset) (n int) {
	for _, s := range w.senses[word] {
		if s.of == in {
			n += s.count
		}
	}
	return n
}

// share returns the estimated probability that a word has a sense, from 0 to 1.
func (w *wordnet) share(word string, in *synset) float64 {
	var own, all float64
	for _, s := range w.senses[word] {
		x := float64(s.count) + 0.5/float64(s.number)
		if all += x; s.of == in {
			own += x
		}
	}
	return own / all
}
