package web

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter holds callers to a number of requests a minute, each with a bucket
// of that size.
type limiter struct {
	now func() time.Time

	mu sync.Mutex
	by map[string]*rate.Limiter
}

// limiterKeys is how many buckets are kept before full ones are dropped: a
// caller without a bucket starts with a full one anyway.
const limiterKeys = 10_000

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, by: map[string]*rate.Limiter{}}
}

// take takes one request of a caller. It returns how many the caller has left
// at this moment, and if there was none how long until there is one.
func (l *limiter) take(key string, perMinute int) (left int, wait time.Duration) {
	now := l.now()
	b := l.bucket(key, perMinute, now)
	r := b.ReserveN(now, 1)
	if d := r.DelayFrom(now); d > 0 {
		r.CancelAt(now)
		return 0, d
	}
	return max(0, int(b.TokensAt(now))), 0
}

func (l *limiter) bucket(key string, perMinute int, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.by[key]
	if b == nil {
		if len(l.by) >= limiterKeys {
			for k, b := range l.by {
				if b.TokensAt(now) >= float64(b.Burst()) {
					delete(l.by, k)
				}
			}
		}
		b = rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)
		l.by[key] = b
	}
	return b
}
