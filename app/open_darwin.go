package app

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// stampOf returns a value that changes with a file even if a program restores its size
// and mtime: its ctime. It is "" if the system does not provide it.
func stampOf(info fs.FileInfo, _ bool) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatInt(st.Ctimespec.Nano(), 10)
	}
	return ""
}

// keepsInodes returns false: stamps do not include inodes here.
func keepsInodes(*os.File) bool { return false }
