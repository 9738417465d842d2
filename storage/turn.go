package storage

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// turn waits for a connection of a pool, first come, first served: database/sql picks a
// waiter at random, which can starve others. leave passes the turn on.
func turn(ctx context.Context, line *semaphore.Weighted) (leave func(), err error) {
	if err := line.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { line.Release(1) }, nil
}
