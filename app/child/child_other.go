//go:build !linux && !windows

package child

import "syscall"

// Environment is what a program sees of the server's.
func Environment() []string { return []string{} }

// Apart keeps a program from the signals of a terminal. It may outlive a server that
// is killed.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
