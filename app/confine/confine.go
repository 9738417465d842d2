// Package confine restricts processes that read untrusted files: they cannot use the
// network, start programs, or access files other than their own. On Linux the kernel
// enforces this with Landlock for files and seccomp for the rest, if available. Other
// systems have no restrictions.
package confine

import (
	"errors"
	"strings"
)

// Rules are the resources that a confined process may access, in addition to its open
// files. Missing paths are ignored.
type Rules struct {
	Read  []string `json:"read,omitempty"`  // readable files and folders with their contents, including programs
	Write []string `json:"write,omitempty"` // files and folders that may also be changed
	Start bool     `json:"start,omitempty"` // may start programs that it can read

	MaxFile   int64 `json:"max_file,omitempty"`   // size limit of written files in bytes; 0 for no limit
	MaxMemory int64 `json:"max_memory,omitempty"` // limit of data memory in bytes; 0 for no limit
}

// State is the confinement that a system supports.
type State struct {
	Files   bool // access to other files is blocked
	Network bool // the network and starting programs are blocked
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

// Argument is the command of dal that confines itself and executes another program: see
// Main.
const Argument = "confined"

var errArguments = errors.New("the arguments are rules as JSON, a program, and its arguments")
