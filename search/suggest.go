package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Prefix is a partially typed text: each of its words may be the prefix of one.
type Prefix struct {
	whole string
	words []string
}

// NewPrefix parses a partially typed text.
func NewPrefix(text string) Prefix {
	whole := strings.TrimSpace(fold(text))
	return Prefix{whole, strings.Fields(whole)}
}

// IsEmpty reports whether nothing has been typed.
func (p Prefix) IsEmpty() bool { return len(p.words) == 0 }

// Fits reports whether each word is a prefix of a word of a text, ignoring case and
// accents.
func (p Prefix) Fits(text string) bool { return p.fits(fold(text)) }

func (p Prefix) fits(folded string) bool {
	for _, w := range p.words {
		if !beginsWord(folded, w) {
			return false
		}
	}
	return true
}

// Begins reports whether a text begins with the typed text.
func (p Prefix) Begins(text string) bool { return strings.HasPrefix(fold(text), p.whole) }

// beginsWord reports whether a word of a text begins with prefix.
func beginsWord(text, prefix string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], prefix)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if at == 0 || !unicode.IsLetter(before) && !unicode.IsNumber(before) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + size
	}
}

// Suggestions are completions of a partially typed text.
type Suggestions struct {
	Assets   []int64          // outside the trash, one per title, most recently changed first
	Keywords []dam.FacetValue // most frequent first
}

// Suggest returns up to n assets by their titles and up to n keywords. Those that begin
// with the typed text come before those in which another word does.
func (e *Engine) Suggest(ctx context.Context, p Prefix, n int) (*Suggestions, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	held, err := e.ensure(ctx, []string{fieldKeywords})
	if err != nil {
		return nil, err
	}
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	return &Suggestions{e.columns.titled(p, n), e.columns.keywords(held.columns[fieldKeywords], p, n)}, nil
}

// titled returns assets with matching titles, most recently changed first.
func (c *columns) titled(p Prefix, n int) []int64 {
	var first, rest []int64
	seen := map[string]bool{}
	ids := c.orders[dam.SortUpdatedAt].ids
	for i := len(ids) - 1; i >= 0 && len(first) < n; i-- {
		title := c.title.get(ids[i])
		begins := strings.HasPrefix(title, p.whole)
		if !begins && (len(rest) >= n || !p.fits(title)) || !c.live.Contains(ids[i]) || seen[title] {
			continue
		}
		seen[title] = true
		if begins {
			first = append(first, int64(ids[i]))
		} else {
			rest = append(rest, int64(ids[i]))
		}
	}
	first = append(first, rest...)
	return first[:min(n, len(first))]
}

// keywords returns matching keywords of assets outside the trash.
func (c *columns) keywords(col *valueColumn, p Prefix, n int) []dam.FacetValue {
	fits := col.which(func(v *value) bool { return p.fits(v.folded) })
	if !slices.Contains(fits, true) {
		return nil
	}
	list := countFitting(col, c.live, fits)
	slices.SortStableFunc(list, func(a, b dam.FacetValue) int {
		return boolRank(p.Begins(b.Value.(string))) - boolRank(p.Begins(a.Value.(string)))
	})
	return list[:min(n, len(list))]
}

// countFitting counts the values marked in fits in a set of assets.
func countFitting(col *valueColumn, set *roaring.Bitmap, fits []bool) []dam.FacetValue {
	counts := make([]int, len(col.values))
	each(set, func(id uint32) {
		for _, v := range col.of.get(id) {
			if fits[v] {
				counts[v]++
			}
		}
	})
	return col.mostFrequent(counts)
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}
