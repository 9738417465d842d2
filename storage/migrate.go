package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
)

// rebuild runs fn in a write transaction in which a table can be rebuilt that
// others refer to: references between rows are checked at the end, if fn has
// changed the schema, and not with each statement.
func (s *Store) rebuild(ctx context.Context, fn func(*Tx) error) (err error) {
	leave, err := turn(ctx, s.writing)
	if err != nil {
		return err
	}
	defer leave()
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return err
	}
	defer func() {
		if _, e := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA foreign_keys = ON`); e != nil {
			// A connection that might not check references must not be used again.
			conn.Raw(func(any) error { return driver.ErrBadConn })
			err = errors.Join(err, e)
		}
	}()
	return s.in(ctx, conn, func(tx *Tx) error {
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
	})
}
