package engine

import (
	"fmt"
	"os"
)

// resident returns the resident memory of a process in bytes; 0 if unknown.
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
