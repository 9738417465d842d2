//go:build !linux && !darwin

package original

import (
	"io/fs"
	"os"
)

// StampOf returns "": folder listings have no timestamp that programs cannot set.
func StampOf(fs.FileInfo, bool) string { return "" }

// KeepsInodes returns false: stamps do not include inodes here.
func KeepsInodes(*os.File) bool { return false }
