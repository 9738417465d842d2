package export

import (
	"strings"
	"unicode"
)

// harmless returns s with an apostrophe wherever a spreadsheet could take what
// follows for a formula: at the start, and after each line break and each
// character that some program takes for the end of a cell, whatever spaces and
// quotes come next. Source: https://owasp.org/www-community/attacks/CSV_Injection
func harmless(s string) string {
	var b strings.Builder
	starts := true
	for i, r := range s {
		if starts {
			first := firstSign(s[i:])
			if strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫⁺⁻⁼", first) || i == 0 && strings.ContainsRune("\t\r\n", first) {
				b.WriteByte('\'')
			}
		}
		starts = endsCell(r)
		b.WriteRune(r)
	}
	return b.String()
}

// firstSign returns the first character of s that is not a space, a quote or
// invisible, or that ends a cell; 0 if there is none.
func firstSign(s string) rune {
	for _, r := range s {
		hidden := unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
		if endsCell(r) || !hidden && !strings.ContainsRune("\"“”„«»`´", r) {
			return r
		}
	}
	return 0
}

// endsCell reports whether some program splits a table at r.
func endsCell(r rune) bool {
	return strings.ContainsRune(",;|\t\r\n\v\f\u0085\u2028\u2029", r)
}
