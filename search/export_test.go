package search

import "context"

// Lag returns how many changes the text index does not have yet.
func (e *Engine) Lag(ctx context.Context) (int64, error) {
	changes, _, err := e.Behind(ctx)
	return changes, err
}

// VectorCount returns how many assets have a meaning in memory.
func (e *Engine) VectorCount() int {
	if e.vectors.table == nil {
		return 0
	}
	return e.vectors.table.Len()
}

// Word is a word as it is indexed.
type Word struct {
	Start, End, Pos int
	Text, Other     string
	Stems           []string
}

// Words returns the words of a text in a language.
func Words(language, text string) ([]Word, error) {
	a, err := newAnalyzer(language)
	if err != nil {
		return nil, err
	}
	var list []Word
	for _, w := range a.words(compose(text)) {
		list = append(list, Word{w.start, w.end, w.pos, w.text, w.other, w.stems})
	}
	return list, nil
}

// Compose brings a text into the form that the places of Words are in.
func Compose(text string) string { return compose(text) }

// NamePieces returns a file name as the words of it are looked for.
func NamePieces(name string) string { return spacedOut(compose(name)) }

// Nearness returns what assets are compared by with a query that was asked before:
// the product of their vectors.
func (e *Engine) Nearness(text string, asset []float32) float64 {
	return float64(dot(e.vectors.queries[text].probe.values, asset))
}
