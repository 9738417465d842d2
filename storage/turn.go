package storage

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// turn waits for one's turn at the connections of a pool, first come first
// served: database/sql picks among those who wait at random, which leaves some
// of many behind for long. leave gives the turn back.
func turn(ctx context.Context, line *semaphore.Weighted) (leave func(), err error) {
	if err := line.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { line.Release(1) }, nil
}
