package web

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
)

// fairGate is a gate for anonymous requests. Each network has its own queue, and the
// networks take turns: one with many requests delays the others by at most one of them.
type fairGate struct {
	mu    sync.Mutex
	free  int                        // available slots
	lines map[string][]chan struct{} // waiting requests by network; no queue is empty
	turns []string                   // networks with a queue, next one first
}

// maxNetworkWaiting is the maximum number of waiting requests per network.
const maxNetworkWaiting = 100

func newFairGate(slots int) *fairGate {
	return &fairGate{free: slots, lines: map[string][]chan struct{}{}}
}

// pass runs fn once the network has a turn.
func (g *fairGate) pass(ctx context.Context, network string, fn func() error) error {
	turn, err := g.enter(network)
	if err != nil {
		return err
	}
	if turn != nil {
		line, leave := context.WithTimeout(ctx, waitTime)
		defer leave()
		select {
		case <-turn:
		case <-line.Done():
			if g.left(network, turn) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return errBusy()
			}
		}
	}
	defer g.next()
	return fn()
}

// enter takes a slot, or a place in the network's queue.
func (g *fairGate) enter(network string) (turn chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free > 0 {
		g.free--
		return nil, nil
	}
	line := g.lines[network]
	if len(line) >= maxNetworkWaiting || len(g.turns) >= maxWaiting {
		return nil, errBusy()
	}
	if len(line) == 0 {
		g.turns = append(g.turns, network)
	}
	turn = make(chan struct{})
	g.lines[network] = append(line, turn)
	return turn, nil
}

// left removes a waiting request from its queue. It returns false if the request already
// has its turn.
func (g *fairGate) left(network string, turn chan struct{}) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.lines[network], turn)
	if i < 0 {
		return false
	}
	g.shorten(network, slices.Delete(g.lines[network], i, i+1))
	return true
}

// shorten replaces a network's queue. A network without a queue gets no turn.
func (g *fairGate) shorten(network string, line []chan struct{}) {
	if g.lines[network] = line; len(line) == 0 {
		delete(g.lines, network)
		g.turns = slices.DeleteFunc(g.turns, func(n string) bool { return n == network })
	}
}

// next gives a slot to the next network.
func (g *fairGate) next() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.turns) == 0 {
		g.free++
		return
	}
	network := g.turns[0]
	line := g.lines[network]
	g.turns = append(g.turns[1:], network)
	g.shorten(network, line[1:])
	close(line[0])
}

func errBusy() error { return dam.Errorf(dam.Unavailable, "The server is busy; try again.") }

// pictureQueue returns the queue for rendering the picture that a request asks for.
func (s *Server) pictureQueue(r *http.Request) render.Queue {
	return func(ctx context.Context, fn func() error) error {
		return s.pictures.pass(ctx, account.Network(requestOf(r.Context()).ip), fn)
	}
}
