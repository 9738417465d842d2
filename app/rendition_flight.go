package app

import (
	"context"
	"sync"
)

// flights make each rendition once for all who want it at the same time, and so many at
// once.
type flights struct {
	slots chan struct{}

	mu  sync.Mutex
	now map[string]*flight
}

// flight is the making of one rendition.
type flight struct {
	waiting int    // how many want it
	begun   bool   // then it is finished, even if nobody wants it any more
	cancel  func() // gives up what has not begun
	done    chan struct{}
	made    *rendered
	err     error
}

func newFlights(n int) *flights {
	return &flights{slots: make(chan struct{}, n), now: map[string]*flight{}}
}

// join returns what do makes under a name, or what somebody else is having made under it.
// Somebody who leaves takes nothing from the others; what has begun is finished, and what
// waits to begin is given up when nobody wants it any more.
func (f *flights) join(ctx context.Context, name string, do func(context.Context) (*rendered, error)) (*rendered, error) {
	l := f.board(ctx, name, do)
	select {
	case <-l.done:
		return l.made, l.err
	case <-ctx.Done():
		f.leave(name, l)
		return nil, context.Cause(ctx)
	}
}

// board returns the flight of a name, which it begins unless there is one.
func (f *flights) board(ctx context.Context, name string, do func(context.Context) (*rendered, error)) *flight {
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

// fly makes what a flight is for, when its turn comes.
func (f *flights) fly(waits context.Context, name string, l *flight, do func(context.Context) (*rendered, error)) {
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
