package dam

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden reports a character that nobody sees or that changes how others are
// seen: control characters, separators of lines and paragraphs, and what Unicode
// calls format characters, such as those that turn the direction of a text
// (UTR 36, section 3.3) and spaces without width. Scripts and emoji need some of
// those: the joiners between two characters that they join, the tags of a flag,
// and the signs of Arabic and others that stand around numbers.
func hidden(r, before, after rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\u3164', r == '\uFFA0': // the last two are blank letters
		return true
	case r == '\u200C', r == '\u200D':
		return !joins(before) || !joins(after)
	case isTag(r):
		return before != '\U0001F3F4' && !isTag(before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// joins reports what a joiner can stand beside: letters with their marks, and
// emoji.
func joins(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk) && !isFiller(r)
}

func isTag(r rune) bool { return r >= '\U000E0020' && r <= '\U000E007F' }

// isFiller reports letters and signs that are drawn as nothing.
func isFiller(r rune) bool {
	switch r {
	case '\u115F', '\u1160', '\u2800', '\u3164', '\uFFA0':
		return true
	}
	return false
}

// eachRune calls fn with each character of s, between its neighbours, 0 at the
// ends, and its bytes.
func eachRune(s string, fn func(r, before, after rune, text string)) {
	var before rune
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		var after rune
		if i+n < len(s) {
			after, _ = utf8.DecodeRuneInString(s[i+n:])
		}
		fn(r, before, after, s[i:i+n])
		before = r
		i += n
	}
}

// Visible returns s without its hidden characters, line breaks and tabs as
// spaces, and trimmed.
func Visible(s string) string {
	var b strings.Builder
	eachRune(s, func(r, before, after rune, text string) {
		switch {
		case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029', r == '\u0085':
			b.WriteByte(' ')
		case !hidden(r, before, after):
			b.WriteString(text)
		}
	})
	return strings.TrimSpace(b.String())
}

// VisibleLines is Visible for a text of several lines, each of which it keeps.
func VisibleLines(s string) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n")
	for i, l := range lines {
		lines[i] = Visible(l)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Unseen reports whether a text shows nothing at all.
func Unseen(s string) bool {
	return strings.TrimFunc(Visible(s), func(r rune) bool { return unicode.IsSpace(r) || isFiller(r) }) == ""
}

// firstHidden returns the first hidden character of s. With lines, line breaks
// and tabs are none.
func firstHidden(s string, lines bool) (found rune, ok bool) {
	eachRune(s, func(r, before, after rune, _ string) {
		if !ok && hidden(r, before, after) && !(lines && (r == '\n' || r == '\r' || r == '\t')) {
			found, ok = r, true
		}
	})
	return found, ok
}

// ReplaceHidden returns s with what with returns in place of each hidden
// character, line breaks and tabs among them, and U+FFFD in place of what is no
// UTF-8.
func ReplaceHidden(s string, with func(rune) string) string {
	var b strings.Builder
	eachRune(s, func(r, before, after rune, text string) {
		switch {
		case hidden(r, before, after):
			b.WriteString(with(r))
		default:
			b.WriteRune(r)
		}
	})
	return b.String()
}
