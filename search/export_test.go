package search

import "context"

// Lag returns how many changes the text index does not have yet.
func (e *Engine) Lag(ctx context.Context) (int64, error) {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return 0, err
	}
	e.textMu.RLock()
	defer e.textMu.RUnlock()
	return max(0, last-e.text.seq()), nil
}

// VectorCount returns how many assets have a meaning in memory.
func (e *Engine) VectorCount() int { return e.vectors.all().Count() }
