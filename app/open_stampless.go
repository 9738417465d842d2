//go:build !linux && !darwin

package app

import (
	"io/fs"
	"os"
)

// stampOf returns "": folder listings have no timestamp that programs cannot set.
func stampOf(fs.FileInfo, bool) string { return "" }

// keepsInodes returns false: stamps do not include inodes here.
func keepsInodes(*os.File) bool { return false }
