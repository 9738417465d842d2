package search

import (
	"regexp"
	"strings"
	"unicode"
)

// MeaningText normalizes a text for a model: case does not change its meaning, but models
// would distinguish it.
func MeaningText(text string) string { return strings.ToLower(text) }

// meaningText returns the part of a query for semantic search: all but excluded words,
// fields and codes. It returns "" without any plain word, because phrases are matched
// exactly.
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
	// fileName matches names with an extension, including those of sites.
	fileName = regexp.MustCompile(`[^.]\.\pL[\pL\p{N}]{1,4}$`)
)

// longWord is the length in bytes above which a text is not a word.
const longWord = 64

// isCode reports whether a word of a query identifies something and has no meaning of its
// own, such as a number, an article code, a file name or an email address.
func isCode(word string) bool {
	switch {
	case len(word) > longWord, strings.ContainsAny(word, "@_/\\"), fileName.MatchString(word):
		return true
	case strings.ContainsFunc(word, unicode.IsNumber):
		return !count.MatchString(word)
	}
	return false
}
