package dam

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Checks shared by several types. Each adds a problem with a field to p.

// Shared limits.
const (
	MaxName     = 255 // characters of a name or a label
	MaxPosition = 1_000_000
)

func (p *Problems) required(field string) { p.Add(field, "%s is required.", field) }

// length checks that s has between lo and hi characters.
func (p *Problems) length(field, s string, lo, hi int) {
	switch n := utf8.RuneCountInString(s); {
	case !utf8.ValidString(s):
		p.Add(field, "%s must be valid UTF-8.", field)
	case n == 0 && lo > 0:
		p.required(field)
	case n < lo:
		p.Add(field, "%s must have at least %d characters.", field, lo)
	case n > hi:
		p.tooLong(field, hi)
	}
}

func (p *Problems) tooLong(field string, most int) {
	p.Add(field, "%s may not have more than %d characters.", field, most)
}

// size checks the maximum size of a text in bytes and reports whether it is met.
func (p *Problems) size(field string, bytes, most int) bool {
	if bytes > most {
		p.Add(field, "%s may not have more than %d bytes.", field, most)
	}
	return bytes <= most
}

// items checks the maximum number of list items and reports whether it is met.
func (p *Problems) items(field string, n, most int) bool {
	if n > most {
		p.Add(field, "%s may not have more than %d items.", field, most)
	}
	return n <= most
}

// between checks that a number is between lo and hi.
func (p *Problems) between(field string, n, lo, hi int64) {
	if n < lo || n > hi {
		p.Add(field, "%s must be between %d and %d.", field, lo, hi)
	}
}

// position checks a position in a list.
func (p *Problems) position(field string, n int64) { p.between(field, n, 0, MaxPosition) }

// After returns the next position, limited to the last one.
func After(position int) int { return min(position+1, MaxPosition) }

// oneOf checks that a word is one of the given words.
func oneOf[T ~string](p *Problems, field string, word T, of []T) {
	if !slices.Contains(of, word) {
		p.Add(field, "The selected %s is invalid; it must be one of %s.", field, listed(of))
	}
}

// oneOf checks that s is empty or one of the given words.
func (p *Problems) oneOf(field, s string, words ...string) {
	if s != "" {
		oneOf(p, field, s, words)
	}
}

// listed joins words: "a, b, c".
func listed[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}

// name checks a single-line name of lo to MaxName characters, which must be visible.
func (p *Problems) name(field, s string, lo int) {
	before := p.count()
	if p.length(field, s, lo, MaxName); p.count() > before {
		return
	}
	if lo > 0 && Unseen(s) {
		p.required(field)
		return
	}
	p.seen(field, s, false)
}

// prose checks a text of at most hi characters, which must be visible. It may have several
// lines.
func (p *Problems) prose(field, s string, hi int) {
	before := p.count()
	if p.length(field, s, 0, hi); p.count() == before {
		p.seen(field, s, true)
	}
}

// seen checks that s has no hidden characters. If lines is set, it accepts line breaks and
// tabs.
func (p *Problems) seen(field, s string, lines bool) {
	if r, ok := firstHidden(s, lines); ok {
		p.Add(field, "%s may not have control characters or invisible ones, such as U+%04X.", field, r)
	}
}

// title checks a title written by a user. Asset.Validate rejects an empty title.
func (p *Problems) title(s string) {
	switch {
	case s == "":
	case Unseen(s):
		p.required("title")
	default:
		p.seen("title", s, false)
	}
}

// words checks a list of keywords.
func (p *Problems) words(field string, words []string) {
	if !p.items(field, len(words), MaxKeywords) {
		return
	}
	for i, w := range words {
		p.length(field+"."+itoa(i), w, 1, MaxKeyword)
	}
}

// newWords checks that words added to a list have no hidden characters.
func (p *Problems) newWords(field string, before, after []string) {
	for i, w := range after {
		if !slices.Contains(before, w) {
			p.seen(field+"."+itoa(i), w, false)
		}
	}
}

var metadataKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// ValidMetadataKey reports whether key is a valid key of a custom field.
func ValidMetadataKey(key string) bool { return metadataKey.MatchString(key) }

// key checks the key of a field or of a vocabulary.
func (p *Problems) key(field, key string) {
	if !ValidMetadataKey(key) {
		p.Add(field, "%s must start with a letter and may only have lower-case letters, digits and underscores, 64 at most.", field)
	}
}

func itoa(i int) string { return strconv.Itoa(i) }
