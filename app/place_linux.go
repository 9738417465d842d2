package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
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
