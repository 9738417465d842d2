package app

import (
	"maps"
	"sync"
	"time"
)

// A file in place that somebody is still writing is not read: it would be ingested in parts. A
// file has settled once its size and its mtime have stayed the same for a while. Only what scans
// have seen counts, as the clock of another machine may have set the mtime; but a file whose
// mtime is far from now is read when it is first seen.
const (
	// settleFar is how far from now the mtime is of a file that is read at once.
	settleFar = time.Minute
	// settleAfter and settleMost are for how long a file must stay the same, at least and at
	// most: twice as long as it has ever been before it changed again.
	settleAfter = 10 * time.Second
	settleMost  = 5 * time.Minute
	// settleKeep is for how long a file is remembered that does not change any more.
	settleKeep = time.Hour
	// maxSettling is how many files are remembered. Of further ones, only the mtime counts.
	maxSettling = 10_000
)

// settling remembers files that have changed lately. Its methods are safe for concurrent use.
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
	since       time.Time     // when it was first seen as it is
	gap         time.Duration // for how long it stayed the same at most before it changed again
}

// wait returns for how long a file must stay as it is from now on, 0 if it has settled.
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
