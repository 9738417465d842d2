// Package textvec computes text embeddings, vectors with similar directions for texts with
// similar meanings. It uses the built-in English model (Lite) or a service configured by
// the administrator (Endpoint).
//
// Both return vectors of length 1, so that their dot product is the cosine of the angle
// between them, and nil for a text without meaning, which must be neither stored nor
// compared. Vectors are comparable if their embedders have the same Model and the vectors
// have the same length. The similarity of vectors ranks texts, but it is not a probability:
// no fixed threshold separates similar from different texts.
package textvec

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrUnavailable is returned if an embedder is temporarily unavailable.
var ErrUnavailable = errors.New("the service of embeddings is not available")

// clean normalizes a text to NFKC, which unifies variants of a letter, and collapses
// whitespace. It reads and returns at most the first limit bytes.
func clean(text string, limit int) string {
	text = norm.NFKC.String(clip(strings.TrimSpace(text), limit))
	return clip(strings.Join(strings.Fields(text), " "), limit)
}

// clip truncates a text to at most limit bytes at a character boundary.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for cut := limit; cut > limit-utf8.UTFMax; cut-- {
		if utf8.RuneStart(text[cut]) {
			return text[:cut]
		}
	}
	return text[:limit] // not UTF-8
}

// scale normalizes a vector to length 1. It returns false and leaves the vector unchanged
// if its length is zero or not finite.
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
