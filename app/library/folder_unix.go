//go:build !windows

package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// MayWrite explains in plain words why this process cannot, or should not, write to
// the data folder or, if that does not exist, to its future location.
func MayWrite(dir string, allowRoot bool) error {
	top, err := nearest(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	paths := []string{top}
	if top == dir {
		names := []string{RecordsFile, RecordsFile + "-wal", RecordsFile + "-shm", BlobsDir, CacheDir, ExportsDir, IndexDir, EnginesDir}
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		if err := mayWriteTo(path, info, allowRoot); err != nil {
			return err
		}
	}
	return nil
}

func mayWriteTo(path string, info os.FileInfo, allowRoot bool) error {
	me, owner := os.Geteuid(), -1
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(st.Uid)
	}
	want := uint32(unix.W_OK)
	if info.IsDir() {
		want |= unix.R_OK | unix.X_OK
	}
	err := unix.Faccessat(unix.AT_FDCWD, path, want, unix.AT_EACCESS)
	switch {
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("%s is on a disk that is mounted read-only: nothing can be written there", path)
	case me == 0 && owner > 0 && !allowRoot:
		return fmt.Errorf("you are root, and %s belongs to %s, who could not use files that root creates: "+
			"run dal as %[2]s, or use --allow-root", path, userName(owner))
	case err == nil && (info.IsDir() || me == 0 || owner == me || owner < 0):
		return nil
	case owner != me:
		return fmt.Errorf("%s belongs to %s, and dal runs as %s: run dal as %[2]s, or give the whole folder to %[3]s (chown -R)",
			path, userName(owner), userName(me))
	case err != nil && !errors.Is(err, unix.EACCES):
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s cannot be written by its owner, %s: its mode is %#o", path, userName(owner), info.Mode().Perm())
}

// nearest returns a folder, or its nearest ancestor that exists.
func nearest(dir string) (string, error) {
	for {
		_, err := os.Stat(dir)
		if up := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && up != dir {
			dir = up
			continue
		}
		return dir, err
	}
}

// userName returns a user's name, or "user 1000" for a user without a name.
func userName(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("user %d", id)
}
