package app

import (
	"sync/atomic"
	"time"
)

// seldomEvery is how often the log is told of what goes on.
const seldomEvery = time.Minute

// seldom keeps the log from being told the same all the time.
type seldom struct{ last atomic.Int64 } // in seconds since 1970

// now reports whether it is time to tell.
func (s *seldom) now() bool {
	now, last := time.Now().Unix(), s.last.Load()
	return now-last >= int64(seldomEvery/time.Second) && s.last.CompareAndSwap(last, now)
}
