// Package cli is dal's command line, one command a file. Data goes to stdout,
// talk to stderr.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitPartly = 3
)

// exitError makes the program end with a code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// Main runs the command that args name and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newRoot()
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, "dal:", shownLines(explain(err)))
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return exitFailed
}

// explain tells all that is wrong with the fields of what was asked for.
func explain(err error) string {
	e, ok := errors.AsType[*dam.Error](err)
	switch {
	case !ok || e.Kind == dam.Internal:
		return err.Error()
	case len(e.Fields) < 2:
		return strings.Replace(err.Error(), e.Error(), e.Msg, 1) // the cause is for logs
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(err.Error(), e.Error())) // where it is
	for i, f := range e.Fields {
		if i > 0 {
			b.WriteString("\n  ")
		}
		b.WriteString(f.Msg)
	}
	return b.String()
}

// settings are the flags that every command has.
type settings struct {
	data, config        string
	allowRoot           bool
	logFormat, logLevel string
}

func newRoot() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use:     "dal",
		Version: thisBuild().String(),
		Short:   "A digital asset library in one binary",
		Long: `dal keeps pictures and other files with what is known of them, finds them
again, and serves them over a JSON interface.

Everything is in one folder, the data folder. dal serve and dal import make it,
in a folder that is empty or missing. Start with:

  dal serve                                         run the server
  dal user create --email E --name N --role admin   make the first user
  dal token create --user E --name N --all-abilities
  dal import DIR --user E                           bring a folder in

Every flag can also be set by a variable, DAL_ and the flag's name in capitals
with underscores (--log-format is DAL_LOG_FORMAT), or in a file given by
--config with lines "flag = value". A flag beats a variable, a variable the
file.

Exit codes: 0 done, 1 failed, 2 wrong use, 3 partly done.`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetContext(app.CalledBy(cmd.Context(), app.Caller{Method: app.CommandMethod, Path: cmd.CommandPath()}))
			return applySettings(cmd, s.config)
		},
	}
	cmd.SetVersionTemplate("{{.Version}}\n")
	f := cmd.PersistentFlags()
	f.StringVar(&s.data, "data", "./dal-data", "the data `folder`")
	f.BoolVar(&s.allowRoot, "allow-root", false, "let root write to a data folder that belongs to another user")
	f.StringVar(&s.config, "config", "", "a `file` with settings, one \"flag = value\" a line")
	f.StringVar(&s.logFormat, "log-format", "text", "how the log is written: text or json")
	f.StringVar(&s.logLevel, "log-level", "info", "what is logged: debug, info, warn or error")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{exitUsage, err} })
	cmd.AddCommand(newServe(s), newUser(s), newToken(s), newImport(s), newMetadata(s), newAudit(s), newReindex(s), newCheck(s), newBackup(s), newRestore(s), newRecover(s), newJobs(s), newDuplicates(s), newOpenAPI(s), newBench(s), newHealth(), newLicenses(), newVersion())
	for _, c := range allCommands(cmd) {
		if !c.Runnable() {
			c.Args, c.RunE = noCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		if args := c.Args; args != nil {
			c.Args = func(cmd *cobra.Command, a []string) error {
				if err := args(cmd, a); err != nil {
					return &exitError{exitUsage, err}
				}
				return nil
			}
		}
	}
	return cmd
}

// noCommand refuses what is no command of cmd, with those that it may have been.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		msg += "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return errors.New(msg)
}

func allCommands(cmd *cobra.Command) (list []*cobra.Command) {
	for _, c := range cmd.Commands() {
		list = append(append(list, c), allCommands(c)...)
	}
	return append(list, cmd)
}

// logger returns the log that the settings ask for. Each line of a request has
// its id.
func (s *settings) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("--log-level %q is none of debug, info, warn, error", s.logLevel)}
	}
	opt := &slog.HandlerOptions{Level: level}
	switch s.logFormat {
	case "text":
		return slog.New(requestHandler{slog.NewTextHandler(w, opt)}), nil
	case "json":
		return slog.New(requestHandler{slog.NewJSONHandler(w, opt)}), nil
	}
	return nil, &exitError{exitUsage, fmt.Errorf("--log-format %q is neither text nor json", s.logFormat)}
}

// requestHandler adds the id of the request that a context belongs to.
type requestHandler struct{ slog.Handler }

func (h requestHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := web.RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h requestHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(a)}
}
func (h requestHandler) WithGroup(n string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(n)}
}

// openWith opens the library as cfg says; the zero value of cfg.Access makes one
// when there is none.
func (s *settings) openWith(cmd *cobra.Command, cfg app.Config) (*app.App, error) {
	cfg, err := s.appConfig(cmd, cfg)
	if err != nil {
		return nil, err
	}
	a, err := app.Open(cmd.Context(), cfg)
	if err == nil && a.Made() {
		if s.logFormat == "json" { // and nothing else
			cfg.Log.Info("made a new library", "data", s.folder())
		} else {
			fmt.Fprintln(cmd.ErrOrStderr(), "Made a new library in", s.folder())
		}
	}
	return a, noLibrary(err)
}

// appConfig adds what all commands have in common to cfg.
func (s *settings) appConfig(cmd *cobra.Command, cfg app.Config) (app.Config, error) {
	if strings.TrimSpace(s.data) == "" {
		return cfg, &exitError{exitUsage, errors.New("--data is empty; it names the data folder")}
	}
	log, err := s.logger(cmd.ErrOrStderr())
	cfg.DataDir, cfg.AllowRoot, cfg.Log = s.data, s.allowRoot, log
	return cfg, err
}

// folder is the data folder as an absolute path.
func (s *settings) folder() string {
	if abs, err := filepath.Abs(s.data); err == nil {
		return abs
	}
	return s.data
}

// noLibrary says how to go on when there is no library.
func noLibrary(err error) error {
	if errors.Is(err, app.ErrNoLibrary) && !strings.Contains(err.Error(), "--data") {
		return fmt.Errorf("%w; --data names its folder, dal serve makes one", err)
	}
	return err
}

// with opens the library, which is made when there is none, runs fn and closes it.
func (s *settings) with(cmd *cobra.Command, fn func(*app.App) error) error {
	return s.access(cmd, app.AccessMake, fn)
}

// existing is with for a library that must be there.
func (s *settings) existing(cmd *cobra.Command, fn func(*app.App) error) error {
	return s.access(cmd, app.AccessWrite, fn)
}

func (s *settings) access(cmd *cobra.Command, access app.Access, fn func(*app.App) error) error {
	a, err := s.openWith(cmd, app.Config{Access: access})
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}
