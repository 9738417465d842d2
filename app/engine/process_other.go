//go:build !linux && !windows

package engine

import (
	"os"
	"syscall"
)

// self is the file of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// environment is what a worker sees of the server's.
func environment() []string { return []string{} }

// emptyDir is where a worker works.
func emptyDir() string { return "/" }

// apart keeps a worker from the signals of a terminal. It ends with the server, because
// then nothing comes any more.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
