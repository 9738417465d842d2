package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// An import that is killed repeatedly is resumed by the same command, and applies no row
// twice.
func TestKillMetadataImport(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	dal(t, "", "bench", "seed", "--data", data, "--assets", "600", "--collections", "10")
	store := records(t, data)
	before := versions(t, store)
	var table strings.Builder
	table.WriteString("gaid,title\n")
	read(t, store, func(tx *storage.Tx) error {
		all, err := tx.AssetsByID(keysOf(before))
		for _, a := range all {
			if a.DeletedAt != nil {
				delete(before, a.ID)
				continue
			}
			fmt.Fprintf(&table, "%s,Imported %d\n", a.GAID, a.ID)
		}
		return err
	})
	file := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(file, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	done := func() (n int) {
		read(t, store, func(tx *storage.Tx) error {
			ops, _, err := tx.Operations(dam.OperationFilter{}, dam.Page{Limit: 10})
			for _, op := range ops {
				n += op.Done
			}
			return err
		})
		return n
	}
	args := []string{"metadata", "import", file, "--user", "bench@example.com", "--data", data}
	interrupted, last := 0, 0
	for range 2 {
		cmd := exec.Command("dal", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		deadline, tick := time.After(2*time.Minute), time.NewTicker(2*time.Millisecond)
		for done() <= last && last < len(before) {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatal("the import does not begin")
			}
		}
		tick.Stop()
		cmd.Process.Kill()
		cmd.Wait()
		if last = done(); last < len(before) {
			interrupted++
		}
	}
	if interrupted == 0 {
		t.Fatal("no kill was in the middle")
	}
	dal(t, "", args...)
	if n := done(); n != len(before) {
		t.Errorf("%d of %d rows are done", n, len(before))
	}
	after := versions(t, store)
	for id, v := range before {
		if after[id] != v+1 {
			t.Errorf("asset %d was changed %d times", id, after[id]-v)
		}
	}
	read(t, store, func(tx *storage.Tx) error {
		events, err := tx.Events(0, 1_000_000)
		updated := map[string]int{}
		for _, e := range events {
			if e.Type == dam.AssetUpdated {
				updated[e.Subject]++
			}
		}
		for gaid, n := range updated {
			if n != 1 {
				t.Errorf("asset %s has %d events", gaid, n)
			}
		}
		ops, total, err2 := tx.Operations(dam.OperationFilter{}, dam.Page{Limit: 10})
		if err2 != nil || total != 1 || ops[0].State != dam.OperationDone || len(updated) != len(before) {
			t.Errorf("%d operations, %d assets with events, %v", total, len(updated), err2)
		}
		return err
	})
	t.Logf("%d of 2 kills were in the middle of %d rows", interrupted, len(before))
}

func keysOf(m map[int64]int64) (keys []int64) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
