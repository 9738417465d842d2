package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of words that are made of others, such as Bürostuhl of Stuhl.
const (
	minCompound  = 8    // characters of such a word
	maxLong      = 40   // and at most
	minPart      = 4    // of the word that it ends with
	minRest      = 3    // of the rest
	maxCompounds = 20   // words that end with one
	maxEndings   = 2000 // words that are looked at for them

	// compoundWeight is how much such a word counts beside the word itself. By hand.
	compoundWeight = 0.2
)

// mayBeCompound reports whether a word may be made of others.
func mayBeCompound(w word) bool {
	if w.kind != plain || len(w.text) < minCompound {
		return false
	}
	n := 0
	for _, r := range w.text {
		if !unicode.IsLetter(r) {
			return false
		}
		n++
	}
	return n >= minCompound && n <= maxLong
}

// compounds returns the stems of words of the library that are made of another word,
// which they end with, and a word that says more. They are looked for in the fields
// that the word is.
func (s *searcher) compounds(t term, fields fieldSet) ([]variant, error) {
	if utf8.RuneCountInString(t.text) < minPart || isSuffix(t.text) || strings.ContainsFunc(t.text, notLetter) {
		return nil, nil
	}
	made := term{}
	for _, stem := range t.stems {
		list, err := s.endingWith(stem, maxCompounds-len(made.stems))
		if err != nil {
			return nil, err
		}
		made.stems = append(made.stems, list...)
	}
	list := made.variants(fields)
	for i := range list {
		s.also[list[i].term] = true
		list[i].weight *= compoundWeight
	}
	return list, nil
}

// endingWith lists up to most longer stems of the library that end with one.
func (s *searcher) endingWith(stem string, most int) ([]string, error) {
	if utf8.RuneCountInString(stem) < minPart-1 || isSuffix(stem) {
		return nil, nil
	}
	back := reversed(stem)
	dict, err := s.reader.FieldDictPrefix(fieldEndings, []byte(back))
	if err != nil {
		return nil, err
	}
	found, err := entries(dict, back, maxEndings)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, ending := range found {
		rest := reversed(ending[len(back):])
		if utf8.RuneCountInString(rest) >= minRest && !isPrefix(rest) && len(list) < most {
			list = append(list, rest+stem)
		}
	}
	return list, nil
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// isSuffix reports whether an English word is mostly an ending when others end
// with it: friendship is no ship.
func isSuffix(word string) bool {
	switch word {
	case "ship", "ships", "less", "ness", "able", "hood", "like", "wise", "ward", "wards", "some", "form", "thing", "things", "time", "times",
		"body", "graph", "graphs", "meter", "metre", "scope", "ling", "land", "side", "port", "ports", "ally", "ever", "where", "fully":
		return true
	}
	return false
}

// isPrefix reports whether what is before a word only shades it in English or
// Latin: a discovery is no cover.
func isPrefix(rest string) bool {
	switch rest {
	case "con", "com", "dis", "mis", "non", "per", "pre", "pro", "sub", "sup", "sur", "out", "off", "for", "fore", "over", "under", "inter",
		"intro", "trans", "ex", "anti", "auto", "semi", "super", "tele", "micro", "rest", "some", "every", "any":
		return true
	}
	return false
}
