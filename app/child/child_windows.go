package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Environment returns the environment of a program: the variables that Windows itself
// needs.
func Environment() []string { return []string{"SystemRoot=" + os.Getenv("SystemRoot")} }

// Apart detaches a program from console signals. The program may outlive a killed server.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Yield gives a program the lowest priority at which it still makes progress.
func Yield(p *os.Process) {
	const belowNormal = 0x4000 // BELOW_NORMAL_PRIORITY_CLASS
	_ = p.WithHandle(func(handle uintptr) { _ = windows.SetPriorityClass(windows.Handle(handle), belowNormal) })
}
