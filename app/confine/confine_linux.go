package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// denied are the system calls that a confined process does not need: for the network, for
// other processes, and for system administration. They fail with EPERM.
var denied = []string{
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
	"ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd",
	"mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "open_by_handle_at",
	"keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load", "reboot", "swapon", "swapoff",
	"settimeofday", "clock_settime", "adjtimex", "sethostname", "acct", "quotactl",
}

// starting are the system calls that start programs.
var starting = []string{"execve", "execveat"}

// Supported returns the confinement that this system supports.
func Supported() State {
	abi, err := landlocksys.LandlockGetABIVersion()
	return State{Files: err == nil && abi > 0, Network: seccomp.Supported()}
}

// Apply permanently confines this process with all its threads. It omits restrictions that
// the kernel does not support: see Supported.
func Apply(r Rules) error {
	if err := landlock.V6.BestEffort().Restrict(r.landlock()...); err != nil {
		return fmt.Errorf("confine the process to its files: %w", err)
	}
	if seccomp.Supported() {
		if err := r.seccomp(); err != nil {
			return fmt.Errorf("take system calls away: %w", err)
		}
	}
	return r.limit()
}

func (r Rules) seccomp() error {
	names := denied
	if !r.Start {
		names = append(append([]string{}, denied...), starting...)
	}
	filter := seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionErrno, Names: names}},
	}}
	return seccomp.LoadFilter(filter)
}

// limit must be last: the previous steps need memory.
func (r Rules) limit() error {
	for _, limit := range []struct {
		resource int
		most     uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, uint64(r.MaxFile)}, {unix.RLIMIT_DATA, uint64(r.MaxMemory)}} {
		if limit.most == 0 && limit.resource != unix.RLIMIT_CORE {
			continue
		}
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: limit.most, Max: limit.most}); err != nil {
			return fmt.Errorf("limit the resources of the process: %w", err)
		}
	}
	return nil
}

func (r Rules) landlock() []landlock.Rule {
	var rules []landlock.Rule
	add := func(paths []string, files, folders func(...string) landlock.FSRule) {
		for _, path := range paths {
			switch info, err := os.Stat(path); {
			case err != nil:
			case info.IsDir():
				rules = append(rules, folders(path).IgnoreIfMissing())
			default:
				rules = append(rules, files(path).IgnoreIfMissing())
			}
		}
	}
	add(r.Read, landlock.ROFiles, landlock.RODirs)
	add(r.Write, landlock.RWFiles, landlock.RWDirs)
	return rules
}

// Command returns a command that starts a program confined. The executable of this process
// must call Main for Argument.
func Command(ctx context.Context, r Rules, program string, arguments ...string) (*exec.Cmd, error) {
	r.Start = true
	rules, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, "/proc/self/exe", append([]string{Argument, string(rules), program}, arguments...)...), nil
}

// Main confines this process and executes another program. arguments are those after
// Argument.
func Main(arguments []string) error {
	if len(arguments) < 2 {
		return errArguments
	}
	var r Rules
	if err := json.Unmarshal([]byte(arguments[0]), &r); err != nil {
		return errors.Join(errArguments, err)
	}
	if err := Apply(r); err != nil {
		return err
	}
	if err := syscall.Exec(arguments[1], arguments[1:], os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", arguments[1], err)
	}
	return nil
}
