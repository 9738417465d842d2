//go:build !linux && !windows

package child

import (
	"os"
	"syscall"
)

// Environment is what a program sees of the server's.
func Environment() []string { return []string{} }

const lowest = 20 // see setpriority(2)

// Apart keeps a program from the signals of a terminal. It may outlive a server that
// is killed.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Yield gives a program that was started apart the lowest priority.
func Yield(p *os.Process) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, lowest) // it may have ended
}
