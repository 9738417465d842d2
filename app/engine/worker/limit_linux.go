package worker

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// besides is the memory that a worker may use in addition to the engine's: for its code,
// the file and the picture.
const besides = 1 << 30

// limit makes the kernel refuse memory above a limit, which crashes the process, and
// disables core files. If the machine runs out of memory, the kernel kills workers before
// the server.
func limit(memory int64) error {
	debug.SetMemoryLimit(besides / 2)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // without /proc the server may be killed first
	most := uint64(memory + besides)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
