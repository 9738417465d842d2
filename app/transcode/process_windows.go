package transcode

import (
	"os"
	"syscall"
)

// environment is what the program sees of the server's: what Windows itself needs.
func environment() []string { return []string{"SystemRoot=" + os.Getenv("SystemRoot")} }

// apart keeps the program from the signals of a console.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
