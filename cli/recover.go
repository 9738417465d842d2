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
	cmd := &cobra.Command{Use: "recover", Short: "Create assets from orphaned files", Args: takes(),
		Long: `Creates assets from the orphaned files of the data folder, which no asset refers
to: those in blobs/lost, where the server moves them, and those still in blobs.
Each file is processed like an upload, including the virus scan. Its metadata and
title are read from the file; without a title, the asset is named "Recovered"
followed by the start of the checksum. All assets are added to a new collection
"Recovered DATE". Metadata that only the lost database contained (keywords,
collections, file names) cannot be recovered.

The command also helps if dal serve reports that database and files do not belong
together. Restore the right dal.db if you have it. Otherwise:

- If dal.db is older than the files, or from another library, recover asks, and
  then uses it. From then on it belongs to the files.
- If dal.db is missing, empty or damaged, recover creates a new database, with
  --user as an admin, whose password it prints. A damaged dal.db is kept as
  dal.db.before-recover-TIME.

The command lists what it found and asks first; --yes does not ask, --dry-run
changes nothing. Stop the server before. An interrupted or killed run continues
when the command is run again, and no asset is created twice. Files that cannot
become assets stay in blobs/lost and are listed on stdout.

Exit codes: 0 all files are recovered, or there were none; 1 nothing was changed,
because of an error or the answer no; 2 usage error, or no terminal to ask on;
3 some files were not recovered.`,
		Example: `  dal recover --dry-run
  dal recover --user ada@example.com --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd) }}
	f := flagsOf(cmd)
	f.yes(&r.yes, "yes", "do not ask")
	f.yes(&r.dryRun, "dry-run", "only list what can be recovered")
	f.user(s, &r.email, "user", "the `email` of the owner of the assets; by default, the first admin")
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
		return usagef("--user is required: the new database has no users yet, and this one becomes an admin")
	case !r.yes:
		if err := confirm(cmd, "Recover?", "--yes recovers the files, --dry-run only lists them"); err != nil {
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
		fmt.Fprintf(w, "%s is an admin. The password, which is not shown again:\n", shown(r.email))
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
		fmt.Fprintln(w, "Nothing to recover: there are no orphaned files.")
		return
	}
	if p.Waiting > 0 {
		fmt.Fprintf(w, "Interrupted before ingestion: %s.\n", plural(p.Waiting, "file"))
	}
	if p.Unfit != nil {
		fmt.Fprintln(w, "Database and files do not belong together:", p.Unfit.Why)
		if p.New {
			fmt.Fprintln(w, "A new database will be created, without the metadata of the old one.")
		} else {
			fmt.Fprintln(w, "The current database will be kept and belong to the files from then on.")
		}
		if p.Aside != "" {
			fmt.Fprintln(w, "The current dal.db will be kept as "+p.Aside+".")
		}
	}
	fmt.Fprintf(w, "Orphaned: %s (%s).\n", plural(p.Files, "file"), bytesText(p.Bytes))
	t := newTable(w)
	for _, k := range p.Types {
		if k.Name == "" {
			k.Name = "unknown type"
		}
		fmt.Fprintf(t, "  %s\t%d\t%s\n", k.Name, k.Files, bytesText(k.Bytes))
	}
	t.Flush()
}
