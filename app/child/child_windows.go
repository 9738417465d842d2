package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Environment is what a program sees of the server's: what Windows itself needs.
func Environment() []string { return []string{"SystemRoot=" + os.Getenv("SystemRoot")} }

// Apart keeps a program from the signals of a console. It may outlive a server that is
// killed.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Yield gives a program the lowest priority at which it still gets on.
func Yield(p *os.Process) {
	const belowNormal = 0x4000 // BELOW_NORMAL_PRIORITY_CLASS
	_ = p.WithHandle(func(handle uintptr) { _ = windows.SetPriorityClass(windows.Handle(handle), belowNormal) })
}
