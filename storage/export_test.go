package storage

import (
	"context"
	"io/fs"
)

// Migrations are the migrations of this build.
var Migrations fs.FS = migrations

// Migrate applies migrations like Open.
func (s *Store) Migrate(ctx context.Context, files fs.FS) error { return s.migrate(ctx, files) }

// MaxPrepared and OpenPool are internals of the connection pool.
const MaxPrepared = maxPrepared

var OpenPool = openPool

// Prepared returns the number of statements that a connection has cached.
func Prepared(c any) int { return len(c.(*conn).kept) }
