package cli_test

import (
	"database/sql"
	"testing"

	_ "modernc.org/sqlite"
)

// sqlite changes a database behind dal's back.
func sqlite(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noErr(t, err)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// assets counts the assets in a database.
func assets(t testing.TB, path string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noErr(t, err)
	defer db.Close()
	noErr(t, db.QueryRow(`SELECT count(*) FROM assets`).Scan(&n))
	return n
}

// query returns the one value of a query.
func query(t testing.TB, path, q string) (v string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noErr(t, err)
	defer db.Close()
	noErr(t, db.QueryRow(q).Scan(&v))
	return v
}
