package worker

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// besides is what a worker may use besides the memory of the engine: its code, the file
// and the picture.
const besides = 1 << 30

// limit has the kernel refuse memory beyond a limit, which ends the process, and core
// files. When the machine runs out of memory, the kernel ends workers before the server.
func limit(memory int64) error {
	debug.SetMemoryLimit(besides / 2)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // without /proc the server may be ended first
	most := uint64(memory + besides)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
