package blob

import (
	"errors"
	"syscall"
)

// noWait is not needed: folders do not contain named pipes.
const noWait = 0

// syncDir does nothing: Windows has no call for it, and NTFS journals folder changes.
func syncDir(string) error { return nil }

func isFull(err error) bool {
	const errorHandleDiskFull, errorDiskFull = syscall.Errno(39), syscall.Errno(112)
	return errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskFull)
}
