//go:build !linux && !windows

package transcode

import "syscall"

// environment is what the program sees of the server's.
func environment() []string { return []string{} }

// apart keeps the program from the signals of a terminal.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
