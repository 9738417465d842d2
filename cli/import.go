package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

func newImport(s *settings) *cobra.Command {
	var email, collection, clamd string
	var skipUnknown bool
	var diskReserve size
	cmd := &cobra.Command{
		Use: "import DIR --user E", Short: "Bring a folder into the library", Args: cobra.ExactArgs(1),
		Long: `Brings the files below a folder into the library. Files that the library has
already, by their checksum, are not taken again but go into the collection, so
an import that was broken off goes on when it is started again. Hidden files are
left out, and so is what systems keep for themselves, such as Thumbs.db.

With a server on the same data folder the server ingests the files; without one,
or once it has stopped, this command does. It ends when all files have. What
happens goes to webhooks when a server runs. What could not be imported goes to
stdout, one line a file, and the exit code is 3 if there is any.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if email == "" {
				return &exitError{exitUsage, errors.New("--user is required: the email of the user who will own the assets")}
			}
			cfg := app.Config{Clamd: clamd, DiskReserve: int64(diskReserve)}
			cfg.KeepAll()
			a, err := s.openWith(cmd, cfg)
			if err != nil {
				return err
			}
			return errors.Join(importDir(cmd, a, args[0], email, app.ImportOptions{Collection: collection, SkipUnknown: skipUnknown}), a.Close())
		},
	}
	f := cmd.Flags()
	f.StringVar(&email, "user", "", "the `email` of the user who will own the assets")
	f.StringVar(&collection, "collection", "", "the `name` of a collection to put them in; made when missing")
	f.BoolVar(&skipUnknown, "skip-unknown", false, "leave out files of no supported type instead of naming each as failed")
	f.Var(&diskReserve, "disk-reserve", diskReserveHelp)
	f.StringVar(&clamd, "clamd", "", "the virus scanner to use when no server runs: unix:/path or tcp://host:port")
	return cmd
}

func importDir(cmd *cobra.Command, a *app.App, dir, email string, opt app.ImportOptions) (err error) {
	ctx := cmd.Context()
	u, err := a.Accounts.UserByEmail(ctx, email)
	if err != nil {
		return fmt.Errorf("--user %s: %w", email, err)
	}
	actor := dam.Actor{User: u}
	if err := actor.Require(dam.UploadsManage); err != nil {
		return fmt.Errorf("%s is %s, who may not upload", email, u.Role)
	}
	if u.DisabledAt != nil {
		return fmt.Errorf("%s is disabled", email)
	}
	r := &runner{app: a}
	if err := r.unlessServed(ctx); err != nil {
		return err
	}
	p := newProgress(cmd.ErrOrStderr(), "Importing")
	opt.Problem = func(path, why string) { fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", shown(path), shown(why)) }
	opt.Progress = func(n app.ImportProgress) { p.set(int64(n.Ended()), int64(n.Found)) }
	opt.Waiting = func() error { return r.unlessServed(ctx) }
	sum, err := a.Import(ctx, actor, dir, opt)
	p.end()
	err = errors.Join(err, r.stop())
	fmt.Fprintf(cmd.ErrOrStderr(), "%d files: %d imported, %d were there already, %d failed.\n", sum.Found, sum.Ready, sum.Present, sum.Failed)
	if sum.Skipped > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of no supported type were left out.\n", sum.Skipped)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitPartly, errors.New("the import was broken off; start it again to go on")}
	case err != nil:
		return err
	case sum.Failed > 0:
		return &exitError{exitPartly, fmt.Errorf("%d files could not be imported", sum.Failed)}
	}
	return nil
}

// runner runs a library in this process when no other does. Webhooks are left to
// a server, who can show them what happened.
type runner struct {
	app    *app.App
	cancel context.CancelFunc // nil while it does not run
	done   chan error
	unlock func() error
}

// unlessServed begins to run the library, unless this or another process does.
func (r *runner) unlessServed(ctx context.Context) error {
	if r.cancel != nil {
		return nil
	}
	unlock, err := r.app.Lock()
	if errors.Is(err, app.ErrInUse) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.app.OpenSearch(ctx); err != nil {
		return errors.Join(err, unlock())
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.unlock, r.done = unlock, make(chan error, 1)
	go func() { r.done <- r.app.Run(ctx) }()
	return nil
}

// stop ends what unlessServed began.
func (r *runner) stop() error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	return errors.Join(<-r.done, r.unlock())
}
