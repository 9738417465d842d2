package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Usage errors cause exit code 2 and a one-line message, for every command.
func TestWrongUse(t *testing.T) {
	t.Setenv("DAL_DATA", filepath.Join(t.TempDir(), "none"))
	refused := func(want string, args ...string) {
		t.Helper()
		code, stderr := use(t, args...)
		if code != exitUsage || !strings.HasPrefix(stderr, "dal: ") || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("dal %s: exit %d, %s", strings.Join(args, " "), code, stderr)
		}
	}
	for _, cmd := range ourCommands(newRoot()) {
		if cmd.DisableFlagParsing { // the arguments are for another program
			continue
		}
		path, args := strings.Fields(cmd.CommandPath())[1:], argsOf(cmd)
		refused("unknown flag: --nope", append(path, "--nope")...)
		if cmd.HasSubCommands() && len(args) == 0 {
			refused(`unknown command "nope"`, append(path, "nope")...)
			continue
		}
		refused(`unexpected argument "more"`, slices.Concat(path, args, []string{"more"})...)
		if len(args) > 0 {
			refused(" is missing; see ", append(path, args[:len(args)-1]...)...)
		}
		required := false
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, ok := f.Annotations[cobra.BashCompOneRequiredFlag]
			required = required || ok
		})
		if required {
			refused(" required", slices.Concat(path, args)...)
		}
	}
	eachFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		path := slices.Concat(strings.Fields(cmd.CommandPath())[1:], argsOf(cmd))
		switch v := f.Value.(type) {
		case *switchValue:
			refused("--"+f.Name+` must be true or false, not "maybe"`, append(path, "--"+f.Name+"=maybe")...)
		case *choiceValue:
			refused("--"+f.Name+" must be "+inWords(v.options, "or")+`, not "nonsense"`, append(path, "--"+f.Name, "nonsense")...)
		case *boundedValue:
			refused("--"+f.Name+" must be "+v.unit.such+`, not "nonsense"`, append(path, "--"+f.Name, "nonsense")...)
		}
	})
	refused("there is no such command", "help", "nope")
	refused("ROLE must be admin, editor or viewer", "user", "set-role", "ada@example.com", "king")
	refused("ID must be a number", "token", "revoke", "first")
	refused("--ability or --all-abilities is required", "token", "create", "--user", "ada@example.com", "--name", "n")
	refused("--listen must be an address", "health", "--listen", "nowhere")
}

// Each command has a description and an example. No help text is wider than a terminal.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, cmd := range ourCommands(newRoot()) {
		path := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || strings.Contains(cmd.Short, "\n") {
			t.Errorf("%s: the short help is %q", path, cmd.Short)
		}
		if cmd.Runnable() && !cmd.HasSubCommands() && cmd.Example == "" && !hidden(cmd) {
			t.Errorf("%s has no example", path)
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len([]rune(line)) > 100 {
				t.Errorf("%s: a line is too long: %s", path, line)
			}
		}
		for line := range strings.Lines(cmd.Example) {
			checkExample(t, path, strings.TrimSpace(line))
		}
	}
}

// checkExample reports a line of an example that does not parse.
func checkExample(t *testing.T, path, line string) {
	t.Helper()
	command, _, _ := strings.Cut(line, "   ") // a comment
	words := splitWords(command)
	if len(words) == 0 || words[0] != "dal" {
		t.Errorf("%s: the example %q does not begin with dal", path, line)
		return
	}
	if i := slices.IndexFunc(words, func(w string) bool { return w == ">" || w == "<" || w == "|" }); i > 0 {
		words = words[:i]
	}
	cmd, args, err := newRoot().Find(words[1:])
	if err == nil {
		err = cmd.ParseFlags(args)
	}
	if err == nil && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err == nil {
		err = checkRequired(cmd)
	}
	if err != nil {
		t.Errorf("%s: the example %q: %v", path, line, err)
	}
}

// splitWords splits a command line that may contain double quotes, but no other ones.
func splitWords(line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// hidden reports whether a command is hidden from the lists of commands.
func hidden(cmd *cobra.Command) bool {
	return cmd.Hidden || cmd.HasParent() && hidden(cmd.Parent())
}

// Every command that lists or reports something can do so as JSON.
func TestJSONFlags(t *testing.T) {
	t.Parallel()
	without := []string{ // their output is meant for a single consumer
		"dal", "dal serve", "dal openapi", "dal reindex", "dal metadata export", "dal user set-role", "dal user set-password",
		"dal user disable", "dal token revoke", "dal root forget", "dal bench seed",
		"dal terms show", "dal terms clear",
		"dal worker", "dal confined",
	}
	for _, cmd := range ourCommands(newRoot()) {
		if cmd.HasSubCommands() && cmd.Name() != "backup" {
			continue
		}
		if has := cmd.Flags().Lookup("json") != nil; has == slices.Contains(without, cmd.CommandPath()) {
			t.Errorf("%s has --json: %v", cmd.CommandPath(), has)
		}
	}
}

// Completion offers the values of flags and arguments.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args, want string // the words and the directive of cobra
	}{
		{"user create --role", "admin editor viewer :4"},
		{"user set-role ada@example.com", "admin editor viewer :4"},
		{"token create --ability", strings.Join(abilities(), " ") + " :4"},
		{"serve --log-format", "text json :4"},
		{"serve --embeddings", "off builtin :4"},
		{"serve --backup-dir", ":16"},
		{"serve --webhook-ca-file", "pem crt cer :8"},
		{"audit --event", strings.Join(auditEvents(), " ") + " :4"},
		{"metadata apply", "yaml yml :8"},
		{"import", "--user :16"},
		{"backup", ":16"},
		{"restore", ":16"},
		{"import photos", "--user :4"},
		{"serve --rate-limit", ":4"},
	} {
		root := newRoot()
		var out strings.Builder
		root.SetArgs(append(append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Fields(tt.args)...), ""))
		root.SetOut(&out)
		root.SetErr(new(strings.Builder))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(strings.Join(strings.Fields(out.String()), " "))
		if tt.args == "backup" { // also completes its subcommands
			got = strings.TrimPrefix(got, "list prune ")
		}
		if got != tt.want {
			t.Errorf("dal %s: %s, want %s", tt.args, got, tt.want)
		}
	}
}
