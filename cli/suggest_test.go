package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestSuggestions checks what dal suggests for a command that it does not have.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ typed, suggests string }{
		{"serv", "did you mean serve or user?"},       // typos
		{"upload", "did you mean import?"},            // another program's name
		{"Upload", "did you mean import?"},            // in any case
		{"fsck", "did you mean check?"},               //
		{"licence", "did you mean licenses?"},         // both a typo and another name
		{"create", "token create"},                    // a subcommand
		{"swagger", "did you mean openapi?"},          //
		{"frobnicate", "dal help lists the commands"}, // nothing is like it
		{"folder", "did you mean root?"},              //
		{"erase", "did you mean erase-person?"},       // its beginning
	} {
		err := noCommand(newRoot(), []string{tt.typed})
		if err == nil || !strings.HasSuffix(err.Error(), tt.suggests) && !strings.Contains(err.Error(), tt.suggests) {
			t.Errorf("%s: %v, want %s", tt.typed, err, tt.suggests)
		}
	}
}

// TestOtherNames checks that every name of another program leads to one command that exists.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	var commands []string
	for _, c := range newRoot().Commands() {
		commands = append(commands, c.Name())
	}
	of := map[string]string{}
	for command, names := range otherNames() {
		if !slices.Contains(commands, command) {
			t.Errorf("there is no command %s", command)
		}
		for _, name := range names {
			if other := of[name]; other != "" {
				t.Errorf("%s leads to both %s and %s", name, other, command)
			}
			of[name] = command
			if slices.Contains(commands, name) {
				t.Errorf("%s is a command, so it never leads to %s", name, command)
			}
			err := noCommand(newRoot(), []string{name})
			if err == nil || !strings.Contains(err.Error(), command) {
				t.Errorf("%s: %v, want %s", name, err, command)
			}
		}
	}
}
