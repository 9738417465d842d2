package child

import (
	"os"
	"syscall"
)

// Environment is what a program sees of the server's: what Windows itself needs.
func Environment() []string { return []string{"SystemRoot=" + os.Getenv("SystemRoot")} }

// Apart keeps a program from the signals of a console. It may outlive a server that is
// killed.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
