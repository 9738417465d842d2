package analytics

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

func newTestAnalytics(tb testing.TB) *Analytics {
	tb.Helper()
	store, err := storage.Open(tb.Context(), filepath.Join(tb.TempDir(), "dal.db"), time.Now)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	return New(store, time.Hour, time.Hour, slog.New(slog.DiscardHandler), time.Now)
}

// Counts beyond the limit are reported as lost. All others are written, however many
// goroutines count concurrently; counts of a failed write are written later.
func TestAnalyticsIsBounded(t *testing.T) {
	t.Parallel()
	a := newTestAnalytics(t)
	const over = 50
	var wg sync.WaitGroup
	for part := range 10 {
		wg.Go(func() {
			for n := part; n < analyticsKeys+over; n += 10 {
				a.Downloaded(t.Context(), dam.GAID(fmt.Sprint(n)))
			}
		})
	}
	wg.Wait()
	if s := a.Status(); s.Lost != over || s.Waiting != analyticsKeys {
		t.Fatalf("%+v", s)
	}
	closed := newTestAnalytics(t)
	working := a.store
	if err := closed.store.Close(); err != nil {
		t.Fatal(err)
	}
	a.store = closed.store
	a.Flush(t.Context())
	if s := a.Status(); s.Lost != over || s.Waiting != analyticsKeys {
		t.Fatalf("after it could not be written: %+v", s)
	}
	a.store = working
	a.Flush(t.Context())
	if s := a.Status(); s.Lost != over || s.Waiting != 0 {
		t.Fatalf("after it was written: %+v", s)
	}
	var n int64
	if err := a.store.View(t.Context(), func(tx *storage.Tx) error {
		today := dam.DayOf(time.Now())
		return tx.UsageOf(dam.Days{From: today - 1, To: today}, func(_ dam.CountKey, c dam.Counts) { n += c.Downloads })
	}); err != nil || n != analyticsKeys {
		t.Errorf("%d were written, %v", n, err)
	}
}

// BenchmarkAnalyticsAdd measures what counting costs a request.
func BenchmarkAnalyticsAdd(b *testing.B) {
	a := newTestAnalytics(b)
	gaids := make([]dam.GAID, 1000)
	for i := range gaids {
		gaids[i] = dam.GAID(fmt.Sprintf("01KB3J8Q5V7X9Z1B3D5F%06d", i))
	}
	ctx := access.CalledBy(b.Context(), access.Caller{UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"})
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			a.ShownToGuest(ctx, 7, gaids[i%len(gaids)])
		}
	})
}
