package storage

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// turn waits for a turn at the connections of a pool, first come, first served:
// database/sql picks among those waiting at random, which keeps some of them
// waiting for long. leave gives the turn back.
func turn(ctx context.Context, line *semaphore.Weighted) (leave func(), err error) {
	if err := line.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { line.Release(1) }, nil
}
