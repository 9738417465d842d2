package search

import "context"

// Behind returns the number of changes missing from the text index, and the sequence
// number that it has reached.
func (e *Engine) Behind(ctx context.Context) (changes, seq int64, err error) {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return 0, 0, err
	}
	e.textMu.RLock()
	defer e.textMu.RUnlock()
	seq = e.text.seq()
	return max(0, last-seq), seq, nil
}
