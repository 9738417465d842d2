package search

import "context"

// Behind returns how many changes the text index does not have yet, and the
// sequence number up to which it has them.
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
