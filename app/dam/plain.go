package dam

import (
	"strings"
	"unicode"
)

// unseen reports the characters that nobody sees in a text, or that change how
// the rest of it looks: control characters, those that steer the direction of
// writing, those without a width, separators of lines, and blank letters.
func unseen(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0: // fillers of Hangul
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// plain adds a problem if s has characters that nobody sees. Those in but are
// allowed.
func (p *Problems) plain(field, s, but string) {
	for _, r := range s {
		if unseen(r) && !strings.ContainsRune(but, r) {
			p.Add(field, "The %s field must not have invisible or control characters.", strings.ReplaceAll(field, "_", " "))
			return
		}
	}
}
