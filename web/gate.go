package web

import (
	"context"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// gate limits concurrent requests to a number that does not slow them down, and queues the
// others. The queue is short: answers that arrive after the client has disconnected are
// useless.
type gate struct {
	slots   *semaphore.Weighted
	waiting atomic.Int64
}

const (
	// maxWrites is the number of concurrent requests that change something: one writes, the
	// others prepare their changes or read their answers.
	maxWrites  = 6
	maxWaiting = 500              // per queue
	waitTime   = 10 * time.Second // maximum
)

func newGate(slots int) *gate { return &gate{slots: semaphore.NewWeighted(int64(slots))} }

// processors is the number of concurrent CPU-bound requests: with more, the single writer
// would have to wait for a processor.
func processors() int { return runtime.NumCPU() }

// pass runs fn once a slot is free.
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

// gated puts fn behind the gate of its route. Routes that stream a body mostly wait for
// their client and are not gated; logging in has its own gate.
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
