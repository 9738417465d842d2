package textvec

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/enrich/service"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://localhost:11434/v1":                                "http://localhost:11434/v1/embeddings",
		"http://localhost:11434/v1/":                               "http://localhost:11434/v1/embeddings",
		"https://api.example.com/v1/embeddings":                    "https://api.example.com/v1/embeddings",
		"https://api.example.com/v1/embeddings/":                   "https://api.example.com/v1/embeddings",
		"HTTPS://[::1]:8080/openai":                                "https://[::1]:8080/openai/embeddings",
		"http://192.168.1.2/v1":                                    "http://192.168.1.2/v1/embeddings",
		"https://generativelanguage.googleapis.com/v1beta/openai/": "https://generativelanguage.googleapis.com/v1beta/openai/embeddings",
	} {
		if got, err := service.Address("embeddings endpoint", address, "/embeddings"); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", address, got, err, want)
		}
	}
	for address, want := range map[string]string{
		"":                              "begin with http",
		"localhost:11434/v1":            "begin with http",
		"ftp://localhost/v1":            "begin with http",
		"/v1":                           "begin with http",
		"http:///v1":                    "begin with http",
		"http://:80/v1":                 "begin with http",
		"http://localhost:11434":        "has no path",
		"http://localhost:11434/":       "has no path",
		"http://u:secret@localhost/v1":  "without a user",
		"http://localhost/v1?k=secret":  "without a user",
		"http://localhost/v1?":          "without a user",
		"http://localhost/v1#secret":    "without a user",
		"http://u:secret@local host/v1": "no URL",
		"http://localhost:x/v1":         "no URL",
	} {
		got, err := service.Address("embeddings endpoint", address, "/embeddings")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is %q, %v, want an error with %q", address, got, err, want)
		}
	}
}

func TestNewEndpoint(t *testing.T) {
	t.Parallel()
	e, err := NewEndpoint("http://localhost/v1", "m", "secret")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%s"} {
		if s := fmt.Sprintf(format, e); strings.Contains(s, "secret") {
			t.Errorf("%s prints %s", format, s)
		}
	}
	for _, c := range [][3]string{
		{"localhost", "m", ""}, {"http://localhost/v1", "", ""}, {"http://localhost/v1", " m", ""},
		{"http://localhost/v1", strings.Repeat("m", 201), ""}, {"http://localhost/v1", "m", "secret\nX: y"},
		{"http://localhost/v1", "m", "secret "}, {"http://localhost/v1", "m", "sécret"},
	} {
		if e, err := NewEndpoint(c[0], c[1], c[2]); err == nil || e != nil || strings.Contains(err.Error(), "cret") {
			t.Errorf("NewEndpoint(%q): %v", c, err)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("word ", 150) // 750 bytes
	long := strings.Repeat("x", 3000)
	for _, c := range []struct {
		name, text string
		want       []int // bytes
	}{
		{"nothing", " \n", nil},
		{"fits", strings.Repeat("x", 1000), []int{1000}},
		{"no place to cut", long, []int{1000, 1000, 1000}},
		{"a space", words + words, []int{999, 499}},
		{"a sentence", words + "end. " + words, []int{754, 749}},
		{"a line", words + "\n" + words, []int{749, 749}},
		{"a sentence in the first half", "One. " + words + words, []int{999, 504}},
		{"Chinese", strings.Repeat("东", 300) + "。" + strings.Repeat("东", 200), []int{903, 600}},
		{"within a character", "x" + strings.Repeat("东", 400), []int{1000, 201}},
		{"not UTF-8", "\xff\xff" + strings.Repeat("东", 400), []int{999, 204}},
	} {
		var got []int
		for _, part := range split(c.text) {
			if !utf8.ValidString(part) || strings.TrimSpace(part) != part {
				t.Errorf("%s: %q", c.name, part)
			}
			got = append(got, len(part))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: parts of %v bytes, want %v", c.name, got, c.want)
		}
	}
	if n := len(split(strings.Repeat("x", maxEndpointText+5000))); n != maxParts {
		t.Errorf("%d parts", n)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(strings.Repeat("word. ", 400))
	f.Add(strings.Repeat("东。", 400))
	f.Add(strings.Repeat("\xff\xe3\x80\x82 ", 400))
	f.Fuzz(func(t *testing.T, text string) {
		parts := split(text)
		rest := strings.ToValidUTF8(clip(strings.TrimSpace(text), maxEndpointText), "\uFFFD")
		for _, part := range parts {
			before, after, ok := strings.Cut(rest, part)
			if !ok || part == "" || len(part) > maxPart || !utf8.ValidString(part) || strings.TrimSpace(before) != "" {
				t.Fatalf("%q is no part of %q", part, rest)
			}
			rest = after
		}
		if len(parts) < maxParts && strings.TrimSpace(rest) != "" || len(parts) > maxParts {
			t.Fatalf("%d parts, and %q left", len(parts), rest)
		}
	})
}
