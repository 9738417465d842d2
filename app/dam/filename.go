package dam

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanFilename makes a name that a client sent safe to keep, show and offer
// for download: only the last element of a path in either slash style, valid
// UTF-8, no control or bidirectional-override characters, no leading or
// trailing spaces or dots at the end, at most 255 bytes with its extension
// kept. A name of which nothing is left becomes "file".
func CleanFilename(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || isBidiControl(r) || r == '\uFEFF' {
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimSpace(name), ". ")
	if name == "" {
		return "file"
	}
	if len(name) > MaxFilename {
		ext := path.Ext(name)
		if len(ext) > 20 {
			ext = ""
		}
		name = truncate(strings.TrimSuffix(name, ext), MaxFilename-len(ext)) + ext
	}
	return name
}

// isBidiControl reports the characters of Unicode that reorder text and so can
// make "gpj.exe" read as "exe.jpg" (Unicode TR 36, section 3.3).
func isBidiControl(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' || r == '\u200E' || r == '\u200F' || r == '\u061C'
}

// truncate returns the longest prefix of s that has at most n bytes and ends
// between characters.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Extension returns the lower-case extension of a file name without its dot,
// or "".
func Extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}

// TitleFromFilename returns the title of an asset that has no better one: its
// file's name without extension, with underscores as spaces.
func TitleFromFilename(name string) string {
	t := strings.TrimSuffix(name, path.Ext(name))
	t = strings.Join(strings.Fields(strings.ReplaceAll(t, "_", " ")), " ")
	if t == "" {
		return name
	}
	return t
}
