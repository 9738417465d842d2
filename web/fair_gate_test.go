package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/digital-asset-library/dal/app/dam"
)

// Networks take turns, however many requests one of them has; cancelled requests are
// skipped.
func TestFairGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, hold := newFairGate(1), make(chan struct{})
		var order []string // appended to by one request at a time
		var all sync.WaitGroup
		ask := func(ctx context.Context, network string, fn func()) {
			all.Go(func() {
				err := g.pass(ctx, network, func() error {
					order = append(order, network)
					fn()
					return nil
				})
				if err != nil && ctx.Err() == nil {
					t.Errorf("%s: %v", network, err)
				}
			})
			synctest.Wait() // until it is queued
		}
		nothing := func() {}
		ask(t.Context(), "first", func() { <-hold })
		gone, leave := context.WithCancel(t.Context())
		for range 3 {
			ask(t.Context(), "a", nothing)
		}
		ask(gone, "b", nothing)
		ask(t.Context(), "c", nothing)
		ask(t.Context(), "d", nothing)
		ask(t.Context(), "d", nothing)
		leave()
		synctest.Wait()
		close(hold)
		all.Wait()
		if want := []string{"first", "a", "c", "d", "a", "d", "a"}; !slices.Equal(order, want) {
			t.Errorf("the order is %v, want %v", order, want)
		}
		if g.free != 1 || len(g.lines) != 0 || len(g.turns) != 0 {
			t.Errorf("left behind: %+v", g)
		}
	})
}

// The queue of a network is limited, and other networks pass nonetheless.
func TestFairGateBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, hold := newFairGate(1), make(chan struct{})
		var all sync.WaitGroup
		wait := func() { all.Go(func() { g.pass(t.Context(), "a", func() error { <-hold; return nil }) }) }
		for range 1 + maxNetworkWaiting {
			wait()
			synctest.Wait()
		}
		if err := g.pass(t.Context(), "a", func() error { return nil }); dam.KindOf(err) != dam.Unavailable {
			t.Errorf("one too many: %v", err)
		}
		passed := make(chan error)
		go func() { passed <- g.pass(t.Context(), "b", func() error { return nil }) }()
		synctest.Wait()
		hold <- struct{}{} // for the request with the slot
		synctest.Wait()
		hold <- struct{}{} // for the next one of a, ahead of b
		if err := <-passed; err != nil {
			t.Errorf("another network: %v", err)
		}
		close(hold)
		all.Wait()
	})
}

// The guide names the limit.
func TestFairGateLimitInTheGuide(t *testing.T) {
	t.Parallel()
	page, err := docsFiles.ReadFile("docs/guide/image-urls.md")
	if err != nil || !strings.Contains(string(page), fmt.Sprintf("up to %d requests of a network wait", maxNetworkWaiting)) {
		t.Errorf("image-urls.md does not name the limit of %d waiting requests: %v", maxNetworkWaiting, err)
	}
}

// HoldPictures takes all slots for rendering pictures until release is called. waiting returns
// the number of requests that wait for one.
func (s *Server) HoldPictures() (waiting func() int, release func()) {
	for range processors() {
		s.pictures.enter("held")
	}
	waiting = func() (n int) {
		s.pictures.mu.Lock()
		defer s.pictures.mu.Unlock()
		for _, line := range s.pictures.lines {
			n += len(line)
		}
		return n
	}
	return waiting, func() {
		for range processors() {
			s.pictures.next()
		}
	}
}
