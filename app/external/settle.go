package external

import (
	"maps"
	"sync"
	"time"
)

// A file in an external library that is still being written is not read, since it would be
// ingested incomplete. A file has settled once its size and mtime have been stable for a
// while. Only the observations of scans count, as the mtime may have been set by another
// machine's clock; but a file whose mtime is far from the current time is read when it is
// first seen.
const (
	// settleFar is how far the mtime of a file must be from the current time for the file
	// to be read immediately.
	settleFar = time.Minute
	// settleAfter and settleMost are the minimum and maximum of the time for which a file
	// must be stable: twice the longest time for which it was stable before it changed
	// again.
	settleAfter = 10 * time.Second
	settleMost  = 5 * time.Minute
	// settleKeep is how long a stable file is remembered.
	settleKeep = time.Hour
	// maxSettling is the maximum number of files remembered. For further ones, only the
	// mtime counts.
	maxSettling = 10_000
)

// settling remembers recently changed files. Its methods are safe for concurrent use.
type settling struct {
	mu    sync.Mutex
	files map[settlingFile]*settlingState
}

type settlingFile struct {
	root int64
	path string
}

type settlingState struct {
	size, mtime int64
	since       time.Time     // when the current size and mtime were first seen
	gap         time.Duration // longest time for which it was stable before it changed again
}

// wait returns how much longer a file must be stable, 0 if it has settled.
func (s *settling) wait(f settlingFile, size, mtime int64, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.files[f]
	if is == nil {
		age := now.Sub(time.Unix(0, mtime)).Abs()
		if age >= settleFar {
			return 0
		}
		if len(s.files) >= maxSettling {
			return max(0, settleAfter-age)
		}
		is = &settlingState{size: size, mtime: mtime, since: now}
		s.files[f] = is
	}
	if now.Before(is.since) { // the clock was set back
		is.since = now
	}
	if is.size != size || is.mtime != mtime {
		is.gap = max(is.gap, now.Sub(is.since))
		is.size, is.mtime, is.since = size, mtime, now
	}
	return max(0, min(max(settleAfter, 2*is.gap), settleMost)-now.Sub(is.since))
}

// prune forgets files that have not changed for long.
func (s *settling) prune(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.files, func(_ settlingFile, is *settlingState) bool { return now.Sub(is.since) > settleKeep })
}
