//go:build !linux

package web_test

import (
	"io/fs"
	"os"
	"runtime"
)

// accessed is nothing where the system is not kept from noting it.
func accessed(fs.FileInfo) string { return "" }

func readQuietly(path string) ([]byte, error) { return os.ReadFile(path) }

// stamps says that files have a ctime.
const stamps = runtime.GOOS == "darwin"
