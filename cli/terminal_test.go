package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzShown(f *testing.F) {
	for _, s := range []string{
		"plain", "a\x1b[2Jb", "\u202egpj.exe", "a\nb\tc", "👩‍👩‍👧",
		"\U000E0041", "\u009b31m", "\xff\xfe", "\r\x7f",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{shown(s), shownLines(strings.ReplaceAll(s, "\n", ""))} {
			if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\u2028' || r == '\ufeff'
			}) {
				t.Errorf("%+q is shown as %+q", s, out)
			}
		}
		if !utf8.ValidString(s) {
			return
		}
		var b bytes.Buffer
		if err := printJSON(&b, map[string]string{"name": s}); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["name"] != s {
			t.Errorf("%+q is %+q, %v", s, back["name"], err)
		}
		if bytes.ContainsAny(b.Bytes(), "\u202e\u200b\x7f\u009b\x1b\ufeff") {
			t.Errorf("%+q is written as %+q", s, &b)
		}
	})
}
