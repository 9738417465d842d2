//go:build !linux

package app

import (
	"io/fs"
	"os"
)

// openQuietly opens a file or a folder below a root for reading.
func openQuietly(root *os.Root, name string) (*os.File, error) { return root.Open(name) }

// deviceOf says nothing: folders on other disks are not told apart.
func deviceOf(fs.FileInfo) string { return "" }

// identityOf says nothing: a folder is known by the files in it.
func identityOf(fs.FileInfo) string { return "" }
