// Package confine takes rights away from processes that read untrusted files: they reach no network, start no
// programs and see no files but their own. On Linux the kernel sees to that, with Landlock for files and seccomp for
// the rest, where it has them. Elsewhere nothing is taken away.
package confine

import (
	"errors"
	"strings"
)

// Rules are what a confined process may still reach, besides what it has open. Paths that do not exist are left out.
type Rules struct {
	Read  []string `json:"read,omitempty"`  // files and folders with all that is in them, programs too
	Write []string `json:"write,omitempty"` // files and folders that it may also change
	Start bool     `json:"start,omitempty"` // whether it may start programs that it may read

	MaxFile   int64 `json:"max_file,omitempty"`   // bytes of a file that it writes; 0 for no limit
	MaxMemory int64 `json:"max_memory,omitempty"` // bytes of data; 0 for no limit
}

// State says which confinement a system has.
type State struct {
	Files   bool // whether a process sees its own files only
	Network bool // whether it reaches no network and starts no programs
}

// String describes the state for people.
func (s State) String() string {
	var without []string
	if !s.Files {
		without = append(without, "they could read other files, since the kernel has no Landlock")
	}
	if !s.Network {
		without = append(without, "they could use the network, since the kernel has no seccomp")
	}
	if len(without) == 0 {
		return "they have their own files only and no network"
	}
	return strings.Join(without, "; ")
}

// Argument is the command of dal that confines itself and becomes another program: see Main.
const Argument = "confined"

var errArguments = errors.New("the arguments are rules as JSON, a program, and its arguments")
