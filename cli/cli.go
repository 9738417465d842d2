// Package cli is dal's command line, one command per file. Data goes to stdout, messages go
// to stderr.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitPartly = 3
)

// exitError makes the program exit with a code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// Main runs the command in args and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := defaultSettings()
	cmd := newRootOf(s)
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	if v := os.Getenv(envName("log-format")); v == "json" && !cmd.PersistentFlags().Changed("log-format") {
		s.logFormat = v // the error may have occurred before the settings were applied
	}
	if s.logFormat == "json" {
		s.logger(stderr).Error(explain(err))
	} else {
		fmt.Fprintln(stderr, "dal:", shownLines(explain(err)))
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return exitFailed
}

// explain formats an error for people, including all invalid fields of the request.
func explain(err error) string {
	e, ok := errors.AsType[*dam.Error](err)
	switch {
	case !ok || e.Kind == dam.Internal:
		return err.Error()
	case len(e.Fields) < 2:
		return strings.Replace(err.Error(), e.Error(), e.Msg, 1) // the cause is for logs
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(err.Error(), e.Error())) // the context
	for i, f := range e.Fields {
		if i > 0 {
			b.WriteString("\n  ")
		}
		b.WriteString(f.Msg)
	}
	return b.String()
}

// settings are the values of the global flags.
type settings struct {
	data, config        string
	allowRoot           bool
	logFormat, logLevel string
}

func defaultSettings() *settings {
	return &settings{data: "./dal-data", logFormat: "text", logLevel: "info"}
}

func newRoot() *cobra.Command { return newRootOf(defaultSettings()) }

func newRootOf(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "dal",
		Version: thisBuild().String(),
		Short:   "A digital asset library in one binary",
		Long: `dal stores pictures and other files with their metadata, makes them searchable,
and serves them in a web application and a JSON API.

Everything is stored in one folder, the data folder. "dal serve" and "dal import"
create a library in it if it is empty or missing.

Every flag can also be set by an environment variable, DAL_ followed by the
flag's name in capitals with underscores (--log-format is DAL_LOG_FORMAT), or in
the file that --config names, with lines such as

  log-format = json   # a comment

A flag takes precedence over a variable, and a variable over the file. Sizes are
written 10GiB or 500MB, times 90d, 24h or 30m, lists with commas.

With --json, a command that lists or reports something writes one JSON document
to stdout, with times in ISO 8601 and UTC. Everything else goes to stderr.

Exit codes: 0 success, 1 failure, 2 usage error, 3 partially completed.`,
		Example: `  dal serve                                           run the server
  dal user create --email you@example.com --name You --role admin
  dal token create --user you@example.com --name first --all-abilities
  dal import ./photos --user you@example.com          import a folder`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetContext(access.CalledBy(cmd.Context(), access.Caller{Method: access.CommandMethod, Path: cmd.CommandPath()}))
			if err := applySettings(cmd, s.config); err != nil {
				return err
			}
			return checkRequired(cmd)
		},
	}
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	s.define(cmd)
	cmd.AddCommand(
		newServe(s), newUser(s), newToken(s), newImageKey(s), newImport(s), newRootCommand(s), newMetadata(s), newAudit(s),
		newTerms(s), newErasePerson(s), newReindex(s), newCheck(s), newBackup(s), newRestore(s), newRecover(s), newJobs(s), newDuplicates(s),
		newOpenAPI(), newBench(s), newStatus(s), newHealth(s), newLicenses(), newVersion(), newWorker(), newConfined(),
	)
	setHelpCommand(cmd)
	cmd.InitDefaultCompletionCmd()
	for _, c := range allCommands(cmd) {
		c.Flags().SortFlags, c.PersistentFlags().SortFlags = false, false // sorted by topic
		refuseWrongUse(c)
	}
	return cmd
}

// define defines the global flags.
func (s *settings) define(cmd *cobra.Command) {
	f := &flags{cmd: cmd, set: cmd.PersistentFlags()}
	f.under("All commands")
	f.folder(&s.data, "data", "the data `folder`")
	f.yes(&s.allowRoot, "allow-root", "allow root to write to a data folder that belongs to another user")
	f.file(&s.config, "config", "a `file` with settings, one \"flag = value\" per line")
	f.choice(&s.logFormat, "log-format", "the format of the log on stderr", []string{"text", "json"})
	f.choice(&s.logLevel, "log-level", "the minimum severity of logged messages", []string{"debug", "info", "warn", "error"})
}

// refuseWrongUse makes errors about the arguments of cmd exit with the usage error code,
// and makes a command that only has subcommands print its help.
func refuseWrongUse(cmd *cobra.Command) {
	if !cmd.Runnable() {
		cmd.Args, cmd.RunE = noCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &exitError{exitUsage, err}
			}
			return nil
		}
	}
}

// setHelpCommand adds cobra's help command, changed so that an unknown command is a usage
// error.
func setHelpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() { // cobra has no other way to get it
		if help.Name() != "help" {
			continue
		}
		help.Use, help.Short, help.Long = "help [COMMAND]", "Show the help of a command", "Shows the help of dal or of one of its commands."
		help.Example = "  dal help\n  dal help metadata apply"
		show := help.Run
		help.Run, help.RunE = nil, func(cmd *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return usagef("there is no such command: dal %s", strings.Join(args, " "))
			}
			show(cmd, args)
			return nil
		}
	}
}

// allCommands returns cmd and all commands below it.
func allCommands(cmd *cobra.Command) (list []*cobra.Command) {
	for _, c := range cmd.Commands() {
		list = append(list, allCommands(c)...)
	}
	return append(list, cmd)
}

// wrongUse makes an error about invalid input exit with the usage error code.
func wrongUse(err error) error {
	if dam.KindOf(err) == dam.Invalid {
		return &exitError{exitUsage, err}
	}
	return err
}
