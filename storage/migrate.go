package storage

import (
	"context"
	"database/sql"
	"fmt"
)

// rebuild runs fn in a write transaction that can rebuild a table that others refer to:
// if fn changes the schema, references between rows are checked at the end and not with
// each statement.
func (s *Store) rebuild(ctx context.Context, fn func(*Tx) error) error {
	return s.withSetting(ctx, `PRAGMA foreign_keys = OFF`, `PRAGMA foreign_keys = ON`, func(conn *sql.Conn) error {
		return s.in(ctx, conn, checked(fn))
	})
}

// checked returns fn followed by a check of all references if it has changed the schema.
func checked(fn func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		before, err := one[int](tx, "", `PRAGMA user_version`)
		if err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		after, err := one[int](tx, "", `PRAGMA user_version`)
		if err != nil || after == before {
			return err
		}
		broken, err := tx.brokenReferences()
		if len(broken) > 0 {
			err = fmt.Errorf("after the migrations, %s", broken[0])
		}
		return err
	}
}
