package storage_test

import (
	"compress/gzip"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// After the migration from one column per parameter, saved searches keep all their
// parameters, byte for byte, and their ids are not reused.
func TestSavedSearchesOfOlderLibrary(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	unpack(t, "../testdata/libraries/schema-8.db.gz", path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO saved_searches (id, user_id, name, name_key, q, filters, sort_by, sort_direction, asset_class_id, mime_type,
		batch_id, trashed, created_at, updated_at) SELECT ?, min(id), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1000, 2000 FROM users`
	const filters = `{"type":"filter","field":"asset.title","operator":"contains","value":"<é>\n\u00e9 \"x\" 1e3"}`
	for _, row := range [][]any{
		{3, "All", "all", "harbour \"dawn\" 'x'", filters, "title", "asc", 7, "image/", 9, "only"},
		{4, "None", "none", "", "", "", "", 0, "", 0, ""},
		{8, "Gone", "gone", "", "", "", "", 0, "", 0, ""},
	} {
		if _, err := db.Exec(insert, row...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(`DELETE FROM saved_searches WHERE id = 8`); err != nil {
		t.Fatal(err)
	}
	var user int64
	if err := db.QueryRow(`SELECT min(id) FROM users`).Scan(&user); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	err = s.Update(t.Context(), func(tx *storage.Tx) error {
		list, total, err := tx.SavedSearches(user, dam.Page{Limit: 10})
		if err != nil || total != 2 {
			t.Fatalf("%d saved searches, %v", total, err)
		}
		all := dam.QueryParams{
			Q: "harbour \"dawn\" 'x'", Filters: filters, SortBy: dam.SortTitle, SortDirection: dam.Ascending,
			AssetClassID: 7, MIMEType: "image/", BatchID: 9, Trashed: dam.TrashedOnly,
		}
		if !reflect.DeepEqual(list[0].Query, all) || list[0].Name != "All" || list[0].UpdatedAt.UnixMilli() != 2000 {
			t.Errorf("%+v, want %+v", list[0], all)
		}
		if !reflect.DeepEqual(list[1].Query, dam.QueryParams{}) {
			t.Errorf("%+v, want nothing", list[1])
		}
		next := &dam.SavedSearch{UserID: user, Name: "Next", Query: all}
		if err := tx.InsertSavedSearch(next); err != nil {
			return err
		}
		got, err := tx.SavedSearch(user, next.ID)
		if err == nil && (!reflect.DeepEqual(got.Query, all) || got.ID != 9) {
			t.Errorf("%+v, want %+v with the id 9", got, all)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// unpack decompresses a file to another.
func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
