package search

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"golang.org/x/text/unicode/norm"
)

var (
	// grouped matches numbers with thousands separators, optionally with zero cents.
	grouped = regexp.MustCompile(`^\d{1,3}(?:[,.'’]\d{3})+(?:[,.]00?)?$`)
	// initials matches letters with points between them: U.S.A.
	initials = regexp.MustCompile(`^\p{L}(?:\.\p{L})+$`)
	// elided matches articles and other short words that lose their vowel before another
	// word in French, Italian and Catalan.
	elided = regexp.MustCompile(`^(?:[cdjlmnst]|qu|gl|un|all|bell|coll|dall|dell|nell|quell|quest|sant|sull|` +
		`jusqu|lorsqu|puisqu|quoiqu)['’]\pL\pL`)
)

// foldWord returns the form in which a word is indexed: without case, accents, elided
// articles, and punctuation inside numbers and initials. other is an alternative spelling
// without umlauts, or "". stem is the input for stemming: the word in lower case, with
// its accents.
func foldWord(raw string) (text, other, stem string) {
	stem = strings.ReplaceAll(strings.ToLower(raw), "i\u0307", "i") // of İ
	if i := strings.IndexAny(stem, "'’"); i > 0 && elided.MatchString(stem) {
		_, size := utf8.DecodeRuneInString(stem[i:])
		stem = stem[i+size:]
	}
	if strings.ContainsAny(stem, ",.'’") {
		switch {
		case grouped.MatchString(stem):
			stem = ungrouped(stem)
		case initials.MatchString(stem):
			stem = strings.ReplaceAll(stem, ".", "")
		}
	}
	if ascii(stem) {
		return stem, "", stem
	}
	if text = withoutAccents(stem); text == "" { // nothing but strokes between letters
		return stem, "", stem
	}
	if spelled := umlauts.Replace(stem); spelled != stem {
		if other = withoutAccents(spelled); other == text {
			other = ""
		}
	}
	return text, other, stem
}

// ungrouped returns the digits of a number without its cents.
func ungrouped(number string) string {
	if i := strings.LastIndexAny(number, ",."); len(number)-i <= 3 {
		number = number[:i]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsNumber(r) {
			return -1
		}
		return r
	}, number)
}

// umlauts contains the letters that are spelled with two where keyboards lack them.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa")

// withoutAccents folds a word in lower case: Latin letters to ASCII, ё to е, and Greek,
// Hebrew and Arabic letters to those without marks. It removes the Arabic article.
func withoutAccents(s string) string {
	s = string(asciifolding.New().Filter([]byte(s)))
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = strings.ToLower(s)
	switch r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, asciiChars)); {
	case unicode.Is(unicode.Cyrillic, r):
		return strings.ReplaceAll(s, "ё", "е")
	case unicode.Is(unicode.Greek, r):
		return strings.ReplaceAll(bare(s), "ς", "σ")
	case unicode.Is(unicode.Hebrew, r):
		return bare(s)
	case unicode.Is(unicode.Arabic, r):
		list := ar.NewArabicNormalizeFilter().Filter(analysis.TokenStream{{Term: []byte(bare(s))}})
		return withoutArticle(string(list[0].Term))
	}
	return s
}

// asciiChars contains the letters and digits of ASCII.
const asciiChars = "abcdefghijklmnopqrstuvwxyz0123456789'"

// bare returns a word without marks on its letters.
func bare(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// withoutArticle removes the Arabic article from a word, including the short words that
// are attached to it.
func withoutArticle(s string) string {
	for _, article := range []string{"ال", "وال", "بال", "كال", "فال", "لل"} {
		if rest, ok := strings.CutPrefix(s, article); ok && utf8.RuneCountInString(rest) >= 2 {
			return rest
		}
	}
	return s
}
