package engine

import (
	"fmt"
	"os"
)

// resident is how much memory a process has, in bytes; 0 if that is not known.
func resident(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var all, pages int64
	if _, err := fmt.Sscan(string(data), &all, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
