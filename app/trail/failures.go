package trail

import (
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Limits for failures in the audit log, so that attackers cannot fill it. Failed sign-ins
// get individual entries up to a burst, then one more per interval. All other failures are
// aggregated in a limited number of entries until they are written.
const (
	singleBurst = 1000
	singleEvery = time.Second
	maxSums     = 1000
)

// failures aggregates failed sign-in attempts.
type failures struct {
	single *rate.Limiter // sign-ins with an individual entry

	mu   sync.Mutex
	sums map[failureKey]*dam.AuditEntry
}

// failureKey is the key by which failures are aggregated.
type failureKey struct {
	event               dam.AuditEvent
	account, target, ip string
}

func newFailures() *failures {
	return &failures{single: rate.NewLimiter(rate.Every(singleEvery), singleBurst), sums: map[failureKey]*dam.AuditEntry{}}
}

// sum aggregates a failure, or returns false if it gets an individual entry. An aggregate
// keeps the time, method and path of its first failure. After maxSums aggregates, further
// failures share one aggregate per event without an account and an address.
func (f *failures) sum(e *dam.AuditEntry) bool {
	if e.Event == dam.AuditLoginFailed && f.single.AllowN(e.At, 1) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := failureKey{e.Event, storage.EmailKey(e.Account), e.Target, e.IP}
	if f.sums[key] == nil && len(f.sums) >= maxSums {
		key = failureKey{event: e.Event}
		e.Account, e.Target, e.IP = "", "", ""
	}
	if sum := f.sums[key]; sum != nil {
		sum.Count++
		return true
	}
	e.RequestID = "" // represents several requests
	f.sums[key] = e
	return true
}

// take returns the aggregates and resets them.
func (f *failures) take() []*dam.AuditEntry {
	f.mu.Lock()
	defer f.mu.Unlock()
	sums := slices.Collect(maps.Values(f.sums))
	f.sums = map[failureKey]*dam.AuditEntry{}
	return sums
}
