package dam_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/dam"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                       "",
		"Zoë 写真 📷":               "Zoë 写真 📷",
		"a\x1b[2Jb":              `a\u{1b}[2Jb`,
		"a\u202eb\u200bc\u2028d": `a\u{202e}b\u{200b}c\u{2028}d`,
		"a\xff\xfeb":             "a\uFFFDb",
	} {
		if got := dam.Printable(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"ada@example.com", "\x00\u202e\u3164", strings.Repeat("é\n", 300), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := dam.Printable(s)
		if len(p) > dam.MaxAuditText || !utf8.ValidString(p) || p != dam.Printable(p) {
			t.Errorf("%q is %q", s, p)
		}
	})
}
