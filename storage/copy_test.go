package storage_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/storage"
)

// A copy is a consistent snapshot although others write between its steps, and they do
// not wait for it.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "odd %41?#name.db"))
	name := func(n int) string { return fmt.Sprintf("%064x", n) }
	fill := func(from, to int) {
		t.Helper()
		err := s.Update(t.Context(), func(tx *storage.Tx) error {
			for n := from; n < to; n++ {
				if err := tx.InsertBlob(name(n), int64(n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const before = 100_000 // three pieces
	fill(0, before)
	pieces := 0
	path := filepath.Join(dir, "copy?.db")
	err := s.Copy(t.Context(), path, func(context.Context) {
		pieces++
		fill(before*pieces, before*pieces+100)
	})
	if err != nil || pieces < 2 {
		t.Fatalf("%d pieces: %v", pieces, err)
	}
	c, err := storage.OpenCopy(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if problem, err := c.QuickCheck(t.Context()); err != nil || problem != "" {
		t.Errorf("%s %v", problem, err)
	}
	err = c.View(t.Context(), func(tx *storage.Tx) error {
		n, err := tx.CountBlobs()
		if n != before {
			t.Errorf("%d rows, want %d", n, before)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if beside, err := filepath.Glob(filepath.Join(dir, "copy*")); err != nil || len(beside) != 1 {
		t.Errorf("%q %v", beside, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Copy(ctx, filepath.Join(dir, "broken off.db"), func(context.Context) { cancel() }); err == nil {
		t.Error("a copy that is cancelled went on")
	}
	fill(2_000_000, 2_000_010) // the connections still work as before
}
