package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
)

func newRecover(s *settings) *cobra.Command {
	r := &recoverRun{settings: s, cfg: app.DefaultConfig()}
	cmd := &cobra.Command{Use: "recover", Short: "Turn files that no record refers to into assets", Args: takes(),
		Long: `Turns files in the data folder that no record refers to into assets: those in
blobs/lost, where the server moves them, and those still in their place. Each is
processed like an upload, virus scan included. Its properties, and its title if it
has one, are read from the file; without one, it is called Recovered followed by
the start of its checksum. All of them go into a collection "Recovered DATE". What
only the lost records knew about them (keywords, collections, file names) is gone.

It also helps when dal serve says that records and files do not belong together.
Put the right dal.db back if there is one. If there is none:

- dal.db is older than the files, or from another library: recover continues with
  it, after asking. From then on it belongs to the files.
- dal.db is missing, empty or damaged: recover creates new records, and makes
  --user an admin, whose password it prints. A damaged dal.db is kept as
  dal.db.before-recover-TIME.

It first shows what it found and asks; --yes does not ask, --dry-run changes
nothing. No server may be running. It can be interrupted, even killed, and
started again: it continues, and makes no asset twice. A file that cannot become
an asset stays in blobs/lost and is listed on stdout.

Exit codes: 0 everything is recovered, or there was nothing to do; 1 nothing was
changed, because the answer was no or something failed; 2 wrong use, or there was
no terminal to ask on; 3 some files were not recovered.`,
		Example: `  dal recover --dry-run
  dal recover --user ada@example.com --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd) }}
	f := flagsOf(cmd)
	f.yes(&r.yes, "yes", "do not ask")
	f.yes(&r.dryRun, "dry-run", "only show what there is to recover")
	f.user(s, &r.email, "user", "the `email` of the user who will own the assets; by default the first admin")
	f.clamd(&r.cfg.Clamd)
	f.engines(&r.cfg)
	f.json(&r.asJSON)
	return cmd
}

// recoverRun is one run of dal recover.
type recoverRun struct {
	*settings
	cfg                 app.Config
	yes, dryRun, asJSON bool
	email               string
	failures            []fileFailure
}

func (r *recoverRun) run(cmd *cobra.Command) (err error) {
	cfg, err := r.complete(cmd, r.cfg)
	if err != nil {
		return err
	}
	recovery, err := app.PlanRecovery(cmd.Context(), cfg)
	if err != nil {
		return suggestData(err)
	}
	defer func() { err = errors.Join(err, recovery.Close()) }()
	plan := &recovery.Plan
	if !r.asJSON {
		printRecoveryPlan(cmd.OutOrStdout(), plan)
	}
	switch {
	case plan.Nothing() || r.dryRun:
		return r.report(cmd, plan, nil)
	case plan.New && r.email == "":
		return usagef("--user is required: the new records have no users yet, and this one becomes an admin")
	case !r.yes:
		if err := confirm(cmd, "Recover?", "--yes recovers, --dry-run only shows what there is"); err != nil {
			return err
		}
	}
	return r.recover(cmd, recovery)
}

func (r *recoverRun) recover(cmd *cobra.Command, recovery *app.Recovery) error {
	w := cmd.ErrOrStderr()
	p := newProgress(w, "Recovering")
	done, err := recovery.Run(cmd.Context(), app.RecoveryOptions{Email: r.email, Progress: p.set, Problem: func(file, why string) {
		if r.asJSON {
			r.failures = append(r.failures, fileFailure{file, why})
			return
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", shown(file), shown(why))
	}})
	p.end()
	if done.Password != "" && !r.asJSON {
		fmt.Fprintf(w, "%s is an admin. The password, shown only now:\n", shown(r.email))
		fmt.Fprintln(cmd.OutOrStdout(), done.Password)
	}
	err = errors.Join(err, r.report(cmd, &recovery.Plan, &done))
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitPartly, errors.New("the recovery was interrupted; run it again to continue")}
	case err != nil:
		return err
	}
	if !r.asJSON {
		fmt.Fprintf(w, "%s: %d recovered, %d not.\n", plural(done.Files, "file"), done.Ready, done.Failed)
	}
	if done.Failed > 0 {
		return &exitError{exitPartly, fmt.Errorf("%s could not be recovered; see blobs/lost", plural(done.Failed, "file"))}
	}
	return nil
}

// report writes the JSON document, if requested. done is nil if nothing was recovered.
func (r *recoverRun) report(cmd *cobra.Command, p *app.RecoveryPlan, done *app.Recovered) error {
	if !r.asJSON {
		return nil
	}
	type kind struct {
		Type  string `json:"type"` // "" if unknown
		Files int    `json:"files"`
		Bytes int64  `json:"bytes"`
	}
	type result struct {
		Files     int           `json:"files"`
		Recovered int           `json:"recovered"`
		Failed    int           `json:"failed"`
		Failures  []fileFailure `json:"failures"`
		Password  string        `json:"password,omitempty"`
	}
	var doc struct {
		Mismatch string  `json:"mismatch"` // why records and files do not belong together; "" if they do
		New      bool    `json:"new_records"`
		KeptAs   string  `json:"records_kept_as"`
		Files    int     `json:"files"`
		Bytes    int64   `json:"bytes"`
		Types    []kind  `json:"types"`
		Waiting  int64   `json:"waiting"` // files interrupted before they were read
		Result   *result `json:"result"`  // null if nothing was changed
	}
	if p.Unfit != nil {
		doc.Mismatch = p.Unfit.Why
	}
	doc.New, doc.KeptAs, doc.Files, doc.Bytes, doc.Types = p.New, p.Aside, p.Files, p.Bytes, []kind{}
	doc.Waiting = p.Waiting
	for _, t := range p.Types {
		doc.Types = append(doc.Types, kind{t.Name, t.Files, t.Bytes})
	}
	if done != nil {
		doc.Result = &result{done.Files, done.Ready, done.Failed, append([]fileFailure{}, r.failures...), done.Password}
	}
	return printJSON(cmd.OutOrStdout(), doc)
}

// printRecoveryPlan prints the recoverable files.
func printRecoveryPlan(w io.Writer, p *app.RecoveryPlan) {
	if p.Nothing() {
		fmt.Fprintln(w, "Nothing to recover: every file has a record.")
		return
	}
	if p.Waiting > 0 {
		fmt.Fprintf(w, "Interrupted before they were read: %s.\n", plural(p.Waiting, "file"))
	}
	if p.Unfit != nil {
		fmt.Fprintln(w, "Records and files do not belong together:", p.Unfit.Why)
		if p.New {
			fmt.Fprintln(w, "New records will be created, without what only the old ones knew about the files.")
		} else {
			fmt.Fprintln(w, "The present records will be kept, and belong to the files from then on.")
		}
		if p.Aside != "" {
			fmt.Fprintln(w, "The present dal.db will be kept as "+p.Aside+".")
		}
	}
	fmt.Fprintf(w, "Without a record: %s (%s).\n", plural(p.Files, "file"), bytesText(p.Bytes))
	t := newTable(w)
	for _, k := range p.Types {
		if k.Name == "" {
			k.Name = "unknown type"
		}
		fmt.Fprintf(t, "  %s\t%d\t%s\n", k.Name, k.Files, bytesText(k.Bytes))
	}
	t.Flush()
}
