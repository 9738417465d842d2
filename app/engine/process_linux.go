package engine

import "syscall"

// self is this program, even if its file was replaced by a newer one.
func self() string { return "/proc/self/exe" }

// environment is what a worker sees of the server's.
func environment() []string { return []string{} }

// emptyDir is where a worker works.
func emptyDir() string { return "/" }

// apart keeps a worker from the signals of a terminal, and ends it with the server.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
