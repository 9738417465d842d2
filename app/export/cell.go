package export

import (
	"strings"
	"unicode"
)

// harmless returns s with an apostrophe wherever a spreadsheet could take what
// follows for a formula: at the start, and after each line break and each
// character that some program takes for the end of a cell, whatever spaces and
// quotes come next. Apostrophes that are there already get another one, so that
// Plain can take back what was added.
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

// Plain returns what a cell of a table of WriteCSV says: without the apostrophes
// that make formulas harmless.
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

// isFormula reports whether a spreadsheet could take s for a formula if it begins
// a cell, given whether it begins a text.
func isFormula(s string, beginsText bool) bool {
	first := firstSign(s)
	return strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫⁺⁻⁼", first) || beginsText && strings.ContainsRune("\t\r\n", first)
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
