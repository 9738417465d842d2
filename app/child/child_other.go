//go:build !linux && !windows

package child

import (
	"os"
	"syscall"
)

// Environment returns the environment of a program.
func Environment() []string { return []string{} }

const lowest = 20 // see setpriority(2)

// Apart detaches a program from terminal signals. The program may outlive a killed server.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Yield gives a detached program the lowest priority.
func Yield(p *os.Process) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, p.Pid, lowest) // it may have exited
}
