package textvec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	unknown  = 0 // the token of characters that no piece begins with
	reserved = 6 // the first tokens stand for no text

	wordStart = "\u2581" // stands for a space, and before the first word
)

// kind tells what matters about a token besides its vector.
type kind uint8

const (
	startsWord kind = 1 << iota
	endsSentence
	meaningful // not only a space
)

// vocabulary is the pieces of text a model knows, after SentencePiece's unigram
// model (https://arxiv.org/abs/1804.10959).
type vocabulary struct {
	pieces  map[string]piece
	longest int     // bytes of the longest piece
	lengths []uint8 // by token, in bytes
	kinds   []kind  // by token
}

type piece struct {
	id    uint16
	score float64 // logarithm of its probability; 0 for user-defined symbols
}

func (v *vocabulary) add(id int, text string, score float64) {
	v.lengths[id] = uint8(len(text))
	if id < reserved {
		return
	}
	v.pieces[text] = piece{uint16(id), score} // of equal texts the last counts
	v.longest = max(v.longest, len(text))
	if strings.HasPrefix(text, wordStart) {
		v.kinds[id] |= startsWord
	}
	if strings.ContainsRune(".!?", rune(text[len(text)-1])) {
		v.kinds[id] |= endsSentence
	}
	if strings.Trim(text, wordStart) != "" {
		v.kinds[id] |= meaningful
	}
}

// encode cuts a text, which is to be in NFKC, into the most probable tokens: at
// most one for each character and one before them.
//
// The model was made to be used with one particular tokenizer, so this one does
// as that does, also where it is odd: a score of 0 counts as not yet reached, and
// an unknown character costs nothing. Source:
// https://github.com/tensorflow/tfjs-models/blob/master/universal-sentence-encoder/src/tokenizer/index.ts
func (v *vocabulary) encode(text string) []uint16 {
	if text == "" {
		return nil
	}
	text = wordStart + strings.ReplaceAll(text, " ", wordStart)
	best := make([]float64, len(text)+1) // the highest score up to each byte
	last := make([]uint16, len(text)+1)  // the token with which it ends
	for from := 0; from < len(text); {
		_, size := utf8.DecodeRuneInString(text[from:])
		known := false
		for to := from + size; to <= min(from+v.longest, len(text)); {
			if p, ok := v.pieces[text[from:to]]; ok {
				known = true
				if score := best[from] + p.score; best[to] == 0 || score >= best[to] {
					best[to], last[to] = score, p.id
				}
			}
			if to == len(text) {
				break
			}
			_, next := utf8.DecodeRuneInString(text[to:])
			to += next
		}
		if to := from + size; !known && (best[to] == 0 || best[from] >= best[to]) {
			best[to], last[to] = best[from], unknown
		}
		from += size
	}

	var ids []uint16
	for to := len(text); to > 0; {
		id := last[to]
		if id != unknown {
			to -= int(v.lengths[id])
		} else {
			_, size := utf8.DecodeLastRuneInString(text[:to])
			to -= size
			if len(ids) > 0 && ids[len(ids)-1] == unknown {
				continue // neighbours make one
			}
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

// means reports whether any of the tokens stands for a text the model knows.
func (v *vocabulary) means(ids []uint16) bool {
	return slices.ContainsFunc(ids, func(id uint16) bool { return v.kinds[id]&meaningful != 0 })
}

// The most tokens the model reads at once, and how often for a text.
const (
	window     = 128
	maxWindows = 64 // a page has 4 to 8
)

// windows cuts tokens into what the model reads at once, and leaves out what comes
// after maxWindows.
func (v *vocabulary) windows(ids []uint16) [][]uint16 {
	var list [][]uint16
	for len(ids) > 0 && len(list) < maxWindows {
		n := v.cut(ids)
		list, ids = append(list, ids[:n]), ids[n:]
	}
	return list
}

// cut tells how many of the tokens make the next window: all if they fit, else up
// to the last end of a sentence in the window's second half, else up to the last
// end of a word there, else a full window.
func (v *vocabulary) cut(ids []uint16) int {
	if len(ids) <= window {
		return len(ids)
	}
	word := 0
	for n := window; n > window/2; n-- {
		if v.kinds[ids[n]]&startsWord == 0 {
			continue
		}
		if v.kinds[ids[n-1]]&endsSentence != 0 {
			return n
		}
		if word == 0 {
			word = n
		}
	}
	if word == 0 {
		return window
	}
	return word
}
