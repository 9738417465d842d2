package storage_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/storage"
)

// The budget of an hour survives reopening the library, and each hour starts with a full
// one.
func TestAIRequests(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	now := time.Date(2026, 5, 1, 12, 59, 0, 0, time.UTC)
	spend := func(want bool, used int) {
		t.Helper()
		s, err := storage.Open(t.Context(), path, func() time.Time { return now })
		must(t, err)
		defer s.Close()
		must(t, s.Update(t.Context(), func(tx *storage.Tx) error {
			left, err := tx.SpendAIRequest(2)
			must(t, err)
			n, err := tx.AIRequests()
			if left != want || n != used {
				t.Errorf("at %s: %v, %d used; want %v, %d", now, left, n, want, used)
			}
			return err
		}))
	}
	spend(true, 1)
	spend(true, 2)
	spend(false, 2)
	now = now.Add(time.Minute)
	spend(true, 1)
}
