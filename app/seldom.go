package app

import (
	"sync/atomic"
	"time"
)

// seldomEvery is the interval at which a persistent condition is logged again.
const seldomEvery = time.Minute

// seldom limits how often the same condition is logged.
type seldom struct{ last atomic.Int64 } // seconds since 1970

// now reports whether logging is due.
func (s *seldom) now() bool {
	now, last := time.Now().Unix(), s.last.Load()
	return now-last >= int64(seldomEvery/time.Second) && s.last.CompareAndSwap(last, now)
}
