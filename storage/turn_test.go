package storage_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/digital-asset-library/dal/storage"
)

// TestTurns checks that writers run in the order of their calls, and that those whose
// context was cancelled do not run.
func TestTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dal.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := storage.Open(t.Context(), path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		const writers = 30
		hold, order, done := make(chan struct{}), []int{}, make(chan error, writers)
		write := func(ctx context.Context, n int) {
			done <- store.Update(ctx, func(*storage.Tx) error {
				if n == 0 {
					<-hold
				}
				order = append(order, n) // one at a time
				return nil
			})
		}
		want := []int{0}
		for n := range writers {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			go write(ctx, n)
			synctest.Wait() // waits in the queue
			switch {
			case n%5 == 4:
				leave()
			case n > 0:
				want = append(want, n)
			}
		}
		close(hold)
		failed := 0
		for range writers {
			if <-done != nil {
				failed++
			}
		}
		if !slices.Equal(order, want) || failed != writers/5 {
			t.Errorf("wrote in the order %v, want %v; %d gave up", order, want, failed)
		}
	})
}
