//go:build !linux && !windows

package engine

import "os"

// self returns the path of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// emptyDir returns the working directory of a worker.
func emptyDir() string { return "/" }
