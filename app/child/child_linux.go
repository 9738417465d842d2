package child

import (
	"os"
	"syscall"
)

// Environment is what a program sees of the server's.
func Environment() []string { return []string{} }

const lowest = 19 // see setpriority(2)

// Apart keeps a program from the signals of a terminal, and ends it with the thread that
// started it, and so with the server.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Yield gives a program that was started apart the lowest priority, with all its threads.
func Yield(p *os.Process) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, lowest) // it may have ended
}
