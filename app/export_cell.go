package app

import (
	"strings"
	"unicode"
)

// harmless returns a text of which no spreadsheet takes a part for a formula:
// an apostrophe stands before each place where one could begin, which is at the
// start of the text, and after each line break and each sign that some program
// takes for the end of a cell, whatever spaces and quotes follow. Source:
// https://owasp.org/www-community/attacks/CSV_Injection
func harmless(s string) string {
	var b strings.Builder
	starts := true
	for i, r := range s {
		if starts {
			if first := firstSign(s[i:]); strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫⁺⁻⁼", first) || i == 0 && strings.ContainsRune("\t\r\n", first) {
				b.WriteByte('\'')
			}
		}
		starts = endsCell(r)
		b.WriteRune(r)
	}
	return b.String()
}

// firstSign returns the first character of a text that is neither a space, nor
// a quote, nor invisible; a character that ends a cell counts. It is 0 for none.
func firstSign(s string) rune {
	for _, r := range s {
		if endsCell(r) || !(unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || strings.ContainsRune("\"“”„«»`´", r)) {
			return r
		}
	}
	return 0
}

// endsCell reports what some program splits a table at.
func endsCell(r rune) bool {
	return strings.ContainsRune(",;|\t\r\n\v\f\u0085\u2028\u2029", r)
}
