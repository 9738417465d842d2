package storage_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/digital-asset-library/dal/storage"
)

// oldLibrary opens the migrated database of a real library of an older dal, with a
// separate connection to it.
func oldLibrary(t *testing.T) (*storage.Store, *sql.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dal.db")
	unpack(t, "../testdata/libraries/schema-8.db.gz", path)
	s := open(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return s, db
}

// texts returns the single column of a query.
func texts(t *testing.T, db *sql.DB, query string, args ...any) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	return list
}

// The migration in migrations/README.md adds a value to an enumeration of a real library,
// and changes nothing else: no row, no index, no reference, no id.
func TestExampleMigration(t *testing.T) {
	t.Parallel()
	s, db := oldLibrary(t)
	const ids = `SELECT seq FROM sqlite_sequence WHERE name = 'upload_batches'`
	const addPaused = `UPDATE upload_batches SET status = 'paused'`
	exec := func(query string) error { _, err := db.ExecContext(t.Context(), query); return err }
	if err := exec(`UPDATE sqlite_sequence SET seq = 41 WHERE name = 'upload_batches'`); err != nil {
		t.Fatal(err)
	}
	if err := exec(addPaused); err == nil || !strings.Contains(err.Error(), "CHECK") {
		t.Fatalf("before the migration: %v", err)
	}
	look := func() (schema, rows []string) {
		schema = texts(t, db, `SELECT coalesce(sql, name) FROM sqlite_schema WHERE name <> 'upload_batches' ORDER BY name`)
		for _, table := range []string{"upload_batches", "batch_files", "assets"} {
			rows = append(rows, texts(t, db, `SELECT json_array(id, created_at, updated_at) FROM `+table)...)
		}
		return schema, append(rows, texts(t, db, ids)...)
	}
	schema, rows := look()
	if len(rows) < 14 {
		t.Fatalf("the library has only %d rows", len(rows))
	}

	if err := s.Migrate(t.Context(), withMigration(t, example(t))); err != nil {
		t.Fatal(err)
	}
	newSchema, newRows := look()
	if !slices.Equal(newSchema, schema) {
		t.Errorf("the schema was\n%s\nand is\n%s", strings.Join(schema, "\n"), strings.Join(newSchema, "\n"))
	}
	if !slices.Equal(newRows, rows) {
		t.Errorf("the rows were %v and are %v", rows, newRows)
	}
	if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	if err := exec(addPaused); err != nil {
		t.Errorf("after the migration: %v", err)
	}
	if err := exec(`UPDATE upload_batches SET status = 'sleeping'`); err == nil {
		t.Error("a word of no set was accepted")
	}
}

// A migration that would leave a dangling reference is rolled back.
func TestMigrationKeepsReferences(t *testing.T) {
	t.Parallel()
	s, db := oldLibrary(t)
	err := s.Migrate(t.Context(), withMigration(t, `DELETE FROM upload_batches`))
	if err == nil || !strings.Contains(err.Error(), "refers to a row of upload_batches that is not there") {
		t.Errorf("%v", err)
	}
	if n := texts(t, db, `SELECT count(*) FROM upload_batches`); n[0] == "0" {
		t.Error("the upload batches are gone")
	}
}

// example returns the SQL in migrations/README.md.
func example(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("migrations/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "```sql\n")
	text, _, ok := strings.Cut(text, "```")
	if !ok {
		t.Fatal("there is no SQL in README.md")
	}
	return text
}

// withMigration returns all migrations and one more.
func withMigration(t *testing.T, text string) fs.FS {
	t.Helper()
	files := fstest.MapFS{"migrations/9999_example.sql": {Data: []byte(text)}}
	names, err := fs.Glob(storage.Migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(storage.Migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	return files
}
