package cli

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed bench_words.txt
var benchWordList string

// vocabularySize is the number of words in the texts of a seeded library.
const vocabularySize = 50_000

// The ranks in the vocabulary from which the words of queries are drawn. Of 100,000 assets,
// 5,000 to 30,000 contain a common word, about 1,000 a medium one, and about 10 a rare one.
var (
	commonWords = band{0, 100}
	mediumWords = band{500, 3_000}
	rareWords   = band{10_000, vocabularySize}
)

// band is a range of ranks, excluding to.
type band struct{ from, to int }

// vocabulary contains the words of the texts, most frequent first. It is the same for every
// seed, so that a client knows the words of a library that another process created.
type vocabulary struct {
	words                  []string
	nouns, adjectives, ing []string // for captions; ing are verbs as in "a dog running"
}

// newVocabulary generates the vocabulary: English words first, then their other forms, then
// typical content of libraries: compounds, names and codes.
func newVocabulary() *vocabulary {
	v := &vocabulary{}
	var verbs []string
	into := &v.nouns
	for line := range strings.Lines(benchWordList) {
		switch line = strings.TrimSpace(line); line {
		case "# nouns":
		case "# adjectives":
			into = &v.adjectives
		case "# verbs":
			into = &verbs
		default:
			*into = append(*into, strings.Fields(line)...)
		}
	}
	for _, w := range verbs {
		v.ing = append(v.ing, participle(w))
	}
	seen := make(map[string]bool, vocabularySize)
	add := func(words []string) {
		for _, w := range words {
			if !seen[w] && len(v.words) < vocabularySize {
				seen[w] = true
				v.words = append(v.words, w)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	shuffled := func(lists ...[]string) []string {
		all := slices.Concat(lists...)
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all
	}
	add(shuffled(v.nouns, v.adjectives, verbs))
	add(shuffled(mappedWords(v.nouns, pluralOf), v.ing, mappedWords(verbs, pluralOf)))
	for len(v.words) < vocabularySize {
		switch n := len(v.words); {
		case n%5 < 2:
			add([]string{pick(rnd, v.nouns) + pick(rnd, v.nouns)})
		case n%5 < 4:
			add([]string{name(rnd)})
		default:
			add([]string{fmt.Sprintf("%c%c%d", 'a'+rnd.IntN(26), 'a'+rnd.IntN(26), 100+rnd.IntN(9900))})
		}
	}
	return v
}

func mappedWords(words []string, fn func(string) string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fn(w)
	}
	return out
}

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

// wordOf returns a word of a band; all are equally likely.
func (v *vocabulary) wordOf(rnd *rand.Rand, b band) string {
	return v.words[b.from+rnd.IntN(b.to-b.from)]
}

// pluralOf returns the regular plural of a noun, or the third person of a verb.
func pluralOf(w string) string {
	switch last := w[len(w)-1]; {
	case strings.ContainsRune("sxz", rune(last)), strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "sh"):
		return w + "es"
	case last == 'y' && len(w) > 2 && !vowel(w[len(w)-2]):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

// participle returns the -ing form of a verb.
func participle(w string) string {
	n := len(w)
	switch {
	case strings.HasSuffix(w, "ie"):
		return w[:n-2] + "ying"
	case strings.HasSuffix(w, "e") && !strings.HasSuffix(w, "ee"):
		return w[:n-1] + "ing"
	case n >= 3 && n <= 4 && !vowel(w[n-1]) && !strings.ContainsRune("wxy", rune(w[n-1])) && vowel(w[n-2]) && !vowel(w[n-3]):
		if w != "open" {
			return w + w[n-1:] + "ing"
		}
	}
	return w + "ing"
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// name generates the name of a person or a place.
func name(rnd *rand.Rand) string {
	const (
		begin = "al an bar bel bran cal cor dal dar del el fen gar hal har jor kal kar lan lor mal mar mor nor or pel ran ros " +
			"sal sel tal tor val ver wil"
		middle = "a e i o be da de ka la le li lo ma mi na ne ri ro sa ta ti va"
		end    = "berg bury by dale den don er ett ford ham holm ing ley man mouth ner ova sen ski son stad stein ton ville wick worth"
	)
	s := pick(rnd, strings.Fields(begin)) + pick(rnd, strings.Fields(middle))
	if rnd.IntN(2) == 0 {
		s += pick(rnd, strings.Fields(middle))
	}
	return s + pick(rnd, strings.Fields(end))
}

// textMaker draws words with the frequencies of natural language: a few make up most of a
// text.
type textMaker struct {
	*vocabulary
	rnd                                  *rand.Rand
	word, noun, adjective, ing, function *rand.Zipf
	functions                            []string
}

func newTextMaker(v *vocabulary, rnd *rand.Rand) *textMaker {
	zipf := func(s, flat float64, n int) *rand.Zipf { return rand.NewZipf(rnd, s, flat, uint64(n-1)) }
	t := &textMaker{vocabulary: v, rnd: rnd}
	t.functions = strings.Fields("the of and a to in is for with on as by at from or an be this that are was not it has")
	t.word = zipf(1.1, 20, len(v.words))
	t.noun, t.adjective, t.ing = zipf(1.2, 10, len(v.nouns)), zipf(1.2, 5, len(v.adjectives)), zipf(1.2, 5, len(v.ing))
	t.function = zipf(1.3, 2, len(t.functions))
	return t
}

// list returns n words.
func (t *textMaker) list(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = t.words[t.word.Uint64()]
	}
	return words
}

// prose returns n words, a third of them function words, with occasional full stops.
func (t *textMaker) prose(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			if i%14 == 0 {
				b.WriteByte('.')
			}
			b.WriteByte(' ')
		}
		if t.rnd.IntN(3) == 0 {
			b.WriteString(t.functions[t.function.Uint64()])
		} else {
			b.WriteString(t.words[t.word.Uint64()])
		}
	}
	return b.String()
}

// caption returns a sentence about a picture.
func (t *textMaker) caption() string {
	noun := func() string { return t.nouns[t.noun.Uint64()] }
	place := pick(t.rnd, []string{"in", "on", "near", "beside", "behind", "in front of", "under", "above"})
	adjective := func() string { return t.adjectives[t.adjective.Uint64()] }
	subject := adjective() + " " + noun() + " " + t.ingWord() + " " + place + " the " + adjective() + " " + noun()
	switch t.rnd.IntN(3) {
	case 0:
		return article(subject) + " with " + article(noun())
	case 1:
		return article(subject)
	}
	return "Two " + pluralOf(noun()) + " and " + article(subject)
}

func (t *textMaker) ingWord() string { return t.vocabulary.ing[t.ing.Uint64()] }

func article(s string) string {
	if vowel(s[0]) {
		return "an " + s
	}
	return "a " + s
}
