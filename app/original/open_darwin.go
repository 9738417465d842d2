package original

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// StampOf returns a value that changes with a file even if a program restores its size
// and mtime: its ctime. It is "" if the system does not provide it.
func StampOf(info fs.FileInfo, _ bool) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatInt(st.Ctimespec.Nano(), 10)
	}
	return ""
}

// KeepsInodes returns false: stamps do not include inodes here.
func KeepsInodes(*os.File) bool { return false }
