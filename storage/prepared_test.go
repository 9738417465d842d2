package storage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A statement can run again with other values, also while its rows are being read, after
// a failure, and after a schema change.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	for i := range 3 {
		must(t, s.Update(t.Context(), func(tx *storage.Tx) error { return tx.InsertBlob(fmt.Sprintf("%064d", i), int64(i)) }))
	}
	size := func(tx *storage.Tx, i int) (n int64) {
		t.Helper()
		n, err := tx.BlobSize(fmt.Sprintf("%064d", i))
		must(t, err)
		return n
	}
	for range 2 {
		must(t, s.View(t.Context(), func(tx *storage.Tx) error {
			if a, b := size(tx, 2), size(tx, 1); a != 2 || b != 1 {
				t.Errorf("%d %d", a, b)
			}
			if _, err := tx.BlobSize("none"); dam.KindOf(err) != dam.NotFound {
				t.Error(err)
			}
			return nil
		}))
	}
	ada := func(email string) error {
		return s.Update(t.Context(), func(tx *storage.Tx) error {
			return tx.InsertUser(&dam.User{Name: "Ada", Email: email, Role: dam.RoleAdmin})
		})
	}
	must(t, ada("ada@example.com"))
	for range 2 { // the failed statement is prepared again
		if err := ada("ada@example.com"); dam.KindOf(err) != dam.Conflict {
			t.Errorf("the same address twice: %v", err)
		}
	}
	must(t, ada("ada@example.org"))
	must(t, s.Update(t.Context(), func(tx *storage.Tx) error { return tx.InsertBlob(fmt.Sprintf("%064d", 9), 9) }))
	ctx, stop := context.WithCancel(t.Context())
	err := s.View(ctx, func(tx *storage.Tx) error {
		stop()
		_, err := tx.BlobSize(fmt.Sprintf("%064d", 9))
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read: %v", err)
	}
	must(t, s.View(t.Context(), func(tx *storage.Tx) error {
		if n := size(tx, 9); n != 9 {
			t.Error(n)
		}
		return nil
	}))
}

// Cached statements follow schema changes, and their number is bounded.
func TestKeptStatementsAreBounded(t *testing.T) {
	t.Parallel()
	db, err := storage.OpenPool(filepath.Join(t.TempDir(), "x.db"))
	must(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := conn.ExecContext(t.Context(), query, args...)
		must(t, err)
	}
	exec(`CREATE TABLE n (i INTEGER); INSERT INTO n VALUES (1), (2), (3)`)
	const all = `SELECT * FROM n ORDER BY i`
	for columns := 1; columns <= 3; columns++ {
		rows, err := conn.QueryContext(t.Context(), all)
		must(t, err)
		if names, err := rows.Columns(); err != nil || len(names) != columns {
			t.Errorf("%q %v", names, err)
		}
		seen := 0
		for rows.Next() {
			again, err := conn.QueryContext(t.Context(), all) // while the rows of the first are being read
			must(t, err)
			for again.Next() {
				seen++
			}
			must(t, errors.Join(again.Err(), again.Close()))
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		if seen != 9 {
			t.Errorf("%d rows", seen)
		}
		exec(fmt.Sprintf(`ALTER TABLE n ADD COLUMN c%d`, columns))
	}
	// More statements than the cache holds also work, and the cache does not grow.
	for i := range 3 * storage.MaxPrepared {
		var n int
		must(t, conn.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %d FROM n WHERE i = ?`, i), 1+i%3).Scan(&n))
		if n != i {
			t.Fatalf("%d instead of %d", n, i)
		}
	}
	must(t, conn.Raw(func(c any) error {
		if n := storage.Prepared(c); n != storage.MaxPrepared {
			t.Errorf("%d statements are kept", n)
		}
		return nil
	}))
	// Statements that take effect when prepared, and texts of several statements, are not
	// cached.
	exec(`PRAGMA cache_size = 100`)
	exec(`PRAGMA cache_size = 200`)
	exec(`PRAGMA cache_size = 100`)
	var pages int
	must(t, conn.QueryRowContext(t.Context(), `PRAGMA cache_size`).Scan(&pages))
	if pages != 100 {
		t.Errorf("%d pages", pages)
	}
	for range 2 {
		exec(`DELETE FROM n WHERE i > 1; INSERT INTO n (i) VALUES (7)`)
	}
	var sum int
	must(t, conn.QueryRowContext(t.Context(), `SELECT sum(i) FROM n`).Scan(&sum))
	if sum != 8 {
		t.Errorf("the sum is %d", sum)
	}
}
