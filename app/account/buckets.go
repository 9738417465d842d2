package account

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Buckets limit the rates of callers: each caller has a bucket that is refilled
// over time. The number of buckets is limited; beyond it, the least recently used
// bucket is evicted, and is full when its caller returns.
type Buckets struct {
	now  func() time.Time
	keep int

	mu   sync.Mutex
	by   map[string]*list.Element
	used *list.List // of *bucket, most recently used first
}

// Bucket is the rate limit of the caller with a key, and the maximum burst.
type Bucket struct {
	Key   string
	Rate  rate.Limit
	Burst int
}

type bucket struct {
	key     string
	limiter *rate.Limiter
}

// NewBuckets returns Buckets that keep up to keep buckets and are refilled by the
// clock now.
func NewBuckets(now func() time.Time, keep int) *Buckets {
	return &Buckets{now: now, keep: keep, by: map[string]*list.Element{}, used: list.New()}
}

// Take takes one from each of the buckets, or from none. It returns the number left
// in the emptiest bucket or, if it took none, the time until each bucket has one.
func (b *Buckets) Take(want ...Bucket) (left int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	limiters := make([]*rate.Limiter, len(want))
	for i, w := range want {
		limiters[i] = b.limiter(w)
		r := limiters[i].ReserveN(now, 1)
		wait = max(wait, r.DelayFrom(now))
		r.CancelAt(now)
	}
	if wait > 0 {
		return 0, wait
	}
	for i, l := range limiters {
		l.AllowN(now, 1)
		if n := max(0, int(l.TokensAt(now))); i == 0 || n < left {
			left = n
		}
	}
	return left, 0
}

func (b *Buckets) limiter(w Bucket) *rate.Limiter {
	if e := b.by[w.Key]; e != nil {
		b.used.MoveToFront(e)
		return e.Value.(*bucket).limiter
	}
	if b.used.Len() >= b.keep {
		last := b.used.Back()
		delete(b.by, b.used.Remove(last).(*bucket).key)
	}
	n := &bucket{w.Key, rate.NewLimiter(w.Rate, w.Burst)}
	b.by[w.Key] = b.used.PushFront(n)
	return n.limiter
}
