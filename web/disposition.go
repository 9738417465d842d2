package web

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxDownloadName is the maximum length of a name in a Content-Disposition in bytes, that
// of most file systems.
const maxDownloadName = 255

// disposition returns the Content-Disposition of a file (RFC 6266): an ASCII version of its
// name as filename, for old clients, and the full name as filename* if it differs.
func disposition(name string, inline bool) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	name = shortName(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "_")))
	plain := asciiName(name)
	if strings.Trim(plain, "_. ") == "" {
		plain = "file"
	}
	v := fmt.Sprintf(`%s; filename="%s"`, kind, plain)
	if plain != name {
		v += "; filename*=UTF-8''" + extValue(name)
	}
	return v
}

// shortName truncates a name that is too long, but keeps its extension.
func shortName(name string) string {
	if len(name) <= maxDownloadName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	return clip(name, maxDownloadName-len(ext)) + ext
}

// asciiName converts a name to ASCII that all clients parse alike: accents are removed, and
// other non-ASCII characters and those with a meaning in a quoted string become
// underscores.
func asciiName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r < ' ' || r >= utf8.RuneSelf || strings.ContainsRune(`"\%/:*?<>|`, r):
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// extValue encodes a text as a value of an extended parameter (RFC 8187).
func extValue(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
