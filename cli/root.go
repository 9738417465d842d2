package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/app/library"
)

func newRootCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "root", Short: "List, scan and forget external libraries", Args: takes(),
		Long: `An external library, or root, is a folder that "dal import --in-place" has added.
A running server watches it for changes; if the OS does not report changes, as for
network folders, the server scans it every --rescan-every.

An external library is offline if its folder is missing, empty or not the same
folder as before. Its assets do not change until it is online again.`,
	}
	cmd.AddCommand(newRootList(s), newRootScan(s), newRootForget(s))
	return cmd
}

// rootItem is an external library as JSON.
type rootItem struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	Path       string     `json:"path"`
	State      string     `json:"state"`
	Note       string     `json:"note"`
	Files      int        `json:"files"`
	Missing    int        `json:"missing"`
	Open       int        `json:"being_ingested"`
	Problems   int        `json:"problems"`
	Excluded   int        `json:"excluded"`
	Sidecars   int        `json:"sidecars"`
	IsWatched  bool       `json:"is_watched"`
	LastScanAt *time.Time `json:"last_scan_at"`
}

func toRootItem(r *dam.Root) rootItem {
	c := r.Counts
	return rootItem{r.ID, r.Name, r.Path, string(r.State), r.Note, c.Present, c.Missing, c.Open, c.Problems, c.Excluded, c.Sidecars,
		r.Watched, r.LastScanAt}
}

// owner returns an actor with full access to the library, like everyone with access to the
// data folder.
func owner() dam.Actor { return dam.Actor{User: &dam.User{Role: dam.RoleAdmin}} }

func newRootList(s *settings) *cobra.Command {
	var asJSON, problems bool
	cmd := &cobra.Command{Use: "list", Short: "List the external libraries", Args: takes(), Example: `  dal root list
  dal root list --problems`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				roots, err := a.External.List(cmd.Context(), owner())
				if err != nil {
					return err
				}
				items := []rootItem{}
				w := cmd.OutOrStdout()
				for _, r := range roots {
					items = append(items, toRootItem(r))
					if asJSON {
						continue
					}
					printRoot(cmd, r)
					if problems {
						err = errors.Join(err, a.External.EachRootProblem(cmd.Context(), owner(), r.ID, func(path, why string) {
							fmt.Fprintf(w, "  %s: %s\n", shown(path), shown(why))
						}))
					}
				}
				if asJSON {
					err = errors.Join(err, printJSON(w, items))
				}
				return err
			})
		},
	}
	f := flagsOf(cmd)
	f.yes(&problems, "problems", "also list files that could not be ingested")
	f.json(&asJSON)
	return cmd
}

func printRoot(cmd *cobra.Command, r *dam.Root) {
	c := r.Counts
	text := fmt.Sprintf("%s  %s: %s, %s", shown(r.Name), shown(r.Path), r.State, plural(c.Present, "file"))
	for _, part := range []struct {
		n    int
		what string
	}{{c.Missing, "missing"}, {c.Open, "being ingested"}, {c.Problems, "not ingested or unreadable"},
		{c.Excluded, "deleted from the library"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	if r.LastScanAt != nil {
		text += ", scanned " + isoTime(*r.LastScanAt)
	}
	if r.Note != "" {
		text += ". " + shown(r.Note)
	}
	fmt.Fprintln(cmd.OutOrStdout(), text)
}

// rootNamed returns the external library with a name or a path.
func rootNamed(ctx context.Context, a *app.App, name string) (*dam.Root, error) {
	roots, err := a.External.List(ctx, owner())
	if err != nil {
		return nil, err
	}
	for _, r := range roots {
		if dam.SameName(r.Name, name) || r.Path == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("there is no external library %s; see dal root list", name)
}

func newRootScan(s *settings) *cobra.Command {
	cfg := app.DefaultConfig()
	cfg.Access = library.AccessWrite
	cfg.KeepAll()
	i := &importer{}
	cmd := &cobra.Command{Use: "scan NAME", Short: "Scan an external library now", Args: takes("NAME"),
		Long: `Scans an external library and waits until its new files are ingested, like "dal
import --in-place". Files with the same size and times are not read; --verify reads
every file and compares its checksum, which finds edits that change neither.`,
		Example: `  dal root scan Photos
  dal root scan Photos --verify`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withConfig(cmd, cfg, func(a *app.App) error {
				r, err := rootNamed(cmd.Context(), a, args[0])
				if err != nil {
					return err
				}
				u, err := a.Accounts.User(cmd.Context(), owner(), r.UserID)
				if err != nil {
					return err
				}
				i.email = u.Email
				return i.catalogue(cmd, a, r.Path)
			})
		},
	}
	f := flagsOf(cmd)
	f.yes(&i.dryRun, "dry-run", "count the changes without making them")
	f.yes(&i.verify, "verify", "read every file and compare its checksum")
	f.yes(&i.again, "again", "also retry files that were rejected or whose assets were deleted")
	f.diskReserve(cfg.Limits().Of(&cfg.DiskReserve))
	f.clamd(&cfg.Clamd)
	f.engines(&cfg)
	f.json(&i.asJSON)
	return cmd
}

func newRootForget(s *settings) *cobra.Command {
	var trash bool
	cmd := &cobra.Command{Use: "forget NAME", Short: "Remove an external library", Args: takes("NAME"),
		Long: `Removes an external library. Its folder and files do not change. Assets whose file
is also in another external library use that file. The other assets are moved to
the trash, which --trash confirms. The trash keeps their metadata; importing the
folder again with --in-place --again restores them.

If a folder has moved, import its new path with --in-place first: its files are
recognized by their checksums, so the old path can be forgotten without --trash.`,
		Example: `  dal root forget Photos --trash`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.with(cmd, func(a *app.App) error {
				r, err := rootNamed(cmd.Context(), a, args[0])
				if err != nil {
					return err
				}
				u, err := a.Accounts.User(cmd.Context(), owner(), r.UserID)
				if err != nil {
					return err
				}
				err = a.External.Forget(cmd.Context(), dam.Actor{User: &dam.User{ID: u.ID, Role: dam.RoleAdmin}}, r.ID, trash)
				if dam.KindOf(err) == dam.Conflict {
					n, err := a.External.OnlyInRoot(cmd.Context(), owner(), r.ID)
					if err != nil {
						return err
					}
					return fmt.Errorf("assets whose only file is in %s: %d; if the folder has moved, import its new path with --in-place first, "+
						"or use --trash to move these assets to the trash", shown(r.Name), n)
				}
				if err == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "Removed the external library %s. Nothing in %s was changed.\n", shown(r.Name), shown(r.Path))
				}
				return err
			})
		},
	}
	flagsOf(cmd).yes(&trash, "trash", "move assets without a file elsewhere to the trash")
	return cmd
}

// catalogue adds a folder as an external library, or scans an existing one.
func (i *importer) catalogue(cmd *cobra.Command, a *app.App, dir string) error {
	ctx := cmd.Context()
	actor, err := i.actor(ctx, a)
	if err != nil {
		return err
	}
	r := &runner{app: a}
	if !i.dryRun {
		if err := r.unlessServed(ctx); err != nil {
			return err
		}
	}
	p := newProgress(cmd.ErrOrStderr(), "Importing")
	var last external.PlaceProgress
	opt := external.InPlaceOptions{Name: i.name, Collection: i.opt.Collection, DryRun: i.dryRun, Verify: i.verify, Again: i.again,
		Progress: func(n external.PlaceProgress) {
			last = n
			p.set(int64(n.Found-n.New), int64(n.Found))
		},
		Waiting: func(open int) error {
			p.set(int64(max(0, last.Found-open)), int64(last.Found))
			return r.unlessServed(ctx)
		},
	}
	res, err := a.External.Import(ctx, actor, dir, opt)
	p.end()
	err = errors.Join(wrongUse(err), r.stop())
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitPartly, errors.New("the import was interrupted; run it again to continue")}
	case err != nil:
		return err
	}
	return i.reportPlace(cmd, a, res)
}

// reportPlace prints the outcome for the files of an external library.
func (i *importer) reportPlace(cmd *cobra.Command, a *app.App, res external.InPlaceResult) error {
	root, c := res.Root, res.Root.Counts
	if root.ID != 0 && !i.dryRun {
		err := a.External.EachRootProblem(cmd.Context(), owner(), root.ID, func(path, why string) {
			if i.asJSON {
				i.failures = append(i.failures, fileFailure{path, why})
				return
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", shown(path), shown(why))
		})
		if err != nil {
			return err
		}
	}
	if i.asJSON {
		err := printJSON(cmd.OutOrStdout(), struct {
			Root      rootItem      `json:"root"`
			Files     int           `json:"files"`
			New       int           `json:"new"`
			Same      int           `json:"unchanged"`
			Linked    int           `json:"moved_or_known"`
			Gone      int           `json:"gone"`
			Unsettled int           `json:"being_written"`
			Parts     int           `json:"parts"`
			Sidecars  int           `json:"sidecars"`
			Refused   int           `json:"refused"`
			Unread    int           `json:"unreadable"`
			LeftOut   int           `json:"left_out"`
			Skipped   int           `json:"skipped"`
			Failures  []fileFailure `json:"failures"`
		}{toRootItem(root), res.Found, res.New, res.Same, res.Linked, res.Gone, res.Unsettled,
			res.Parts, res.Sidecars, res.Refused, res.Unread, res.Partial, res.Skipped, append([]fileFailure{}, i.failures...)})
		if err != nil {
			return err
		}
	} else {
		w := cmd.ErrOrStderr()
		verb := ""
		if i.dryRun {
			verb = " would be"
		}
		fmt.Fprintf(w, "%s in %s: %d%s new or changed, %d known or moved, %d unchanged, %d gone%s.\n",
			plural(res.Found, "file"), shown(root.Path), res.New, verb, res.Linked, res.Same, res.Gone, further(
				plural(res.Parts, "part"), plural(res.Sidecars, "sidecar"), number(res.Refused, "rejected"),
				number(res.Unread, "unreadable"), number(res.Partial, partialText), number(res.Unsettled, "still being written"),
				number(res.Skipped, "not retried")))
		if !i.dryRun {
			fmt.Fprintf(w, "The external library %s has %s.\n", shown(root.Name), plural(c.Present, "file"))
		}
	}
	switch {
	case root.State == dam.RootOffline && !i.dryRun:
		return fmt.Errorf("%s is offline: %s", root.Path, root.Note)
	case c.Problems > 0:
		return &exitError{exitPartly, fmt.Errorf("%s could not be ingested", plural(c.Problems, "file"))}
	}
	return nil
}
