package render

import (
	"context"
	"sync"
)

// flights makes each rendition once for all concurrent requests, and limits how many are
// made concurrently.
type flights struct {
	slots chan struct{}

	mu  sync.Mutex
	now map[string]*flight
}

// flight is the making of one rendition.
type flight struct {
	waiting int    // number of waiting callers
	begun   bool   // if set, it is finished even if no caller waits any longer
	cancel  func() // abandons it if it has not begun
	done    chan struct{}
	made    *Rendered
	err     error
}

// newFlights returns flights of which n run at a time.
func newFlights(n int) *flights {
	return &flights{slots: make(chan struct{}, n), now: map[string]*flight{}}
}

// Join returns the result of do, or that of a running call under the same name. A caller
// that leaves does not affect the others. Work that has begun is finished; work that has
// not begun is abandoned once no caller waits for it.
func (f *flights) Join(ctx context.Context, name string, do func(context.Context) (*Rendered, error)) (*Rendered, error) {
	l := f.board(ctx, name, do)
	select {
	case <-l.done:
		return l.made, l.err
	case <-ctx.Done():
		f.leave(name, l)
		return nil, context.Cause(ctx)
	}
}

// A Queue calls fn when its turn comes.
type Queue func(ctx context.Context, fn func() error) error

// Unqueued is a Queue that calls fn immediately.
func Unqueued(_ context.Context, fn func() error) error { return fn() }

// Queued is join for work that waits for a queue. Joining a running call needs no turn.
func (f *flights) Queued(
	ctx context.Context, name string, queue Queue, do func(context.Context) (*Rendered, error),
) (made *Rendered, err error) {
	f.mu.Lock()
	if f.now[name] != nil {
		queue = Unqueued
	}
	f.mu.Unlock()
	err = queue(ctx, func() (err error) {
		made, err = f.Join(ctx, name, do)
		return err
	})
	return made, err
}

// board returns the flight with a name, and starts one if necessary.
func (f *flights) board(ctx context.Context, name string, do func(context.Context) (*Rendered, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.now[name]
	if l == nil {
		l = &flight{done: make(chan struct{})}
		f.now[name] = l
		var waits context.Context
		waits, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go f.fly(waits, name, l, do)
	}
	l.waiting++
	return l
}

func (f *flights) leave(name string, l *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.waiting--; l.waiting == 0 && !l.begun {
		l.cancel()
		delete(f.now, name)
	}
}

// fly does the work of a flight when a slot is free.
func (f *flights) fly(waits context.Context, name string, l *flight, do func(context.Context) (*Rendered, error)) {
	defer close(l.done)
	defer l.cancel()
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-waits.Done():
		return
	}
	f.mu.Lock()
	wanted := l.waiting > 0
	l.begun = wanted
	f.mu.Unlock()
	if !wanted {
		return
	}
	l.made, l.err = do(context.WithoutCancel(waits))
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.now, name)
}
