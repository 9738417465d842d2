package web

import (
	"context"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// A gate lets as many requests through at once as do not slow each other down, and
// has the others wait in line. The line is short: an answer that comes after the
// client has left serves nobody.
type gate struct {
	slots   *semaphore.Weighted
	waiting atomic.Int64
}

const (
	// maxWrites is how many requests that change something run at once: one writes,
	// the others prepare their changes or read their answers.
	maxWrites  = 6
	maxWaiting = 500              // in one line
	waitTime   = 10 * time.Second // at most
)

func newGate(slots int) *gate { return &gate{slots: semaphore.NewWeighted(int64(slots))} }

// processors is how many requests that keep a processor busy run at once: with
// more, the one writer would have to wait for a processor.
func processors() int { return runtime.NumCPU() }

// pass runs fn when it is its turn.
func (g *gate) pass(ctx context.Context, fn func() error) error {
	if !g.slots.TryAcquire(1) {
		defer g.waiting.Add(-1)
		if g.waiting.Add(1) > maxWaiting {
			return errBusy()
		}
		line, leave := context.WithTimeout(ctx, waitTime)
		defer leave()
		if err := g.slots.Acquire(line, 1); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errBusy()
		}
	}
	defer g.slots.Release(1)
	return fn()
}

// gated puts fn behind the gate of its route. A route that streams a body waits for
// its client instead, and logging in has a line of its own.
func gated[I, O any](s *Server, r route, fn func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	g := s.writes
	switch {
	case r.body != nil || r.public:
		return fn
	case r.searches:
		g = s.searches
	case r.method == http.MethodGet, r.method == http.MethodHead:
		g = s.reads
	}
	return func(ctx context.Context, in *I) (out *O, err error) {
		err = g.pass(ctx, func() (err error) {
			out, err = fn(ctx, in)
			return err
		})
		return out, err
	}
}
