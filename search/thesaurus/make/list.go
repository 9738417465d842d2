package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Parameters of related words. All are set by hand, and judged with synonyms in captions
// and titles.
const (
	mostWords  = 16 // per word
	minLetters = 3  // of a word

	// Occurrences of a related word in WordNet's glosses: rarer words find little, and
	// more frequent ones say little.
	minGlosses = 8
	maxGlosses = 1200

	maxSenses  = 2    // of a word per part of speech
	minShare   = 0.15 // of a sense, for a word that is looked up
	mainShare  = 0.5  // of the usual sense
	levels     = 4    // below a noun: aircraft, airplane, jet, fighter
	maxBroad   = 400  // maximum senses below a term that represents them: dog does, and animal does not
	explaining = 2    // words of a definition
)

// list returns all words with their related words.
func (w *wordnet) list() string {
	var out strings.Builder
	for _, word := range slices.Sorted(maps.Keys(w.senses)) {
		if !plain(word) {
			continue
		}
		if others := w.others(word); len(others) > 0 {
			out.WriteString(word + " " + strings.Join(others, " ") + "\n")
		}
	}
	return out.String()
}

// plain reports whether a text is a single lower-case word that is long enough to be
// searched.
func plain(word string) bool {
	return len(word) >= minLetters && !strings.ContainsFunc(word, notLetter)
}

// points contains the points of the related words of a word, which is not one of them
// itself.
type points struct {
	word string
	of   map[string]float64
}

func (p points) add(word string, n float64) {
	if word != p.word && plain(word) {
		p.of[word] = max(p.of[word], n)
	}
}

// others returns the related words of a word, best first: words with the same meaning,
// more specific terms, the more general term, and words of its definition.
func (w *wordnet) others(word string) []string {
	p := points{word, map[string]float64{}}
	for _, s := range w.senses[word] {
		if share := w.share(word, s.of); s.number <= maxSenses && share >= minShare {
			w.meaning(p, s.of, share)
		}
	}
	list := slices.SortedFunc(maps.Keys(p.of), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.of[b], p.of[a]), cmp.Compare(a, b))
	})
	return list[:min(len(list), mostWords)]
}

// meaning adds points for one sense of a word.
func (w *wordnet) meaning(p points, of *synset, share float64) {
	w.named(p, of, 4*share, 0.1)
	switch of.pos {
	case 'n':
		w.below(p, of, levels, share)
		for _, above := range of.above {
			if size(above, maxBroad) < maxBroad {
				w.named(p, above, 2*share, mainShare)
			}
		}
		if share >= mainShare && w.used(p.word) {
			w.explain(p, of, share)
		}
	case 'v':
		for _, above := range of.above {
			w.named(p, above, share, 0.3)
		}
	case 'a':
		for _, like := range of.similar {
			w.named(p, like, share, 0.3)
		}
	}
}

// named adds points to the words of a sense that have it often enough.
func (w *wordnet) named(p points, of *synset, weight, least float64) {
	for _, word := range of.words {
		share := w.share(word, of)
		if n := w.glosses[word]; share >= least && n >= minGlosses {
			p.add(word, weight*(0.2+share)*float64(1+min(20, w.counted(word, of)+n/10)))
		}
	}
}

// below adds points to the words of more specific terms, fewer on each level.
func (w *wordnet) below(p points, of *synset, levels int, weight float64) {
	for _, s := range of.below {
		if w.named(p, s, weight, mainShare); levels > 1 {
			w.below(p, s, levels-1, 0.8*weight)
		}
	}
}

// explain adds points to the rarest nouns in the definition of a sense.
func (w *wordnet) explain(p points, of *synset, weight float64) {
	var nouns []string
	for _, word := range of.definition {
		if n := w.glosses[word]; word != p.word && plain(word) && n >= minGlosses && n <= maxGlosses && w.isNoun(word) {
			nouns = append(nouns, word)
		}
	}
	slices.SortStableFunc(nouns, func(a, b string) int { return cmp.Compare(w.glosses[a], w.glosses[b]) })
	for _, word := range nouns[:min(len(nouns), explaining)] {
		p.add(word, 0.3*weight*math.Log(float64(len(w.synsets))/float64(w.glosses[word])))
	}
}

// used reports whether a word occurs in glosses or in annotated texts.
func (w *wordnet) used(word string) bool {
	return w.glosses[word] > 0 || slices.ContainsFunc(w.senses[word], func(s sense) bool { return s.count > 0 })
}

// isNoun reports whether a word, or its singular, is mostly a noun.
func (w *wordnet) isNoun(word string) bool {
	for _, form := range []string{word, strings.TrimSuffix(word, "s")} {
		if slices.ContainsFunc(w.senses[form], func(s sense) bool { return s.of.pos == 'n' && w.share(form, s.of) >= mainShare }) {
			return true
		}
	}
	return false
}

// size counts more specific senses, up to most.
func size(of *synset, most int) (n int) {
	for _, s := range of.below {
		if n++; n < most {
			n += size(s, most-n)
		}
		if n >= most {
			break
		}
	}
	return min(n, most)
}
