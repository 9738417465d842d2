package textvec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	unknown  = 0 // token of characters that do not start a piece
	reserved = 6 // the first tokens do not represent text

	wordStart = "\u2581" // represents a space and the start of a text
)

// kind contains the properties of a token.
type kind uint8

const (
	startsWord kind = 1 << iota
	endsSentence
	meaningful // not only a space
)

// vocabulary contains the pieces of text known to a model, according to SentencePiece's
// unigram model (https://arxiv.org/abs/1804.10959).
type vocabulary struct {
	pieces  map[string]piece
	longest int     // bytes of the longest piece
	lengths []uint8 // by token, in bytes
	kinds   []kind  // by token
}

type piece struct {
	id    uint16
	score float64 // log probability; 0 for user-defined symbols
}

func (v *vocabulary) add(id int, text string, score float64) {
	v.lengths[id] = uint8(len(text))
	if id < reserved {
		return
	}
	v.pieces[text] = piece{uint16(id), score} // the last of equal texts is used
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

// encode splits a text in NFKC into the most probable tokens: at most one per character,
// plus one at the start.
//
// The model was trained with one particular tokenizer, so this one reproduces its quirks: a
// score of 0 counts as not yet reached, and an unknown character costs nothing. Source:
// https://github.com/tensorflow/tfjs-models/blob/master/universal-sentence-encoder/src/tokenizer/index.ts
func (v *vocabulary) encode(text string) []uint16 {
	if text == "" {
		return nil
	}
	text = wordStart + strings.ReplaceAll(text, " ", wordStart)
	best := make([]float64, len(text)+1) // best score up to each byte
	last := make([]uint16, len(text)+1)  // last token of that split
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
				continue // adjacent ones are merged
			}
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

// means reports whether any of the tokens represents text known to the model.
func (v *vocabulary) means(ids []uint16) bool {
	return slices.ContainsFunc(ids, func(id uint16) bool { return v.kinds[id]&meaningful != 0 })
}

// The maximum number of tokens per window, and of windows per text.
const (
	window     = 128
	maxWindows = 64 // a page has 4 to 8
)

// windows splits tokens into windows and drops those after maxWindows.
func (v *vocabulary) windows(ids []uint16) [][]uint16 {
	var list [][]uint16
	for len(ids) > 0 && len(list) < maxWindows {
		n := v.cut(ids)
		list, ids = append(list, ids[:n]), ids[n:]
	}
	return list
}

// cut returns the number of tokens in the next window: all if they fit, otherwise up to the
// last end of a sentence in the window's second half, otherwise up to the last end of a
// word there, otherwise a full window.
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
