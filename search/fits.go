package search

import (
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// fits returns a test of a text against a clause: its phrase, or all its words. A text
// with words from also passes for any of them.
func (a *analyzer) fits(c clause, also map[string]bool) func(string) bool {
	if c.phrase {
		return a.fitsPhrase(c.text)
	}
	var words, wholes []term
	for _, t := range a.plainTerms(compose(c.text)) {
		if t.kind == whole {
			wholes = append(wholes, t)
		} else {
			words = append(words, t)
		}
	}
	return func(s string) bool {
		forms := a.forms(compose(s))
		has := func(t term) bool { return t.in(forms, c.open) }
		for w := range also {
			if forms[w] {
				return true
			}
		}
		return len(words) > 0 && !slices.ContainsFunc(words, func(t term) bool { return !has(t) }) || slices.ContainsFunc(wholes, has)
	}
}

// fitsAny returns a test of a text for any of the words of another.
func (a *analyzer) fitsAny(want string) func(string) bool {
	words := a.plainTerms(compose(want))
	return func(s string) bool {
		forms := a.forms(compose(s))
		return slices.ContainsFunc(words, func(t term) bool { return t.in(forms, false) })
	}
}

// fitsPhrase returns a test of a text for consecutive words.
func (a *analyzer) fitsPhrase(want string) func(string) bool {
	rows := phraseRows(compose(want))
	return func(s string) bool {
		have := map[int][]string{} // by position
		last := 0
		for _, w := range split(compose(s)) {
			have[w.pos] = append(have[w.pos], w.text, w.other)
			last = max(last, w.pos)
		}
		for at := 1; at <= last && len(rows) > 0; at++ {
			misses := func(row int) bool {
				return len(rows[row]) > 0 && !slices.ContainsFunc(rows[row], func(w string) bool { return slices.Contains(have[at+row], w) })
			}
			row := 0
			for row < len(rows) && !misses(row) {
				row++
			}
			if row == len(rows) {
				return true
			}
		}
		return false
	}
}

// forms returns all forms of the words of a text.
func (a *analyzer) forms(text string) map[string]bool {
	forms := map[string]bool{}
	for _, w := range a.words(text) {
		forms[w.text], forms[w.other] = true, true
		for _, stem := range w.stems {
			forms[stem] = true
		}
	}
	delete(forms, "")
	return forms
}

// in reports whether forms contain the word or, if open, a word that begins with it.
func (t *term) in(forms map[string]bool, open bool) bool {
	if forms[t.text] || forms[t.other] || slices.ContainsFunc(t.stems, func(s string) bool { return forms[s] }) {
		return true
	}
	if open && len([]rune(t.text)) >= minPrefix {
		for f := range forms {
			if strings.HasPrefix(f, t.text) {
				return true
			}
		}
	}
	return false
}

// parse parses the text of a query, and computes for each clause on a custom field the
// assets that match it there.
func (e *Engine) parse(ctx context.Context, q dam.Query) (clauses []clause, unknown []string, err error) {
	clauses, unknown = parseQuery(q.Text, func(name string) bool {
		if q.Schema.Field(name) != nil {
			return true
		}
		e.textMu.RLock()
		defer e.textMu.RUnlock()
		has, failed := e.text.hasKey(ctx, name)
		if failed != nil {
			err = failed
		}
		return has
	})
	for i := range clauses {
		if q.Exact {
			clauses[i].exact, clauses[i].open = true, false
		}
		if c := &clauses[i]; err == nil && c.key != "" {
			err = e.inKey(ctx, c, q.Schema)
		}
	}
	return clauses, unknown, err
}

// inKey records in a clause the assets that match it in its custom field, because the
// index has the words of all custom fields together.
func (e *Engine) inKey(ctx context.Context, c *clause, schema *dam.Schema) error {
	alone := *c
	alone.not = false
	m, _, err := e.withText(ctx, func(t *textIndex) (*matches, error) { return t.searchClauses(ctx, []clause{alone}, false) })
	if err != nil {
		return err
	}
	e.textMu.RLock()
	fits := e.text.analyzer.fits(*c, m.also)
	e.textMu.RUnlock()
	c.within, err = e.valuesFit(ctx, "metadata."+c.key, m.ids, func(v *value) bool {
		text := v.folded
		if s, ok := v.raw.(string); ok {
			if text = schema.Label(c.key, s); text == "" {
				text = s
			}
		}
		return fits(text)
	})
	return err
}

// inCustomField returns the assets whose match is in one custom field.
func (e *Engine) inCustomField(ctx context.Context, f *dam.Filter, ids *roaring.Bitmap) (*roaring.Bitmap, error) {
	e.textMu.RLock()
	fits := e.text.analyzer.fitsAny(f.Value.Texts[0])
	if f.Operator == dam.OpExactSearch {
		fits = e.text.analyzer.fitsPhrase(f.Value.Texts[0])
	}
	e.textMu.RUnlock()
	return e.valuesFit(ctx, columnOf(f), ids, func(v *value) bool {
		if s, ok := v.raw.(string); ok {
			return fits(s)
		}
		return fits(v.folded)
	})
}

// valuesFit returns the assets of which a value in a column passes a test.
func (e *Engine) valuesFit(ctx context.Context, name string, ids *roaring.Bitmap, fits func(*value) bool) (*roaring.Bitmap, error) {
	held, err := e.ensure(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	col := held.columns[name]
	known := map[uint32]bool{}
	kept := roaring.New()
	for it := ids.Iterator(); it.HasNext(); {
		id := it.Next()
		for _, n := range col.of.get(id) {
			fit, ok := known[n]
			if !ok {
				fit = fits(&col.values[n])
				known[n] = fit
			}
			if fit {
				kept.Add(id)
				break
			}
		}
	}
	return kept, nil
}

// hasKey reports whether any asset has metadata with a key.
func (t *textIndex) hasKey(ctx context.Context, key string) (has bool, err error) {
	s, err := t.searcher(ctx)
	if err != nil {
		return false, err
	}
	defer s.close()
	found, err := s.postings([]byte(key), fieldKeys, nil)
	return len(found) > 0, err
}
