//go:build !linux && !darwin

package app

import (
	"io/fs"
	"os"
)

// stampOf returns "": a listing of a folder has no time that programs cannot set.
func stampOf(fs.FileInfo, bool) string { return "" }

// keepsInodes reports false: stamps do without inodes here.
func keepsInodes(*os.File) bool { return false }
