package blob

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openBeneath is openRegular as one system call, available since Linux 5.6; ok is false
// if it is missing or forbidden.
func openBeneath(dir, name string) (f *os.File, ok bool, err error) {
	path := filepath.Join(dir, name)
	d, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false, nil
	}
	defer unix.Close(d)
	how := &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	fd, err := unix.Openat2(d, name, how)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, true, &os.PathError{Op: "open", Path: path, Err: err}
	case err != nil: // including links, and pipes without another end
		return nil, false, nil
	}
	f = os.NewFile(uintptr(fd), path)
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, ErrIrregular)
	}
	if err != nil {
		f.Close()
		return nil, true, err
	}
	return f, true, nil
}
