package blob

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// The caller can recognize a full disk, which full(4) simulates.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "full")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full: ", err)
	}
	defer f.Close()
	w := &Temp{f: f, hash: sha256.New()}
	n, err := w.Write([]byte("x"))
	if n != 0 || w.Size() != 0 || dam.KindOf(err) != dam.NoSpace || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("wrote %d, size %d, %v", n, w.Size(), err)
	}
}
