package cli_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// The end of usage of very many assets emits one event for each of them, however often the
// server is killed.
func TestKillUsage(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	dal(t, "", "bench", "seed", "--data", data, "--assets", "4000", "--collections", "10")
	store := records(t, data)
	db, err := sql.Open("sqlite", filepath.Join(data, "dal.db"))
	noErr(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE assets SET usage_until = ?`, time.Now().UnixMilli())
	noErr(t, err)
	var all int // excluding the trash
	noErr(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM assets WHERE deleted_at IS NULL`).Scan(&all))
	noErr(t, db.Close())
	told := func() map[string]int {
		t.Helper()
		of := map[string]int{}
		read(t, store, func(tx *storage.Tx) error {
			events, err := tx.Events(0, 1_000_000)
			for _, e := range events {
				if e.Type == dam.AssetUpdated {
					of[e.Subject]++
				}
			}
			return err
		})
		return of
	}
	tellOnce(t, data, all, told)
}
