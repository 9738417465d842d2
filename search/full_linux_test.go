package search_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// On a full disk, searches still answer, and the failure is logged once.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("a disk that is small enough to be filled takes root: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	var log strings.Builder
	l := shelf(50)
	e, err := search.Open(t.Context(), filepath.Join(dir, "index"), l, nil, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	indexAll(t, e)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 2<<20), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	for id := int64(1); id <= 40; id++ {
		l.put(asset(id, "renamed"))
		if r := find(t, e, dam.Query{Text: "number"}); r.Total < 10 {
			t.Errorf("%d found", r.Total)
		}
	}
	if n := strings.Count(log.String(), "write the text index"); n != 1 {
		t.Errorf("%d lines of the log:\n%s", n, log.String())
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if r := find(t, e, dam.Query{Text: "renamed"}); r.Total != 40 || r.TextLag != 0 {
		t.Errorf("with space again %d found, lag %d", r.Total, r.TextLag)
	}
}
