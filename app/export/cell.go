package export

import (
	"strings"
	"unicode"
)

// harmless returns s with an apostrophe before everything that a spreadsheet could
// interpret as a formula. That includes the start of s and the text after each line break
// and each character that some program treats as a cell separator, ignoring spaces and
// quotes. Existing apostrophes get another one, so that Plain can reverse the change.
// Source: https://owasp.org/www-community/attacks/CSV_Injection
func harmless(s string) string {
	var b strings.Builder
	starts := true
	for i, r := range s {
		if starts && isFormula(strings.TrimLeft(s[i:], "'"), i == 0) {
			b.WriteByte('\'')
		}
		starts = endsCell(r)
		b.WriteRune(r)
	}
	return b.String()
}

// Plain returns the value of a cell written by WriteCSV, without the apostrophes added by
// harmless.
func Plain(cell string) string {
	var b strings.Builder
	starts := true
	for i, r := range cell {
		if starts && r == '\'' && isFormula(strings.TrimLeft(cell[i:], "'"), i == 0) {
			starts = false
			continue
		}
		starts = endsCell(r)
		b.WriteRune(r)
	}
	return b.String()
}

// isFormula reports whether a spreadsheet could interpret s at the start of a cell as a
// formula. beginsText is true at the start of the whole text.
func isFormula(s string, beginsText bool) bool {
	first := firstSign(s)
	return strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫⁺⁻⁼", first) || beginsText && strings.ContainsRune("\t\r\n", first)
}

// firstSign returns the first character of s that is visible and not a quote, or that ends
// a cell; 0 if it has none.
func firstSign(s string) rune {
	for _, r := range s {
		hidden := unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
		if endsCell(r) || !hidden && !strings.ContainsRune("\"“”„«»`´", r) {
			return r
		}
	}
	return 0
}

// endsCell reports whether some program treats r as a cell separator.
func endsCell(r rune) bool {
	return strings.ContainsRune(",;|\t\r\n\v\f\u0085\u2028\u2029", r)
}
