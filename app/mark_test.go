package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// A database that a recovery has advanced to the identity of the files can be
// opened after a kill at that moment: its log is recognized as its own.
func TestMarkLeaps(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "lib")
	cfg := DefaultConfig()
	cfg.DataDir, cfg.Log = dir, slog.New(slog.DiscardHandler)
	open := func(access library.Access) *App {
		t.Helper()
		cfg.Access = access
		a, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open(library.AccessMake)
	if err := a.upkeep.Marker.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, err := blob.ReadMark(filepath.Join(dir, library.BlobsDir))
	if err == nil {
		m.Change += 50 // the database is older
		err = a.originals.Blobs.WriteMark(m)
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	a = open(library.AccessRecover)
	defer a.Close()
	if err := a.upkeep.Marker.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	killed := t.TempDir() // state after a kill
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := storage.CheckLog(t.Context(), filepath.Join(killed, library.RecordsFile)); err != nil {
		t.Error(err)
	}
	if f, err := library.Examine(t.Context(), killed); err != nil || f.Unfit != nil {
		t.Errorf("%v, %v", f.Unfit, err)
	}
}
