package thesaurus

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	words := New()
	for word, want := range map[string]string{
		"automobile": "car", "automobiles": "car", "canine": "dog", "canines": "dog", "seaside": "shore", "aircraft": "helicopter",
		"infant": "baby", "nuptials": "wedding", "vessel": "boat", "vessels": "boat", "timberland": "woodland", "lorry": "truck",
		"lorries": "truck", "leaped": "jump", "grinned": "smile", "grinning": "smile", "leaping": "jump",
	} {
		list, err := words.Of(word)
		if err != nil || !slices.Contains(list, want) {
			t.Errorf("%s: %q, %v; want %s among them", word, list, err, want)
		}
	}
	for _, word := range []string{
		"", "s", "es", "ing", "xyzzy", "qqqqs", "Car", "zzzz", "zwölf", "東京", "car auto", "a b", strings.Repeat("s", 1e6),
	} {
		if list, err := words.Of(word); err != nil || list != nil {
			t.Errorf("%.20s: %q, %v", word, list, err)
		}
	}
}

// The list matches the README, is sorted, and is within the documented limits.
func TestList(t *testing.T) {
	t.Parallel()
	lines, err := unpack()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, "\n")+"\n"))); !strings.Contains(string(readme), sum) {
		t.Errorf("the list has the sha256 %s, which the README does not name", sum)
	}
	before := ""
	for _, line := range lines {
		words := strings.Split(line, " ")
		if words[0] <= before || len(words) < 2 || len(words) > 17 || slices.Contains(words[1:], words[0]) || slices.Contains(words, "") {
			t.Fatalf("%q after %q", line, before)
		}
		before = words[0]
	}
}
