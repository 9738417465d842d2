package search

import (
	"runtime"
	"sync"
)

// partsOf returns the number of parts into which n items are divided for the processors,
// if each part has at least least items.
func partsOf(n, least int) int { return max(1, min(runtime.GOMAXPROCS(0), n/least)) }

// inParts divides the numbers below n into parts, calls do for all of them concurrently,
// and returns the results in order.
func inParts[T any](parts, n int, do func(from, to int) T) []T {
	made := make([]T, parts)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i] = do(n*i/parts, n*(i+1)/parts) })
	}
	wg.Wait()
	return made
}
