//go:build !linux

package confine

import (
	"context"
	"os/exec"
)

// Supported returns what this system can confine.
func Supported() State { return State{} }

// Apply does nothing here.
func Apply(Rules) error { return nil }

// Command returns a command that starts a program, which is not confined here.
func Command(ctx context.Context, _ Rules, program string, arguments ...string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, program, arguments...), nil
}

// Main is not used here.
func Main([]string) error { return errArguments }
