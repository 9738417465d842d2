//go:build !linux

package web_test

import (
	"io/fs"
	"os"
	"runtime"
)

// accessed returns "" where reading cannot leave the access time unchanged.
func accessed(fs.FileInfo) string { return "" }

func readQuietly(path string) ([]byte, error) { return os.ReadFile(path) }

// stamps reports whether files have a ctime.
const stamps = runtime.GOOS == "darwin"
