package cli

import "testing"

// Memory is released after a period of little activity, and again only if there is enough
// to release.
func TestIdleMemory(t *testing.T) {
	t.Parallel()
	var m idleMemory
	allocated := uint64(100 << 20) // during startup
	step := func(n int, bytes uint64) (given int) {
		for range n {
			allocated += bytes
			if m.check(allocated) {
				given++
			}
		}
		return given
	}
	if n := step(5*idleChecks, idleBytes); n != 0 {
		t.Errorf("it was given back %d times by a busy server", n)
	}
	if n := step(idleChecks, 100); n != 1 {
		t.Errorf("it was given back %d times by one that had become idle", n)
	}
	if n := step(100*idleChecks, 100); n != 0 {
		t.Errorf("it was given back %d times more, with nothing to give", n)
	}
	if n := step(idleChecks, worthBytes/idleChecks+1); n != 1 {
		t.Errorf("it was given back %d times when there was something again", n)
	}
}
