package child

import (
	"os"
	"syscall"
)

// Environment returns the environment of a program.
func Environment() []string { return []string{} }

const lowest = 19 // see setpriority(2)

// Apart detaches a program from terminal signals. The kernel kills it with the thread that
// started it, and so with the server.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Yield gives a detached program the lowest priority, with all its threads.
func Yield(p *os.Process) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, lowest) // it may have exited
}
