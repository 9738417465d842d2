package backup_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/backup"
)

// mount mounts a small disk, which requires root.
func mount(t *testing.T, dir, options string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Skip("a disk cannot be mounted here:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// A full, read-only or missing disk results in a clear error and leaves existing files
// unchanged.
func TestDisks(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one", "two")
	disk := t.TempDir()
	mount(t, disk, "size=4m", 0)
	target := filepath.Join(disk, "target")
	l.back(t, target, backup.Options{})
	large := make([]byte, 5<<20)
	rand.Read(large)
	l.add(t, string(large))
	again := func() error {
		tg, err := l.open(target, noon)
		if err != nil {
			return err
		}
		source := backup.Source{Library: backup.Library{ID: l.id, Dir: l.dir}, Records: l.records, Blobs: l.blobs}
		_, err = tg.Write(t.Context(), source, backup.Options{Now: noon.Add(time.Hour)})
		return errors.Join(err, tg.Close())
	}
	good := func(what string) {
		t.Helper()
		files, problems, err := restore(t, target, "", filepath.Join(t.TempDir(), "new"))
		if err != nil || problems != nil {
			t.Fatalf("%s: %v %v", what, problems, err)
		}
		wantFiles(t, files, "one", "two")
		if left, err := os.ReadDir(filepath.Join(target, "tmp")); err != nil || len(left) > 1 {
			t.Errorf("%s: %v %v", what, left, err)
		}
	}
	if err := again(); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("a full disk: %v", err)
	}
	good("a full disk")
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := again(); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("a disk that cannot be written: %v", err)
	}
	good("a disk that cannot be written")
	if err := os.Remove(filepath.Join(target, "lock")); err == nil {
		t.Error("the disk can be written")
	}
	if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Create(target, backup.Library{ID: l.id, Dir: l.dir}, true, noon); !errors.Is(err, backup.ErrGone) {
		t.Errorf("a disk that is gone: %v", err)
	}
}
