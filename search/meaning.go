package search

import (
	"regexp"
	"strings"
	"unicode"
)

// MeaningText is the form in which a text is given to a model: what is written in
// capitals means the same, and models do not know that.
func MeaningText(text string) string { return strings.ToLower(text) }

// meaningText is the part of a query that its meaning is taken from: all but
// forbidden words, fields and codes; "" if no plain word is among it, because a
// phrase is to be found as it is written.
func meaningText(clauses []clause) string {
	var words []string
	plain := false
	for _, c := range clauses {
		if c.not || c.fields != anyField || !c.phrase && isCode(c.text) {
			continue
		}
		words = append(words, c.text)
		plain = plain || !c.phrase && !strings.ContainsFunc(c.text, unicode.IsNumber) &&
			strings.ContainsFunc(c.text, unicode.IsLetter)
	}
	if !plain {
		return ""
	}
	return MeaningText(strings.Join(words, " "))
}

var (
	// count matches numbers that go with words: "2 dogs", "the 1990s", "3d", "4k".
	count = regexp.MustCompile(`^\p{N}{1,4}(?i:s|st|nd|rd|th|d|k)?$`)
	// fileName matches names with an extension, of sites too.
	fileName = regexp.MustCompile(`[^.]\.\pL[\pL\p{N}]{1,4}$`)
)

// longWord is how many bytes no word has.
const longWord = 64

// isCode reports whether a word of a query stands for one thing and has no
// meaning: a number, an article's code, the name of a file, an e-mail address.
func isCode(word string) bool {
	switch {
	case len(word) > longWord, strings.ContainsAny(word, "@_/\\"), fileName.MatchString(word):
		return true
	case strings.ContainsFunc(word, unicode.IsNumber):
		return !count.MatchString(word)
	}
	return false
}
