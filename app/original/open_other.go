//go:build !linux

package original

import (
	"io/fs"
	"os"
)

// OpenQuietly opens a file or a folder below a root for reading.
func OpenQuietly(root *os.Root, name string) (*os.File, error) { return root.Open(name) }

// DeviceOf returns "": disks are not distinguished.
func DeviceOf(fs.FileInfo) string { return "" }

// IdentityOf returns "": a folder is recognized by the files in it.
func IdentityOf(fs.FileInfo) string { return "" }
