// Package thesaurus knows which English words stand for others: automobile for car,
// dog for canine, of which it is a kind. A word often means several things, and so do
// those that stand for it: whoever looks for them needs another sign that a text is
// about the same.
package thesaurus

import (
	"compress/gzip"
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"
)

// packed is the list of words, made by ./make of WordNet: a line for each word with
// those that stand for it, the best first, in lower case and with spaces between.
// The lines are in order of their first words.
//
//go:embed words.txt.gz
var packed string

// Thesaurus is the list of words. It is unpacked at the first use, into 1.5 MB. It is
// safe for concurrent use.
type Thesaurus struct{ load func() ([]string, error) }

// New returns the list that is built in.
func New() *Thesaurus { return &Thesaurus{sync.OnceValues(unpack)} }

func unpack() ([]string, error) {
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), nil
}

// most is how many words stand for one.
const most = 16

// Of lists up to 16 words that stand for a word in lower case, or for that which it
// is a regular form of, the best first; none for a word it does not know. What is a
// noun too, such as leaping, may be both.
func (t *Thesaurus) Of(word string) ([]string, error) {
	lines, err := t.load()
	if err != nil {
		return nil, err
	}
	var others []string
	verb := strings.HasSuffix(word, "ing") || strings.HasSuffix(word, "ed")
	for _, form := range forms(word) {
		at, found := slices.BinarySearchFunc(lines, form, func(line, form string) int {
			first, _, _ := strings.Cut(line, " ")
			return strings.Compare(first, form)
		})
		if found {
			others = append(others, strings.Fields(lines[at])[1:]...)
		}
		if found && !verb {
			break
		}
	}
	return others[:min(len(others), most)], nil
}

// forms are a word, and what it is a form of if its ending is one.
func forms(word string) []string {
	list := []string{word}
	for _, e := range []struct{ ending, instead string }{
		{"ies", "y"}, {"ied", "y"}, {"s", ""}, {"es", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"},
	} {
		bare, ok := strings.CutSuffix(word, e.ending)
		if !ok || len(bare) < 2 {
			continue
		}
		list = append(list, bare+e.instead)
		if n := len(bare); e.instead == "" && len(e.ending) > 1 && n > 3 && bare[n-1] == bare[n-2] { // running
			list = append(list, bare[:n-1])
		}
	}
	return list
}
