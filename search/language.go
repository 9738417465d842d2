package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"
	"github.com/blevesearch/bleve/v2/analysis/token/apostrophe"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/digital-asset-library/dal/search/thesaurus"
)

// English is the default language for word forms.
const English = "en"

// filtersOf returns the names of Bleve's filters for stemming lower-case words of a
// language: they remove stop words, then endings.
func filtersOf(language string) []string {
	switch language {
	case English:
		return []string{en.PossessiveName, en.StopName, porter.Name}
	case "da":
		return []string{da.StopName, da.SnowballStemmerName}
	case "de":
		return []string{de.StopName, de.NormalizeName, de.LightStemmerName}
	case "es":
		return []string{es.StopName, es.NormalizeName, es.LightStemmerName}
	case "fr":
		return []string{fr.StopName, fr.LightStemmerName}
	case "it":
		return []string{it.StopName, it.SnowballStemmerName}
	case "nl":
		return []string{nl.StopName, nl.SnowballStemmerName}
	case "pt":
		return []string{pt.StopName, pt.LightStemmerName}
	case "ru":
		return []string{ru.StopName, ru.SnowballStemmerName}
	case "sv":
		return []string{sv.StopName, sv.SnowballStemmerName}
	case "tr":
		return []string{apostrophe.Name, tr.StopName, tr.SnowballStemmerName}
	}
	return nil
}

// Languages returns the languages with stemming, by ISO 639-1, English first.
func Languages() []string {
	return []string{English, "da", "de", "es", "fr", "it", "nl", "pt", "ru", "sv", "tr"}
}

// CheckLanguage returns an error unless a language is one of Languages.
func CheckLanguage(language string) error {
	if slices.Contains(Languages(), language) {
		return nil
	}
	return fmt.Errorf("the language must be one of %s, not %q", strings.Join(Languages(), ", "), language)
}

// analyzer splits texts into words with stems. It is safe for concurrent use.
type analyzer struct {
	language  string
	filters   []analysis.TokenFilter
	thesaurus *thesaurus.Thesaurus // English only, else nil
}

func newAnalyzer(language string) (*analyzer, error) {
	if err := CheckLanguage(language); err != nil {
		return nil, err
	}
	a := &analyzer{language: language}
	if language == English {
		a.thesaurus = thesaurus.New()
	}
	cache := registry.NewCache()
	var errs []error
	for _, name := range filtersOf(language) {
		f, err := cache.TokenFilterNamed(name)
		errs = append(errs, err)
		a.filters = append(a.filters, f)
	}
	return a, errors.Join(errs...)
}

// words returns the words of a text with their stems.
func (a *analyzer) words(text string) []word {
	list := split(text)
	a.stem(list)
	return list
}

// stem adds the stems of words: those of the word as written, and those of the word
// without accents, as in queries that omit them.
func (a *analyzer) stem(list []word) {
	const written, other = 0, 1
	forms := make(analysis.TokenStream, 0, len(list))
	form := func(i, kind int, text string) {
		forms = append(forms, &analysis.Token{Term: []byte(text), Position: i, Start: kind})
	}
	for i, w := range list {
		if w.raw == "" || endsWithSign(w.raw) {
			list[i].stems = []string{w.text}
			continue
		}
		if a.language == English {
			form(i, written, singular(w.text))
		} else if form(i, written, w.raw); w.text != w.raw {
			form(i, other, w.text)
		}
		if w.other != "" {
			form(i, other, w.other)
		}
	}
	for _, f := range a.filters {
		forms = f.Filter(forms)
	}
	for _, f := range forms { // the written form comes first; if it was removed, the word is a stop word
		w := &list[f.Position]
		stem := string(f.Term)
		if !ascii(stem) {
			stem = withoutAccents(stem)
		}
		if stem != "" && (f.Start == written || len(w.stems) > 0) && !slices.Contains(w.stems, stem) {
			w.stems = append(w.stems, stem)
		}
	}
}

// endsWithSign reports whether a word has no other forms, because it ends with a sign or
// is a number.
func endsWithSign(w string) bool {
	last := w[len(w)-1]
	return last == '+' || last == '#' || last >= '0' && last <= '9'
}
