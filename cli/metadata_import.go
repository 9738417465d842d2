package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/library"
)

// maxTableRows is the maximum number of rows in the JSON of an import.
const maxTableRows = 10_000

func newMetadataImport(s *settings) *cobra.Command {
	cfg := app.DefaultConfig()
	cfg.Access = library.AccessWrite
	cfg.KeepAll()
	size := cfg.Limits().Of(&cfg.MaxTableSize)
	i := &tableImport{spec: dam.ImportSpec{MatchBy: "gaid"}, empty: string(dam.EmptyKeep)}
	cmd := &cobra.Command{
		Use: "import FILE.csv --user EMAIL", Short: "Change the metadata of assets from a CSV file", Args: takes("FILE.csv"),
		Long: `Changes one asset per row of a CSV file (- for stdin). The first line contains the
names of the columns, which are those of an export: gaid, title, keywords,
capture_date, location.place, metadata.project. Read-only columns, such as
file_size, are ignored. The encoding is UTF-8 or, with a byte order mark, UTF-16;
the separator, a comma, semicolon or tab, is detected.

Cells with the current value change nothing, so an exported CSV file changes nothing
until it is edited. Separate the items of lists by semicolons, write terms as key or
label, and dates as 2026-01-31 or 2026-01-31T12:00:00Z. An empty cell keeps the
value; with --empty clear it removes the value.

--match selects the column that identifies the asset: gaid, filename, checksum, or a
field such as metadata.inventory_number. A row fails without affecting others if it
matches no asset, several assets or the asset of an earlier row, or if one of its
values is invalid. Failed rows are listed on stderr with their lines.

--dry-run lists the changes on stdout without making them.

If a server runs on the same data folder, it makes the changes; otherwise this
command does. An interrupted import resumes in the server, or when the same command
is run again; no row is applied twice.

Exit codes: 0 success; 1 failure, or all rows failed; 2 usage error; 3 some rows
failed, or the import was interrupted.`,
		Example: `  dal metadata import harbour.csv --user ada@example.com --dry-run
  dal metadata import inventory.csv --user ada@example.com --match metadata.inventory_number`,
		ValidArgsFunction: completeArgs(filesOf("csv", "tsv", "txt")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := i.check(); err != nil {
				return err
			}
			a, err := s.open(cmd, cfg)
			if err != nil {
				return err
			}
			return errors.Join(i.run(cmd, a, args[0]), a.Close())
		},
	}
	f := flagsOf(cmd)
	f.user(s, &i.email, "user", "the `email` of the user in whose name the changes are made")
	f.text(&i.spec.MatchBy, "match", "the `column` that identifies the asset: gaid, filename, checksum or metadata.KEY",
		"gaid", "filename", "checksum", "metadata.")
	f.choice(&i.empty, "empty", "the effect of an empty cell: keep or clear it", []string{string(dam.EmptyKeep), string(dam.EmptyClear)})
	f.yes(&i.spec.IgnoreUnknown, "ignore-unknown", "ignore columns that match no field instead of rejecting the file")
	f.yes(&i.dryRun, "dry-run", "list the changes without making them")
	f.size(size, "max-table-size", "the maximum size of the file")
	f.diskReserve(cfg.Limits().Of(&cfg.DiskReserve))
	f.json(&i.asJSON)
	f.required("user")
	return cmd
}

// tableImport is one run of dal metadata import.
type tableImport struct {
	email, empty   string
	spec           dam.ImportSpec
	dryRun, asJSON bool
	rows           []tableRow
	more           int // number of rows omitted from rows
}

// tableRow is a row of a table in the output.
type tableRow struct {
	Line    int                    `json:"line"`
	GAID    string                 `json:"gaid"`
	Outcome string                 `json:"outcome"`
	Code    string                 `json:"code,omitempty"`
	Field   string                 `json:"field,omitempty"`
	Message string                 `json:"message,omitempty"`
	Changes map[string]tableChange `json:"changes,omitempty"`
}

// tableChange is the change of a field.
type tableChange struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// check validates the flags.
func (i *tableImport) check() error {
	switch i.spec.MatchBy {
	case "filename":
		i.spec.MatchBy = "original_filename"
	case "checksum":
		i.spec.MatchBy = "checksum_sha256"
	}
	if !dam.CanMatch(i.spec.MatchBy) {
		return usagef("--match %s: must be gaid, filename, checksum or metadata. followed by the key of a field", i.spec.MatchBy)
	}
	i.spec.Empty = dam.EmptyCells(i.empty)
	return nil
}

func (i *tableImport) run(cmd *cobra.Command, a *app.App, path string) error {
	ctx := cmd.Context()
	u, err := a.Accounts.UserByEmail(ctx, i.email)
	if err != nil {
		return fmt.Errorf("--user %s: %w", i.email, err)
	}
	if u.DisabledAt != nil {
		return fmt.Errorf("%s is disabled", i.email)
	}
	actor := dam.Actor{User: u}
	in := io.NopCloser(cmd.InOrStdin())
	if path != "-" {
		if in, err = os.Open(path); err != nil {
			return err
		}
	}
	defer in.Close()
	if i.dryRun {
		err = i.plan(cmd, a, actor, filepath.Base(path), in)
	} else {
		err = i.change(cmd, a, actor, filepath.Base(path), in)
	}
	if dam.KindOf(err) == dam.Invalid {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// plan shows the effects of the import.
func (i *tableImport) plan(cmd *cobra.Command, a *app.App, actor dam.Actor, name string, in io.Reader) error {
	p, err := a.Operations.PlanTable(cmd.Context(), actor, name, in, i.spec, func(item bulk.PreviewItem) {
		row := tableRow{Line: item.Line, GAID: string(item.GAID), Outcome: string(item.State), Changes: map[string]tableChange{}}
		for _, c := range item.Changes {
			row.Changes[c.Field] = tableChange{c.From, c.To}
			if !i.asJSON {
				fmt.Fprintf(cmd.OutOrStdout(), "%d: %s: %s: %s → %s\n", item.Line, item.GAID, c.Field, compact(c.From), compact(c.To))
			}
		}
		i.add(cmd, row, item.Error)
	})
	if err != nil {
		return err
	}
	failed := p.NotFound + p.Invalid
	return i.report(cmd, 0, tableSum{p.Total, p.Changed, p.Unchanged, failed})
}

// change imports the table.
func (i *tableImport) change(cmd *cobra.Command, a *app.App, actor dam.Actor, name string, in io.Reader) error {
	ctx := cmd.Context()
	r := &runner{app: a}
	p := newProgress(cmd.ErrOrStderr(), "Importing")
	op, err := a.Operations.ImportTable(ctx, actor, name, in, bulk.TableOptions{
		ImportSpec: i.spec,
		Progress:   func(op *dam.Operation) { p.set(int64(op.Next()), int64(op.Total)) },
		Waiting:    func() error { return r.unlessServed(ctx) },
		Failed: func(item dam.OperationItem) {
			i.add(cmd, tableRow{Line: item.Line, GAID: string(item.GAID), Outcome: string(item.State)}, item.Error)
		},
	})
	p.end()
	err = errors.Join(err, r.stop())
	if errors.Is(err, context.Canceled) {
		return &exitError{exitPartly, errors.New("the import was interrupted; run it again to continue")}
	}
	if err != nil {
		return err
	}
	if err := i.report(cmd, op.ID, tableSum{op.Total, op.Done - op.Unchanged, op.Unchanged, op.Failed}); err != nil {
		return err
	}
	if op.State == dam.OperationCancelled || op.Error != nil && op.Error.Code != dam.CodeAllFailed {
		return &exitError{exitPartly, fmt.Errorf("the import is %s after %d of %d rows", op.State, op.Next(), op.Total)}
	}
	return nil
}

// add adds a row to the output, and prints the reason on stderr if it failed.
func (i *tableImport) add(cmd *cobra.Command, row tableRow, fault *dam.OperationError) {
	if fault != nil {
		row.Code, row.Field, row.Message = string(fault.Code), fault.Field, fault.Message
		fmt.Fprintf(cmd.ErrOrStderr(), "line %d: %s\n", row.Line, shown(strings.TrimPrefix(fault.Field+": "+fault.Message, ": ")))
	}
	if len(i.rows) == maxTableRows {
		i.more++
	} else if i.asJSON {
		i.rows = append(i.rows, row)
	}
}

// tableSum counts rows by outcome.
type tableSum struct{ rows, changed, unchanged, failed int }

// report prints the counts, and returns an error if rows failed. operation is 0 for a dry
// run.
func (i *tableImport) report(cmd *cobra.Command, operation int64, n tableSum) error {
	if i.asJSON {
		err := printJSON(cmd.OutOrStdout(), struct {
			Operation int64      `json:"operation_id,omitempty"`
			DryRun    bool       `json:"dry_run"`
			Rows      int        `json:"rows"`
			Changed   int        `json:"changed"`
			Unchanged int        `json:"unchanged"`
			Failed    int        `json:"failed"`
			Outcomes  []tableRow `json:"outcomes"` // failed rows and, in a dry run, rows that would change something
			More      int        `json:"more_outcomes"`
		}{operation, i.dryRun, n.rows, n.changed, n.unchanged, n.failed, append([]tableRow{}, i.rows...), i.more})
		if err != nil {
			return err
		}
	}
	done := "changed"
	if i.dryRun {
		done = "would change"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d %s, %d unchanged, %d failed.\n", plural(n.rows, "row"), n.changed, done, n.unchanged, n.failed)
	switch {
	case n.failed == 0:
		return nil
	case n.failed == n.rows:
		return errors.New("all rows failed")
	}
	return &exitError{exitPartly, fmt.Errorf("%s failed", plural(n.failed, "row"))}
}

// compact formats a value as JSON on one line.
func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shown(string(text))
}
