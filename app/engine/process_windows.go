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

// environment is what a worker sees of the server's: what Windows itself needs.
func environment() []string { return []string{"SystemRoot=" + os.Getenv("SystemRoot")} }

// emptyDir is where a worker works: where the server does.
func emptyDir() string { return "" }

// apart keeps a worker from the signals of a console. It ends with the server, because
// then nothing comes any more.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
