package search_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
)

// lines returns the lines of a file.
func lines(t testing.TB, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// meantWell measures the results that queries find by meaning alone, among their first
// ten.
type meantWell struct {
	queries, found int     // queries with relevant texts, and those that find some of them
	precision      float64 // share of relevant results
	noisy          int     // number of 50 codes and nonsense words that find something
}

func (m meantWell) String() string {
	return fmt.Sprintf("%d of %d find something, precision %.2f; %d of 50 codes and nonsense words find something",
		m.found, m.queries, m.precision, m.noisy)
}

// judgeMeaning searches a library of texts for synonyms: each line of a file has a word,
// and an expression that matches the relevant texts.
func judgeMeaning(t testing.TB, texts []string, synonyms, prefix, suffix string) (m meantWell) {
	t.Helper()
	l := newLibrary()
	var all []*dam.Asset
	for i, text := range texts {
		all = append(all, asset(int64(i+1), text))
	}
	l.put(all...)
	model := textvec.NewLite(2)
	e := openWith(t, l, model)
	defer e.Close()
	indexAll(t, e)
	understand(t, e, model, all...)
	first := func(text string) []search.Hit {
		r := find(t, e, dam.Query{Text: text, Desc: true, Page: dam.Page{Limit: 500}})
		hits := slices.DeleteFunc(r.Hits, func(h search.Hit) bool { return !meantOnly(h) })
		return hits[:min(10, len(hits))]
	}
	hits, right := 0, 0
	for _, line := range lines(t, synonyms) {
		query, words, _ := strings.Cut(line, "\t")
		is := regexp.MustCompile(prefix + words + suffix)
		if !slices.ContainsFunc(texts, is.MatchString) {
			continue
		}
		m.queries++
		some := 0
		for _, h := range first(query) {
			hits++
			if is.MatchString(texts[h.AssetID-1]) {
				some++
			}
		}
		if right += some; some > 0 {
			m.found++
		}
	}
	for _, text := range lines(t, "testdata/nonsense.txt") {
		if len(first(text)) > 0 {
			m.noisy++
		}
	}
	m.precision = float64(right) / float64(max(1, hits))
	t.Log(m)
	return m
}

// In a library of short titles, synonyms find them, and codes and nonsense find next to
// nothing.
func TestMeaningOfTitles(t *testing.T) {
	t.Parallel()
	m := judgeMeaning(t, lines(t, "testdata/titles.txt"), "testdata/title-synonyms.tsv", "(", ")")
	if m.queries != 40 || m.found < 30 || m.precision < 0.55 || m.noisy > 3 {
		t.Error(m)
	}
}

// The same for 1,000 captions, if available: the repository cannot include them.
func TestMeaningOfCaptions(t *testing.T) {
	t.Parallel()
	const path = "../../shared/corpora/search/captions/docs.tsv"
	if _, err := os.Stat(path); err != nil || testing.Short() {
		t.Skip("the captions are not here, or it is to be short")
	}
	var texts []string
	for i, line := range lines(t, path) {
		if _, text, _ := strings.Cut(line, "\t"); i%4 == 0 {
			texts = append(texts, text)
		}
	}
	m := judgeMeaning(t, texts, "testdata/caption-synonyms.tsv", `(?i)\b(`, `)\b`)
	if m.queries < 55 || m.found < 40 || m.precision < 0.75 || m.noisy > 3 {
		t.Error(m)
	}
}
