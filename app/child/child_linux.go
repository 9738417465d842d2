package child

import "syscall"

// Environment is what a program sees of the server's.
func Environment() []string { return []string{} }

// Apart keeps a program from the signals of a terminal, and ends it with the thread that
// started it, and so with the server.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
