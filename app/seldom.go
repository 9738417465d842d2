package app

import (
	"sync/atomic"
	"time"
)

// seldomEvery is how often the log repeats what goes on happening.
const seldomEvery = time.Minute

// seldom keeps the log from repeating the same thing all the time.
type seldom struct{ last atomic.Int64 } // in seconds since 1970

// now reports whether it is time to log.
func (s *seldom) now() bool {
	now, last := time.Now().Unix(), s.last.Load()
	return now-last >= int64(seldomEvery/time.Second) && s.last.CompareAndSwap(last, now)
}
