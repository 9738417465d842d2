package search

import (
	"unicode"
	"unicode/utf8"
)

// camelParts returns the pieces of a name: runs of letters, split at each capital that
// begins a word, and runs of digits. "IMG_1234" has two, as do "harbourDawn" and
// "IMGHarbour".
func camelParts(name string) (parts []span) {
	const (
		none = iota
		lower
		upper
		digit
	)
	class := func(r rune) int {
		switch {
		case unicode.IsNumber(r):
			return digit
		case unicode.IsUpper(r), unicode.IsTitle(r):
			return upper
		case unicode.IsLetter(r):
			return lower
		}
		return none
	}
	start, before := -1, none
	end := func(at int) {
		if start >= 0 && start < at {
			parts = append(parts, span{start, at})
		}
		start = -1
	}
	for i, r := range name {
		if unicode.IsMark(r) && start >= 0 {
			continue
		}
		now := class(r)
		switch {
		case now == none:
			end(i)
		case now == before:
		case now == lower && before == upper:
			// The last capital begins the word: IMG, Harbour.
			if _, size := utf8.DecodeLastRuneInString(name[:i]); i-size > start {
				last := i - size
				end(last)
				start = last
			}
		default:
			end(i)
		}
		if now != none && start < 0 {
			start = i
		}
		before = now
	}
	end(len(name))
	return parts
}

// spacedOut returns a file name with a space at the end of each piece. Emoji are kept.
func spacedOut(name string) string {
	parts := camelParts(name)
	out := make([]byte, 0, len(name)+len(parts))
	at := 0
	for _, p := range parts {
		out = append(out, between(name[at:p.start])...)
		out = append(out, name[p.start:p.end]...)
		at = p.end
	}
	return string(append(out, between(name[at:])...))
}

// between returns the text between two pieces, without word joiners.
func between(s string) []byte {
	out := []byte{' '}
	for _, r := range s {
		if r >= utf8.RuneSelf && !isJoint(string(r)) {
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, ' ')
}
