package blob

import "golang.org/x/sys/windows"

// Space returns the bytes available to this user on the disk of a folder, and the size of
// the disk.
func Space(dir string) (free, total int64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var f, t uint64
	err = windows.GetDiskFreeSpaceEx(path, &f, &t, nil)
	return int64(f), int64(t), err
}
