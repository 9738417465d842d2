package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// openQuietly opens a file or a folder below a root for reading, without waiting for
// the other end of a pipe and, where the system allows it, without noting when it
// was read.
func openQuietly(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOATIME, 0)
	if errors.Is(err, fs.ErrPermission) { // it belongs to somebody else
		f, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	return f, err
}

// deviceOf names the disk that has a file, "" if the system does not say.
func deviceOf(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev)
	}
	return ""
}

// identityOf tells a folder from others that were, or are, in the same place, "" if
// the system does not say.
func identityOf(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	}
	return ""
}

// stampOf returns what changes with a file even if a program restores its size and mtime:
// its ctime and, with inodes, its inode. It is "" if the system has neither.
func stampOf(info fs.FileInfo, inodes bool) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return ""
	case inodes:
		return strconv.FormatInt(st.Ctim.Nano(), 10) + ":" + strconv.FormatUint(st.Ino, 10)
	}
	return strconv.FormatInt(st.Ctim.Nano(), 10)
}

// keepsInodes reports whether the file system of a file or folder keeps the inodes of files
// when it is mounted again.
func keepsInodes(f *os.File) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return false
	}
	return !slices.Contains([]int64{unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC}, int64(uint32(st.Type)))
}
