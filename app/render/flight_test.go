package render

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A thousand concurrent callers share one run, and callers that leave do not affect the
// others.
func TestFlights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFlights(1)
		var made atomic.Int64
		release := make(chan struct{})
		do := func(ctx context.Context) (*Rendered, error) {
			made.Add(1)
			<-release
			return &Rendered{Picture: []byte("x")}, ctx.Err()
		}
		first, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := f.Join(first, "a", do); !errors.Is(err, context.Canceled) {
				t.Errorf("whoever leaves gets %v", err)
			}
		})
		synctest.Wait()
		for range 1000 {
			all.Go(func() {
				if got, err := f.Join(t.Context(), "a", do); err != nil || string(got.Picture) != "x" {
					t.Errorf("%v, %v", got, err)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		close(release)
		all.Wait()
		synctest.Wait()
		if n := made.Load(); n != 1 || len(f.now) != 0 || len(f.slots) != 0 {
			t.Errorf("made %d times; %d are in the air", n, len(f.now))
		}
		if _, err := f.Join(t.Context(), "a", do); err != nil || made.Load() != 2 {
			t.Errorf("once more: %v", err)
		}
	})
}

// Concurrency is limited. Work that no caller waits for is not begun, and work that has
// begun is finished.
func TestFlightsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFlights(2)
		var made, ended atomic.Int64
		release := make(chan struct{})
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				_, err := f.Join(ctx, string(rune('a'+i)), func(context.Context) (*Rendered, error) {
					made.Add(1)
					<-release
					ended.Add(1)
					return nil, nil
				})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			})
		}
		synctest.Wait()
		if n := made.Load(); n != 2 {
			t.Errorf("%d at once", n)
		}
		leave()
		all.Wait()
		close(release)
		synctest.Wait()
		if made.Load() != 2 || ended.Load() != 2 || len(f.now) != 0 || len(f.slots) != 0 {
			t.Errorf("%d were begun, %d ended; %d are left", made.Load(), ended.Load(), len(f.now))
		}
	})
}
