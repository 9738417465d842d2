//go:build !linux

package confine

import (
	"context"
	"os/exec"
)

// Supported returns the confinement that this system supports.
func Supported() State { return State{} }

// Apply does nothing on this system.
func Apply(Rules) error { return nil }

// Command returns a command that starts a program without confinement.
func Command(ctx context.Context, _ Rules, program string, arguments ...string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, program, arguments...), nil
}

// Main is not used on this system.
func Main([]string) error { return errArguments }
