package storage_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

func open(t *testing.T, path string) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A database of a newer dal is refused, and not changed.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "odd %41?#name.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(filepath.Dir(path), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`PRAGMA user_version = 999`); err != nil {
		t.Fatal(err)
	}
	_, err = storage.Open(t.Context(), filepath.Join(filepath.Dir(path), "x.db"), time.Now)
	if !errors.Is(err, storage.ErrNewerSchema) {
		t.Errorf("%v", err)
	}
}

// Many concurrent writers and readers of two stores, which act as two processes, never
// see a busy database.
func TestContention(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	stores := []*storage.Store{open(t, path), open(t, path)}
	var work sync.WaitGroup
	for g := range 10 {
		s := stores[g%2]
		work.Go(func() {
			for i := range 20 {
				update := s.Update
				if i%2 == 0 {
					update = s.Note
				}
				if err := update(t.Context(), func(tx *storage.Tx) error { return tx.Enqueue("k", 1, 1) }); err != nil {
					t.Error(err)
				}
				if err := s.View(t.Context(), func(tx *storage.Tx) error { _, err := tx.CountJobs(); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if err := stores[0].View(t.Context(), func(tx *storage.Tx) error {
		n, err := tx.CountJobs()
		if n["k"][dam.JobReady] != 200 {
			t.Errorf("%v", n)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if problems, err := stores[0].Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestViewCannotWrite(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	if err := s.View(t.Context(), func(tx *storage.Tx) error { return tx.Enqueue("k", 1, 1) }); err == nil {
		t.Error("a view wrote")
	}
	called := false
	failed := errors.New("no")
	if err := s.Update(t.Context(), func(tx *storage.Tx) error {
		tx.OnCommit(func() { called = true })
		return failed
	}); !errors.Is(err, failed) || called {
		t.Errorf("%v, called %v", err, called)
	}
}
