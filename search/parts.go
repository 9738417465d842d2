package search

import (
	"runtime"
	"sync"
)

// partsOf returns into how many parts n things are divided for the processors, if
// least of them are worth one.
func partsOf(n, least int) int { return max(1, min(runtime.GOMAXPROCS(0), n/least)) }

// inParts divides the numbers below n into parts, calls do for all of them at once, and
// returns what it made of each, in their order.
func inParts[T any](parts, n int, do func(from, to int) T) []T {
	made := make([]T, parts)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i] = do(n*i/parts, n*(i+1)/parts) })
	}
	wg.Wait()
	return made
}
