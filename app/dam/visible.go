package dam

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden reports whether a character is invisible or changes the rendering of others:
// control characters, line and paragraph separators, and Unicode format characters, such as
// bidirectional controls (UTR 36, section 3.3) and zero-width spaces. Some of these are
// required by scripts and emoji and are accepted in their context: joiners between two
// characters that they join, tag characters of a flag, and number signs of Arabic and other
// scripts.
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

// joins reports whether r can be next to a joiner: letters, their combining marks, and
// emoji.
func joins(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk) && !isFiller(r)
}

func isTag(r rune) bool { return r >= '\U000E0020' && r <= '\U000E007F' }

// isFiller reports whether r is a letter or symbol without a visible glyph.
func isFiller(r rune) bool {
	switch r {
	case '\u115F', '\u1160', '\u2800', '\u3164', '\uFFA0':
		return true
	}
	return false
}

// eachRune calls fn with each character of s, its neighbors (0 at the ends) and its bytes.
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

// Visible returns s without hidden characters, with line breaks and tabs replaced by
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

// VisibleLines is like Visible, but keeps line breaks.
func VisibleLines(s string) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n")
	for i, l := range lines {
		lines[i] = Visible(l)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Unseen reports whether a text has no visible characters.
func Unseen(s string) bool {
	return strings.TrimFunc(Visible(s), func(r rune) bool { return unicode.IsSpace(r) || isFiller(r) }) == ""
}

// firstHidden returns the first hidden character of s. If lines is set, line breaks and
// tabs are not hidden.
func firstHidden(s string, lines bool) (found rune, ok bool) {
	eachRune(s, func(r, before, after rune, _ string) {
		if !ok && hidden(r, before, after) && !(lines && (r == '\n' || r == '\r' || r == '\t')) {
			found, ok = r, true
		}
	})
	return found, ok
}

// ReplaceHidden returns s with each hidden character, including line breaks and tabs,
// replaced by the result of with, and invalid UTF-8 by U+FFFD.
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
