package transcode

import "syscall"

// environment is what the program sees of the server's.
func environment() []string { return []string{} }

// apart keeps the program from the signals of a terminal, and ends it with the server.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
