package search

import (
	"context"
	"sync"
	"time"
)

// laterAfter is the maximum time for which searches may miss deferred changes.
const laterAfter = 250 * time.Millisecond

// later is the range of the latest changes, after from up to to, if they belong to
// unfinished work such as an operation on many assets.
type later struct {
	mu        sync.Mutex
	from, to  int64
	refreshed time.Time // when the columns were brought up to date
}

// Later defers the changes after from, up to to, which belong to work that has not been
// reported as done: searches need not wait for them. They are indexed soon anyway, before
// there are so many that the first search after the end would not wait for them either.
func (e *Engine) Later(from, to int64) {
	e.later.mu.Lock()
	if from != e.later.to {
		e.later.from = from
	}
	e.later.to = to
	e.later.mu.Unlock()
	e.textMu.RLock()
	defer e.textMu.RUnlock()
	if to-e.text.seq() > smallLag/2 {
		hint(e.hurry)
	}
}

// Now ends the deferral by Later: the next search sees all changes.
func (e *Engine) Now() {
	e.later.mu.Lock()
	e.later.from, e.later.to = 0, 0
	e.later.mu.Unlock()
	hint(e.hurry)
}

// awaited returns the latest change, up to last, that a search has to include.
func (e *Engine) awaited(last int64) int64 {
	e.later.mu.Lock()
	defer e.later.mu.Unlock()
	if e.later.from < last && last <= e.later.to {
		return e.later.from
	}
	return last
}

// refresh brings the columns up to the latest change that a search has to include.
func (e *Engine) refresh(ctx context.Context) error {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return err
	}
	e.vectors.changed.Store(last)
	e.colMu.RLock()
	have := e.columns.seq
	e.colMu.RUnlock()
	if have == last {
		return nil
	}
	e.later.mu.Lock()
	fresh := time.Since(e.later.refreshed) < laterAfter
	e.later.mu.Unlock()
	if fresh && e.awaited(last) <= have && have < last {
		return nil
	}
	return e.refreshAll(ctx)
}
