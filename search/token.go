package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	unicodetok "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
)

// word is an indexed word of a text.
type word struct {
	start, end int // byte offsets
	pos        int // position among the words of the text, from 1
	kind       wordKind
	run        int // the run of letters that contains it, from 1; 0 for none
	text       string
	other      string   // another spelling, "" for none: mueller for muller
	raw        string   // as written, for stemming; "" for words without stems
	stems      []string // none for a stop word
}

type wordKind int

const (
	plain  wordKind = iota
	whole           // several words starting here, joined to one: ab1234 for AB-1234
	letter          // one character of a script without spaces
	pair            // two of them
)

// Limits of joined words.
const (
	maxJoined     = 4  // words
	maxJoinedText = 32 // bytes
	maxPlusWord   = 12 // bytes of a name before ++
)

// splitter splits a text into words.
type splitter struct {
	text  string
	words []word
	pos   int
	run   int
	units []span // of the current run
	group int    // index in words of the first word in the current group of joined words
}

// split returns the words of a text, in order: those according to Unicode's rules for
// word boundaries (UAX 29) and, for scripts without spaces, each letter and each pair of
// adjacent letters, with Katakana as Hiragana. Emoji are words. The text must be
// normalized by compose. The result has at most three words per character.
func split(text string) []word {
	s := &splitter{text: text}
	at := 0
	for _, t := range unicodetok.NewUnicodeTokenizer().Tokenize(loose(text)) {
		if t.End <= at {
			continue
		}
		start := max(t.Start, at)
		s.gap(at, start)
		at = t.End
		if t.Type == analysis.Ideographic || isKatakana(text[start:t.End]) {
			for start < t.End {
				_, size := utf8.DecodeRuneInString(text[start:t.End])
				s.unit(start, start+size)
				start += size
			}
			continue
		}
		at = s.plain(start, t.End)
	}
	s.gap(at, len(text))
	s.endRun()
	s.endGroup()
	return s.words
}

// loose replaces characters that join parts of names, but do not separate words, with
// spaces.
func loose(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if c == '_' || c == ':' {
			b[i] = ' '
		}
	}
	return b
}

// gap handles text that is not a word according to the rules.
func (s *splitter) gap(at, end int) {
	for at < end {
		r, size := utf8.DecodeRuneInString(s.text[at:end])
		switch {
		case isSpaceless(r):
			to := at + size
			for to < end {
				r, size := utf8.DecodeRuneInString(s.text[to:end])
				if !unicode.IsMark(r) && r != zwj && r != zwnj {
					break
				}
				to += size
			}
			s.unit(at, to)
			at = to
		case isEmoji(r):
			to := emojiEnd(s.text[:end], at)
			s.add(word{start: at, end: to, text: emojiTerm(s.text[at:to])})
			at = to
		default:
			at += size
		}
	}
}

// unit adds a character of a script without spaces to the current run.
func (s *splitter) unit(start, end int) {
	if n := len(s.units); n > 0 && s.units[n-1].end != start {
		s.endRun()
	}
	s.units = append(s.units, span{start, end})
}

// endRun adds the words of the current run.
func (s *splitter) endRun() {
	if len(s.units) == 0 {
		return
	}
	s.run++
	units := s.units
	s.units = nil
	s.endGroup()
	for i, u := range units {
		s.pos++
		s.words = append(s.words, word{start: u.start, end: u.end, pos: s.pos, kind: letter, run: s.run, text: hiragana(s.text[u.start:u.end])})
		if i+1 < len(units) {
			to := units[i+1].end
			s.words = append(s.words, word{start: u.start, end: to, pos: s.pos, kind: pair, run: s.run, text: hiragana(s.text[u.start:to])})
		}
	}
	s.group = len(s.words)
}

// add adds a word, which is joined to the previous one if only a joiner is between them.
func (s *splitter) add(w word) {
	s.endRun()
	if n := len(s.words); n > s.group && !isJoint(s.text[s.words[n-1].end:w.start]) {
		s.endGroup()
	}
	s.pos++
	w.pos = s.pos
	s.words = append(s.words, w)
}

// plain adds a word of letters and digits, and returns its end.
func (s *splitter) plain(start, end int) int {
	end = withSigns(s.text, start, end)
	raw := s.text[start:end]
	tag := start > 0 && s.text[start-1] == '#'
	var parts []span
	if tag {
		parts = camelParts(raw)
	}
	if len(parts) > 1 && len(parts) <= maxJoined {
		s.endRun()
		s.endGroup()
		for _, p := range parts {
			s.pos++
			s.words = append(s.words, s.folded(start+p.start, start+p.end, raw[p.start:p.end]))
		}
		s.join(start, end, raw)
		return end
	}
	w := s.folded(start, end, raw)
	s.add(w)
	return end
}

// folded returns a plain word at the current position.
func (s *splitter) folded(start, end int, raw string) word {
	text, other, stemmed := foldWord(raw)
	return word{start: start, end: end, pos: s.pos, text: text, other: other, raw: stemmed}
}

// endGroup ends a group of joined words. For two to four words, it adds them as one word
// without the joiners, if these are hyphens or the text has both letters and digits.
func (s *splitter) endGroup() {
	group := s.words[s.group:]
	n := len(group)
	if n >= 2 && n <= maxJoined {
		start, end := group[0].start, group[n-1].end
		text := s.text[start:end]
		mixed := strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsFunc(text, unicode.IsNumber)
		if mixed || !strings.ContainsAny(text, "./_") {
			s.join(start, end, strings.Map(func(r rune) rune {
				if isJoint(string(r)) {
					return -1
				}
				return r
			}, text))
		}
	}
	s.group = len(s.words)
}

// join adds the last words, from start to end, as one.
func (s *splitter) join(start, end int, raw string) {
	if len(raw) <= maxJoinedText && raw != "" {
		w := s.folded(start, end, raw)
		w.kind = whole
		for i := len(s.words) - 1; i >= 0 && s.words[i].start >= start; i-- {
			w.pos = s.words[i].pos
		}
		s.words = append(s.words, w)
	}
	s.group = len(s.words)
}

// isJoint reports whether a text is one of the characters that join words to a name.
func isJoint(s string) bool {
	switch s {
	case "-", "\u2010", "\u2011", ".", "/", "_":
		return true
	}
	return false
}

// withSigns returns the end of a word that may be a name such as C++ or C#.
func withSigns(text string, start, end int) int {
	after := end
	switch {
	case strings.HasPrefix(text[end:], "++") && end-start <= maxPlusWord:
		after += 2
	case strings.HasPrefix(text[end:], "#") && end-start == 1 && text[start] < utf8.RuneSelf:
		after++
	default:
		return end
	}
	if r, _ := utf8.DecodeRuneInString(text[start:]); !unicode.IsLetter(r) {
		return end
	}
	if r, _ := utf8.DecodeRuneInString(text[after:]); unicode.IsLetter(r) || unicode.IsNumber(r) || r == '+' || r == '#' {
		return end
	}
	return after
}

const zwnj, zwj = '\u200c', '\u200d'

// isSpaceless reports whether a letter is of a script that is written without spaces, in
// which Unicode's rules do not find words. They do for Chinese and Japanese.
func isSpaceless(r rune) bool {
	return r >= 0x0E00 && unicode.IsLetter(r) && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isKatakana reports whether a word is in Katakana, which Unicode's rules do not split,
// unlike Hiragana.
func isKatakana(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.Is(unicode.Katakana, r)
}

// hiragana replaces Katakana letters with Hiragana where possible: トウキョウ becomes とうきょう.
func hiragana(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'ァ' && r <= 'ヶ' {
			return r - 'ァ' + 'ぁ'
		}
		return r
	}, text)
}

func isEmoji(r rune) bool {
	switch {
	case r < 0x231A:
		return false
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF, r >= 0x23E9 && r <= 0x23FA:
		return true
	}
	switch r {
	case 0x231A, 0x231B, 0x2328, 0x23CF, 0x25FD, 0x25FE, 0x2934, 0x2935, 0x2B05, 0x2B06, 0x2B07, 0x2B1B, 0x2B1C, 0x2B50, 0x2B55:
		return true
	}
	return false
}

func isFlagLetter(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// addsToEmoji reports whether a character modifies the preceding emoji.
func addsToEmoji(r rune) bool {
	return r == 0xFE0E || r == 0xFE0F || r == 0x20E3 || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F
}

// emojiEnd returns the end of the emoji at an offset: a flag, or a sequence of joined
// emoji (UTS 51).
func emojiEnd(text string, at int) int {
	first, size := utf8.DecodeRuneInString(text[at:])
	at += size
	if isFlagLetter(first) {
		if r, size := utf8.DecodeRuneInString(text[at:]); isFlagLetter(r) {
			at += size
		}
		return at
	}
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case addsToEmoji(r):
			at += size
		case r == zwj:
			r, more := utf8.DecodeRuneInString(text[at+size:])
			if !isEmoji(r) {
				return at
			}
			at += size + more
		default:
			return at
		}
	}
	return at
}

// emojiTerm returns an emoji without its skin colour and variant.
func emojiTerm(s string) string {
	term := strings.Map(func(r rune) rune {
		if addsToEmoji(r) && r < 0xE0000 {
			return -1
		}
		return r
	}, s)
	if term == "" { // a modifier by itself
		return s
	}
	return term
}
