package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for compound words, such as Bürostuhl for a search for Stuhl.
const (
	minCompound  = 8    // minimum characters of a compound
	maxLong      = 40   // maximum characters of a compound
	minPart      = 4    // minimum characters of its final part
	minRest      = 3    // minimum characters of the rest
	maxCompounds = 20   // maximum compounds added per word
	maxEndings   = 2000 // maximum candidates examined per word

	// compoundWeight is the weight of a compound relative to the word itself. Set by hand.
	compoundWeight = 0.2
)

// mayBeCompound reports whether a word may be a compound.
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

// compounds returns the stems of compounds in the library that end with a word and begin
// with another one. They are searched in the given fields.
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

// endingWith returns up to most longer stems of the library that end with a stem.
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

// isSuffix reports whether an English word is mostly a suffix at the end of others:
// friendship is not a ship.
func isSuffix(word string) bool {
	switch word {
	case "ship", "ships", "less", "ness", "able", "hood", "like", "wise", "ward", "wards", "some", "form", "thing", "things", "time", "times",
		"body", "graph", "graphs", "meter", "metre", "scope", "ling", "land", "side", "port", "ports", "ally", "ever", "where", "fully":
		return true
	}
	return false
}

// isPrefix reports whether the part before a word is an English or Latin prefix: a
// discovery is not a cover.
func isPrefix(rest string) bool {
	switch rest {
	case "con", "com", "dis", "mis", "non", "per", "pre", "pro", "sub", "sup", "sur", "out", "off", "for", "fore", "over", "under", "inter",
		"intro", "trans", "ex", "anti", "auto", "semi", "super", "tele", "micro", "rest", "some", "every", "any":
		return true
	}
	return false
}
