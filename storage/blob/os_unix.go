//go:build !windows

package blob

import (
	"errors"
	"os"
	"syscall"
)

// noWait prevents opening a pipe or a device from waiting for its other end.
const noWait = syscall.O_NONBLOCK

// syncDir makes changes of a folder's entries durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
