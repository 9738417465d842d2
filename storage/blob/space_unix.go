//go:build linux || darwin || freebsd

package blob

import "golang.org/x/sys/unix"

// Space returns the bytes available to this user on the disk of a folder, and the size of
// the disk.
func Space(dir string) (free, total int64, err error) {
	var st unix.Statfs_t
	for {
		if err = unix.Statfs(dir, &st); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return 0, 0, err
	}
	return max(0, int64(st.Bavail)) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), nil
}
