package search

import "context"

// Lag returns how many changes the text index does not have yet.
func (e *Engine) Lag(ctx context.Context) (int64, error) {
	changes, _, err := e.Behind(ctx)
	return changes, err
}

// VectorCount returns how many assets have a meaning in memory.
func (e *Engine) VectorCount() int { return e.vectors.all().Count() }

// Nearness returns what assets are compared by with a query that was asked before:
// the product of their vectors.
func (e *Engine) Nearness(text string, asset []float32) float64 {
	return float64(dot(e.vectors.queries[text].probe.values, asset))
}
