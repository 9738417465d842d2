// Package textvec turns texts into vectors that point the same way when the texts
// mean alike: with the English model that is built in (Lite), or by a service the
// user configures (Endpoint).
//
// Both give vectors of length 1, so that their dot product is the cosine of the
// angle between them, and nil for a text without meaning, which must then be
// neither stored nor compared. Vectors are comparable when they come from
// embedders whose Model is the same, and have equally many numbers. How near two
// vectors are orders texts by likeness, but is no probability: no fixed bound
// tells alike from unlike.
package textvec

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrUnavailable says that an embedder could not answer now but may later.
var ErrUnavailable = errors.New("the service of embeddings is not available")

// clean brings a text to NFKC, in which variants of a letter are the same, and
// makes each run of white space one space. It reads no more than the first limit
// bytes, and returns no more.
func clean(text string, limit int) string {
	text = norm.NFKC.String(clip(strings.TrimSpace(text), limit))
	return clip(strings.Join(strings.Fields(text), " "), limit)
}

// clip cuts a text to at most limit bytes, not within a character.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for cut := limit; cut > limit-utf8.UTFMax; cut-- {
		if utf8.RuneStart(text[cut]) {
			return text[:cut]
		}
	}
	return text[:limit] // not UTF-8 at all
}

// scale gives a vector the length 1. It reports false, and leaves the vector as
// it is, if it has no direction: its length is zero or no number.
func scale(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return false
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}

// addScaled adds weight times v to sum.
func addScaled(sum, v []float32, weight float32) {
	for i, x := range v {
		sum[i] += weight * x
	}
}
