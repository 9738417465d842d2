//go:build !linux

package app

import (
	"io/fs"
	"os"
)

// openQuietly opens a file or a folder below a root for reading.
func openQuietly(root *os.Root, name string) (*os.File, error) { return root.Open(name) }

// deviceOf returns "": disks are not distinguished.
func deviceOf(fs.FileInfo) string { return "" }

// identityOf returns "": a folder is recognized by the files in it.
func identityOf(fs.FileInfo) string { return "" }
