package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// compose normalizes characters with several encodings (NFKC) in the text index and its
// results. Analyzers handle case and accents.
func compose(s string) string {
	if ascii(s) {
		return s
	}
	return oneVowel.Replace(norm.NFKC.String(s))
}

// oneVowel restores a letter that NFKC decomposes but people do not: the vowel am of Thai
// and Lao.
var oneVowel = strings.NewReplacer("\u0e4d\u0e32", "\u0e33", "\u0ecd\u0eb2", "\u0eb3")

// fold returns the form in which texts are compared: without case (Unicode's full
// folding), without the accents of Latin, Greek and Cyrillic letters, and with one
// encoding of each character. Marks on other characters are kept: there they make a
// different letter, or turn = into ≠.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = norm.NFKD.String(cases.Fold().String(norm.NFKC.String(s)))
	letter := false // whether the following marks are on a letter of these scripts
	s = strings.Map(func(r rune) rune {
		switch {
		case letter && r >= 0x0300 && r <= 0x036F: // Combining Diacritical Marks
			return -1
		case !unicode.Is(unicode.Mn, r):
			letter = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// dict numbers the distinct texts of a field.
type dict struct {
	num    map[string]uint32
	texts  []string
	folded []string
}

func newDict() *dict { return &dict{num: map[string]uint32{}} }

// number returns the number of a text, a new one if it has none. The empty text is
// treated like any other.
func (d *dict) number(s string) uint32 {
	n, ok := d.num[s]
	if !ok {
		n = uint32(len(d.texts))
		s = strings.Clone(s)
		d.num[s] = n
		d.texts = append(d.texts, s)
		d.folded = append(d.folded, fold(s))
	}
	return n
}

// which tests the folded form of each text.
func (d *dict) which(fits func(folded string) bool) []bool {
	list := make([]bool, len(d.folded))
	for i, s := range d.folded {
		list[i] = fits(s)
	}
	return list
}
