package storage_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/storage"
)

// Each commit of any store changes the version, immediately if it is of this one. Reads
// do not.
func TestVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	one, other := open(t, path), open(t, path)
	version := func() int64 {
		t.Helper()
		v, err := one.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	rotate := func(tx *storage.Tx) error { return tx.RotateImageKey(make([]byte, 32), tx.Now()) }
	last := version()
	for name, s := range map[string]*storage.Store{"this": one, "another": other} {
		if err := s.Update(t.Context(), rotate); err != nil {
			t.Fatal(err)
		}
		now := version()
		for deadline := time.Now().Add(time.Minute); now == last && s == other && time.Now().Before(deadline); {
			now = version() // checks for other commits periodically
		}
		if now == last {
			t.Errorf("a commit of %s store left the version as it was", name)
		}
		err := s.View(t.Context(), func(tx *storage.Tx) error {
			_, err := tx.ImageKeys()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if last = version(); last != now {
			t.Errorf("reading in %s store changed the version", name)
		}
	}
}

// A server sees the commits of a command no later than the command ends.
func TestVersionOfEndedStores(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	server := open(t, path)
	for range 5 {
		before, err := server.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		command, err := storage.Open(t.Context(), path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		err = command.Update(t.Context(), func(tx *storage.Tx) error { return tx.RotateImageKey(make([]byte, 32), tx.Now()) })
		if err = errors.Join(err, command.Close()); err != nil {
			t.Fatal(err)
		}
		if after, err := server.Version(t.Context()); err != nil || after == before {
			t.Fatalf("%d after %d, %v", after, before, err)
		}
	}
}
