package textvec

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// small is a vocabulary whose results can be calculated by hand.
func small() vocabulary {
	list := []struct {
		text  string
		score float64
	}{
		{"\uFFFD", 0}, {"<s>", 0}, {"</s>", 0}, {"r3", 0}, {"r4", 0}, {"r5", 0},
		{"▁", -2}, {"a", -3}, {"b", -3}, {"ab", -5}, {"▁a", -4},
		{"abc", -20}, {":)", 0}, {"▁:", -1}, {")", -1}, {"▁end.", -1}, {"é", -4}, {"b", -2.5},
	}
	v := vocabulary{pieces: map[string]piece{}, lengths: make([]uint8, len(list)), kinds: make([]kind, len(list))}
	for id, p := range list {
		v.add(id, p.text, p.score)
	}
	return v
}

func TestEncode(t *testing.T) {
	t.Parallel()
	v := small()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" ", []string{"▁", "▁"}},
		{"a", []string{"▁a"}},
		{"ab", []string{"▁a", "b"}},       // -6.5 before ▁ ab, -7
		{"aab", []string{"▁a", "ab"}},     // -9 before ▁a a b, -9.5
		{"b", []string{"▁", "b"}},         // the later of two b
		{"abc", []string{"▁a", "b", "?"}}, // c costs nothing, abc costs 20
		{"x", []string{"▁", "?"}},
		{"xyz", []string{"▁", "?"}}, // adjacent ones are merged
		{"xaz", []string{"▁", "?", "a", "?"}},
		{":)", []string{"▁:", ")"}}, // -2 twice: the later start wins
		{"é東", []string{"▁", "é", "?"}},
		{"<s>", []string{"▁", "?"}}, // reserved tokens are not text
		{"\xff\xe6\x9da", []string{"▁", "?", "a"}},
		{"a▁a", []string{"▁a", "▁a"}},
	} {
		var got []string
		ids := v.encode(c.text)
		for _, id := range ids {
			got = append(got, textOf(v, id))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q has the tokens %q, want %q", c.text, got, c.want)
		}
	}
}

func textOf(v vocabulary, id uint16) string {
	for text, p := range v.pieces {
		if p.id == id {
			return text
		}
	}
	return "?"
}

func TestMeans(t *testing.T) {
	t.Parallel()
	v := small()
	for text, want := range map[string]bool{"": false, " ": false, "x": false, "x y": false, "a": true, "x ) y": true} {
		if v.means(v.encode(text)) != want {
			t.Errorf("%q means something: %v", text, !want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	v := small()
	ids := map[rune]uint16{'w': v.pieces["▁a"].id, 'a': v.pieces["a"].id, '.': v.pieces["▁end."].id}
	repeat := strings.Repeat
	for _, c := range []struct {
		name, text string // w starts a word, a continues it, . is a word at the end of a sentence
		want       int
	}{
		{"nothing", "", 0},
		{"fits", repeat("w", 128), 128},
		{"words", repeat("wa", 65), 128},
		{"within a word", repeat("w", 100) + repeat("a", 40), 99},
		{"one long word", repeat("a", 200), 128},
		{"long word in the second half", repeat("w", 60) + repeat("a", 100), 128},
		{"sentence", repeat("w", 99) + "." + repeat("w", 100), 100},
		{"last of two sentences", repeat("w", 79) + "." + repeat("w", 19) + "." + repeat("w", 100), 100},
		{"sentence in the first half", repeat("w", 49) + "." + repeat("w", 100), 128},
		{"sentence at the end", repeat("w", 127) + ".w", 128},
		{"sentence mark within a word", repeat("w", 99) + ".a" + repeat("w", 100), 128},
	} {
		var list []uint16
		for _, r := range c.text {
			list = append(list, ids[r])
		}
		if n := v.cut(list); n != c.want {
			t.Errorf("%s: the window has %d tokens, want %d", c.name, n, c.want)
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	v := small()
	word, end := v.pieces["▁a"].id, v.pieces["▁end."].id
	ids := slices.Repeat(append(slices.Repeat([]uint16{word}, 99), end), 3) // 3 sentences of 100 tokens
	if w := v.windows(ids); len(w) != 3 || !slices.Equal(slices.Concat(w...), ids) || len(w[0]) != 100 {
		t.Errorf("%d windows", len(w))
	}
	ids = slices.Repeat(ids, maxWindows)
	if w := v.windows(ids); len(w) != maxWindows || !slices.Equal(slices.Concat(w...), ids[:100*maxWindows]) {
		t.Errorf("%d windows", len(w))
	}
	if w := v.windows(nil); w != nil {
		t.Errorf("%v for no tokens", w)
	}
}

func TestLatin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "12 €": true, "abc": true, "东京 abc": true,
		"Привет": false, "Привет ab": true, "Привет a": false,
	} {
		if latin(text) != want {
			t.Errorf("%q is Latin: %v", text, !want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                 "",
		" a \n\t b ":       "a b",
		"ﬁ\u00a0①":         "fi 1",
		"éééé":             "ééé", // 7 bytes would split the last character
		"0123456789":       "01234567",
		"ﷺ":                "صلى", // its 33 bytes are truncated again
		"\xff\xff":         "\xff\xff",
		"   " + "01234567": "01234567",
	} {
		limit := 8
		if strings.HasPrefix(want, "é") {
			limit = 7
		}
		got := clean(text, limit)
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%q is cleaned to %q, want %q", text, got, want)
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, text := range []string{"", "a", "The dog.", ":) 東京 \xff", "a\u0301\u0301", "▁▁", "ﷺ", "://:30"} {
		f.Add(text)
	}
	m := loadModel(f)
	v := &m.vocabulary
	texts := make([]string, len(v.lengths))
	for text, p := range v.pieces {
		texts[p.id] = text
	}
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 300
		text = clean(text, limit)
		if len(text) > limit {
			t.Fatalf("%d bytes", len(text))
		}
		ids := v.encode(text)
		// At most one per character, plus the initial ▁.
		if n := utf8.RuneCountInString(text); len(ids) > n+1 || (len(ids) == 0) != (n == 0) {
			t.Fatalf("%q has %d tokens", text, len(ids))
		}
		// The known tokens occur in the text in order.
		rest := wordStart + strings.ReplaceAll(text, " ", wordStart)
		for i, id := range ids {
			if int(id) >= len(v.lengths) || id != unknown && id < reserved || i > 0 && id == unknown && ids[i-1] == unknown {
				t.Fatalf("%q has the tokens %v", text, ids)
			}
			if id == unknown {
				continue
			}
			_, after, ok := strings.Cut(rest, texts[id])
			if !ok {
				t.Fatalf("%q does not have the token %d", text, id)
			}
			rest = after
		}
		for _, w := range v.windows(ids) {
			if len(w) < 1 || len(w) > window {
				t.Fatalf("a window of %d tokens", len(w))
			}
		}
		if !norm.NFKC.IsNormalString(text) {
			t.Fatalf("%q is not in NFKC", text)
		}
	})
}
