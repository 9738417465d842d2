package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/digital-asset-library/dal/app"
)

func newRecover(s *settings) *cobra.Command {
	var yes, dryRun bool
	var email, clamd string
	cmd := &cobra.Command{Use: "recover", Short: "Make assets of files that no record refers to", Args: cobra.NoArgs,
		Long: `Makes assets of files that are in the data folder and that no record refers to:
those in blobs/lost, where the server moves them, and those that are still in
their places. Each goes the way of an upload, virus scan included. Its facts, and
its title where it has one, are read from the file; without one it is called
Recovered and the beginning of its checksum. All are in a collection
"Recovered DATE". What was known of them only in records that are gone (keywords,
collections, names of files) is gone.

It is also the way out when dal serve says that records and files do not belong
together. Put the right dal.db back if there is one. If there is none:

- dal.db is older than the files, or another library's: recover goes on with it,
  after asking. From then on it is the one that belongs to the files.
- dal.db is missing, empty or damaged: recover makes new records, and of --user an
  administrator, whose password it prints. A damaged dal.db is kept as
  dal.db.before-recover-TIME.

First it shows what it found and asks; --yes does not ask, --dry-run changes
nothing. No server may run meanwhile. It can be broken off, by force too, and
started again: it goes on, and makes no asset twice. A file that cannot become an
asset stays in blobs/lost and is named on stdout.

Exit codes: 0 all is recovered, or there was nothing to do; 1 nothing was
changed, because the answer was no or something failed; 2 wrong use, or nobody
could be asked; 3 some files are not recovered.`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := s.appConfig(cmd, app.Config{Clamd: clamd})
			if err != nil {
				return err
			}
			r, err := app.PlanRecovery(cmd.Context(), cfg)
			if err != nil {
				return noLibrary(err)
			}
			defer func() { err = errors.Join(err, r.Close()) }()
			showRecovery(cmd, &r.Plan)
			switch {
			case r.Plan.Nothing() || dryRun:
				return nil
			case r.Plan.New && email == "":
				return &exitError{exitUsage, errors.New("--user says for whom: new records have no user yet, dal recover makes this one an administrator")}
			case !yes:
				if err := confirm(cmd, "Recover?", "--yes recovers, --dry-run only shows what there is"); err != nil {
					return err
				}
			}
			return recoverFiles(cmd, r, email)
		}}
	f := cmd.Flags()
	f.BoolVar(&yes, "yes", false, "do not ask")
	f.BoolVar(&dryRun, "dry-run", false, "only show what there is to recover")
	f.StringVar(&email, "user", "", "the `email` of the user who will own the assets; the first administrator when absent")
	f.StringVar(&clamd, "clamd", "", "the virus scanner to use: unix:/path or tcp://host:port")
	return cmd
}

// showRecovery says what there is to recover.
func showRecovery(cmd *cobra.Command, p *app.RecoveryPlan) {
	w := cmd.OutOrStdout()
	if p.Nothing() {
		fmt.Fprintln(w, "Nothing to recover: a record refers to each file.")
		return
	}
	if p.Unfit != nil {
		fmt.Fprintln(w, "Records and files do not belong together:", p.Unfit.Why)
		if p.New {
			fmt.Fprintln(w, "New records are made. What is known of the files only in the old ones is not in them.")
		} else {
			fmt.Fprintln(w, "The records that are there are gone on with, and belong to the files from then on.")
		}
		if p.Aside != "" {
			fmt.Fprintln(w, "The present dal.db is kept as "+p.Aside+".")
		}
	}
	fmt.Fprintf(w, "%d files (%s) that no record refers to.\n", p.Files, humanize.IBytes(uint64(p.Bytes)))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, k := range p.Types {
		if k.Name == "" {
			k.Name = "of no known type"
		}
		fmt.Fprintf(t, "  %s\t%d\t%s\n", k.Name, k.Files, humanize.IBytes(uint64(k.Bytes)))
	}
	t.Flush()
}

// confirm asks on the terminal whether to go on. Where nobody can be asked, it
// says what to do instead.
func confirm(cmd *cobra.Command, question, instead string) error {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return &exitError{exitUsage, errors.New("nobody can be asked here: " + instead)}
	}
	fmt.Fprint(cmd.ErrOrStderr(), question+" [y/N] ")
	answer, err := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("nothing was changed")
	}
	return nil
}

func recoverFiles(cmd *cobra.Command, r *app.Recovery, email string) error {
	p := newProgress(cmd.ErrOrStderr(), "Recovering")
	done, err := r.Run(cmd.Context(), app.RecoveryOptions{Email: email, Progress: p.set,
		Problem: func(file, why string) { fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", file, why) }})
	p.end()
	w := cmd.ErrOrStderr()
	if done.Password != "" {
		fmt.Fprintf(w, "%s is an administrator. Their password, shown only now:\n", email)
		fmt.Fprintln(cmd.OutOrStdout(), done.Password)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitPartly, errors.New("the recovery was broken off; start it again to go on")}
	case err != nil:
		return err
	}
	fmt.Fprintf(w, "%d files: %d recovered, %d not.\n", done.Files, done.Ready, done.Failed)
	if done.Failed > 0 {
		return &exitError{exitPartly, fmt.Errorf("%d files could not be recovered; they are in blobs/lost", done.Failed)}
	}
	return nil
}

// listLost lists files that were moved aside.
func listLost(cmd *cobra.Command, lost []app.LostFile) {
	if len(lost) == 0 {
		return
	}
	var bytes int64
	for _, l := range lost {
		fmt.Fprintf(cmd.OutOrStdout(), "lost %s: %d bytes, no record refers to it; moved aside %s\n", l.SHA256, l.Size, l.Since.Format(time.DateOnly))
		bytes += l.Size
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d files (%s) are in blobs/lost; dal recover makes assets of them.\n", len(lost), humanize.IBytes(uint64(bytes)))
}
