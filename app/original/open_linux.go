package original

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

// OpenQuietly opens a file or folder below a root for reading, without waiting for the
// other end of a pipe and, where permitted, without updating the access time.
func OpenQuietly(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOATIME, 0)
	if errors.Is(err, fs.ErrPermission) { // owned by another user
		f, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	return f, err
}

// DeviceOf identifies the disk of a file, "" if unknown.
func DeviceOf(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev)
	}
	return ""
}

// IdentityOf distinguishes a folder from others that were or are at the same path, "" if
// unknown.
func IdentityOf(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	}
	return ""
}

// StampOf returns a value that changes with a file even if a program restores its size and
// mtime: its ctime and, with inodes, its inode. It is "" if the system provides neither.
func StampOf(info fs.FileInfo, inodes bool) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return ""
	case inodes:
		return strconv.FormatInt(st.Ctim.Nano(), 10) + ":" + strconv.FormatUint(st.Ino, 10)
	}
	return strconv.FormatInt(st.Ctim.Nano(), 10)
}

// KeepsInodes reports whether inodes on the file system of a file or folder are stable
// across mounts.
func KeepsInodes(f *os.File) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return false
	}
	return !slices.Contains([]int64{unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC}, int64(uint32(st.Type)))
}
