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

// Bounds on what failures add to the trail, so that nobody can fill it: failed
// log-ins get entries of their own up to a burst, then one more each interval;
// and there are so many sums of all other failures until they are written.
const (
	singleBurst = 1000
	singleEvery = time.Second
	maxSums     = 1000
)

// failures sums up failed attempts to get in.
type failures struct {
	single *rate.Limiter // log-ins that get an entry of their own

	mu   sync.Mutex
	sums map[failureKey]*dam.AuditEntry
}

// failureKey is what failures have in common that are summed up.
type failureKey struct {
	event               dam.AuditEvent
	account, target, ip string
}

func newFailures() *failures {
	return &failures{single: rate.NewLimiter(rate.Every(singleEvery), singleBurst), sums: map[failureKey]*dam.AuditEntry{}}
}

// sum adds a failure to a sum, or reports false: it gets an entry of its own.
// A sum keeps the time, method and path of the first failure in it. Once there
// are maxSums, further ones share one sum for each event, without an account and
// an address.
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
	e.RequestID = "" // it stands for several requests
	f.sums[key] = e
	return true
}

// take returns the sums and starts anew.
func (f *failures) take() []*dam.AuditEntry {
	f.mu.Lock()
	defer f.mu.Unlock()
	sums := slices.Collect(maps.Values(f.sums))
	f.sums = map[failureKey]*dam.AuditEntry{}
	return sums
}
