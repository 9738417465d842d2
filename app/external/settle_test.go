package external

import (
	"fmt"
	"testing"
	"time"
)

func TestSettling(t *testing.T) {
	t.Parallel()
	type look struct {
		at, mtime int // seconds
		size      int64
		want      int // seconds to wait
	}
	for what, looks := range map[string][]look{
		"old":                      {{0, -60, 1, 0}},
		"from the future":          {{0, 3600, 1, 0}},
		"new":                      {{0, -5, 1, 10}, {4, -5, 1, 6}, {10, -5, 1, 0}, {11, -5, 1, 0}},
		"a clock that is fast":     {{0, 8, 1, 10}, {5, 13, 2, 10}, {15, 13, 2, 0}},
		"same size":                {{0, 0, 1, 10}, {9, 8, 1, 18}, {27, 8, 1, 0}},
		"same mtime":               {{0, 0, 1, 10}, {9, 0, 2, 18}},
		"bursts":                   {{0, 0, 1, 10}, {10, 0, 1, 0}, {30, 29, 2, 60}, {60, 59, 3, 60}, {90, 89, 4, 60}, {150, 89, 4, 0}},
		"rare bursts":              {{0, 0, 1, 10}, {10, 0, 1, 0}, {1000, 999, 2, 300}, {1300, 999, 2, 0}},
		"an old mtime at its end":  {{0, 0, 1, 10}, {5, -9999, 2, 10}, {15, -9999, 2, 0}},
		"the clock was set back":   {{0, 0, 1, 10}, {-30, 0, 1, 10}, {-20, 0, 1, 0}},
		"forgotten after an hour":  {{0, 0, 1, 10}, {10, 0, 1, 0}, {3700, 3600, 2, 0}},
		"remembered until an hour": {{0, 0, 1, 10}, {10, 0, 1, 0}, {3600, 3599, 2, 300}},
	} {
		s := settling{files: map[settlingFile]*settlingState{}}
		epoch := time.Unix(1e9, 0)
		for i, l := range looks {
			now := epoch.Add(time.Duration(l.at) * time.Second)
			s.prune(now)
			mtime := epoch.Add(time.Duration(l.mtime) * time.Second)
			if got := s.wait(settlingFile{1, "a"}, l.size, mtime.UnixNano(), now); got != time.Duration(l.want)*time.Second {
				t.Errorf("%s: look %d: %v, want %d s", what, i, got, l.want)
			}
		}
	}
	s := settling{files: map[settlingFile]*settlingState{}}
	now := time.Unix(1e9, 0)
	for i := range maxSettling + 10 {
		s.wait(settlingFile{1, fmt.Sprint(i)}, 1, now.UnixNano(), now)
	}
	if len(s.files) != maxSettling {
		t.Errorf("%d files are remembered", len(s.files))
	}
	if got := s.wait(settlingFile{1, "further"}, 1, now.Add(-4*time.Second).UnixNano(), now); got != 6*time.Second {
		t.Error(got)
	}
}
