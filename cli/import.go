package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
)

func newImport(s *settings) *cobra.Command {
	cfg := app.DefaultConfig()
	cfg.KeepAll()
	i := &importer{}
	cmd := &cobra.Command{
		Use: "import FOLDER --user EMAIL", Short: "Import a folder of files", Args: takes("FOLDER"),
		Long: `Imports all files in a folder and its subfolders. Files whose checksum is already
in the library are not imported again, but are added to the collection, so an
interrupted import can be run again. Hidden files, system files such as Thumbs.db
and partial downloads such as a.jpg.part or a.jpg.crdownload are ignored.

If a server runs on the same data folder, it ingests the files; otherwise, or
after the server has stopped, this command does. It exits once every file has been
processed. The server sends the webhooks, now or when it next runs.

Files that could not be imported are listed on stdout, one per line, and the exit
code is 3 if there are any. They include files of rejected types: programs
(--allow-programs) and those of --reject. --skip-unknown only counts these files;
they do not change the exit code.

The summary counts each file once: as imported, present, part of another file's
asset (--stack), sidecar, left out, skipped or failed.

With --in-place, the folder becomes an external library: its files are indexed
without being copied, and dal never writes to, moves or deletes them. The server
watches the folder from then on. New files become assets, a modified file updates
its asset, and a moved file keeps its asset. While the folder is missing, such as
when its disk is not mounted, its assets are offline. See dal help root.`,
		Example: `  dal import --in-place /mnt/photos --user ada@example.com
  dal import ./photos --user ada@example.com
  dal import ./photos --user ada@example.com --collection "Summer 2026" --skip-unknown`,
		ValidArgsFunction: completeArgs(folders),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !i.inPlace && (i.name != "" || i.dryRun || i.again) {
				return usagef("--name, --dry-run and --again have no effect without --in-place")
			}
			if i.inPlace && i.opt.SkipUnknown {
				return usagef("--skip-unknown has no effect with --in-place, which always ignores files of unsupported types")
			}
			a, err := s.open(cmd, cfg)
			if err != nil {
				return err
			}
			run := i.run
			if i.inPlace {
				run = i.catalogue
			}
			return errors.Join(run(cmd, a, args[0]), a.Close())
		},
	}
	f := flagsOf(cmd)
	f.user(s, &i.email, "user", "the `email` of the owner of the new assets")
	f.text(&i.opt.Collection, "collection", "the `name` of a collection for the assets; created if missing")
	f.yes(&i.opt.SkipUnknown, "skip-unknown", "skip files of unsupported types instead of reporting them as failed")
	f.yes(&i.inPlace, "in-place", "add the folder as an external library, without copying its files")
	f.text(&i.name, "name", "with --in-place, the `name` of the external library; by default, that of the folder")
	f.yes(&i.dryRun, "dry-run", "with --in-place, count the changes without making them")
	f.yes(&i.again, "again", "with --in-place, also retry files that were rejected or whose assets were deleted")
	f.diskReserve(cfg.Limits().Of(&cfg.DiskReserve))
	f.clamd(&cfg.Clamd)
	f.engines(&cfg)
	f.json(&i.asJSON)
	f.required("user")
	return cmd
}

// importer is one run of dal import.
type importer struct {
	email    string
	opt      bulk.ImportOptions
	asJSON   bool
	failures []fileFailure

	inPlace, dryRun, again, verify bool

	name string
}

// fileFailure is a file that could not be imported or recovered.
type fileFailure struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// actor returns the user who will own the assets.
func (i *importer) actor(ctx context.Context, a *app.App) (dam.Actor, error) {
	u, err := a.Accounts.UserByEmail(ctx, i.email)
	if err != nil {
		return dam.Actor{}, fmt.Errorf("--user %s: %w", i.email, err)
	}
	actor := dam.Actor{User: u}
	if err := actor.Require(dam.UploadsManage); err != nil {
		return actor, fmt.Errorf("%s has the role %s, which does not allow uploads", i.email, u.Role)
	}
	if u.DisabledAt != nil {
		return actor, fmt.Errorf("%s is disabled", i.email)
	}
	return actor, nil
}

func (i *importer) run(cmd *cobra.Command, a *app.App, dir string) (err error) {
	ctx := cmd.Context()
	actor, err := i.actor(ctx, a)
	if err != nil {
		return err
	}
	r := &runner{app: a}
	if err := r.unlessServed(ctx); err != nil {
		return err
	}
	p := newProgress(cmd.ErrOrStderr(), "Importing")
	i.opt.Problem = func(path, why string) {
		if i.asJSON {
			i.failures = append(i.failures, fileFailure{path, why})
			return
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", shown(path), shown(why))
	}
	i.opt.Progress = func(n bulk.ImportProgress) { p.set(int64(n.Ended()), int64(n.Found)) }
	i.opt.Waiting = func() error { return r.unlessServed(ctx) }
	sum, err := a.Importer.Import(ctx, actor, dir, i.opt)
	p.end()
	err = errors.Join(wrongUse(err), r.stop(), i.report(cmd, sum))
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitPartly, errors.New("the import was interrupted; run it again to continue")}
	case err != nil:
		return err
	case sum.Failed > 0:
		return &exitError{exitPartly, fmt.Errorf("%s could not be imported", plural(sum.Failed, "file"))}
	}
	return nil
}

// report prints the result of the import.
func (i *importer) report(cmd *cobra.Command, sum bulk.ImportProgress) error {
	if i.asJSON {
		return printJSON(cmd.OutOrStdout(), struct {
			Files    int           `json:"files"`
			Imported int           `json:"imported"`
			Present  int           `json:"already_present"`
			Sidecars int           `json:"sidecars"`
			Parts    int           `json:"parts"`
			LeftOut  int           `json:"left_out"`
			Skipped  int           `json:"skipped"`
			Failed   int           `json:"failed"`
			Failures []fileFailure `json:"failures"`
		}{sum.Found, sum.Ready, sum.Present, sum.Sidecars, sum.Parts, sum.Partial, sum.Skipped, sum.Failed,
			append([]fileFailure{}, i.failures...)})
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d imported, %d already present, %d failed%s.\n",
		plural(sum.Found, "file"), sum.Ready, sum.Present, sum.Failed, further(
			plural(sum.Parts, "part"), plural(sum.Sidecars, "sidecar"), number(sum.Partial, partialText),
			number(sum.Skipped, "skipped because of their types")))
	return nil
}

// partialText says why files are skipped.
const partialText = "left out as partial downloads"

// further lists the numbers other than 0, each preceded by a comma.
func further(list ...string) (text string) {
	for _, n := range list {
		if !strings.HasPrefix(n, "0 ") {
			text += ", " + n
		}
	}
	return text
}

// number formats a number followed by its unit.
func number(n int, what string) string { return fmt.Sprintf("%d %s", n, what) }

// runner runs a library in this process while no other process does. Webhooks are left to a
// server, which can render their events.
type runner struct {
	app    *app.App
	cancel context.CancelFunc // nil while it is not running
	done   chan error
	unlock func() error
}

// unlessServed starts running the library, unless this or another process already does.
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

// stop stops the library if unlessServed started it.
func (r *runner) stop() error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	return errors.Join(<-r.done, r.unlock())
}
