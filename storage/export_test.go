package storage

import (
	"context"
	"io/fs"
)

// Migrations are the migrations of this build.
var Migrations fs.FS = migrations

// Migrate applies migrations as Open does.
func (s *Store) Migrate(ctx context.Context, files fs.FS) error { return s.migrate(ctx, files) }

// MaxPrepared and OpenPool are those of all databases.
const MaxPrepared = maxPrepared

var OpenPool = openPool

// Prepared returns how many statements a connection keeps.
func Prepared(c any) int { return len(c.(*conn).kept) }
