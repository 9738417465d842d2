package engine

import "os"

// self is the file of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// emptyDir is where a worker works: where the server does.
func emptyDir() string { return "" }
