package cli

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

func newAudit(s *settings) *cobra.Command {
	var asJSON bool
	var limit int
	var f dam.AuditFilter
	cmd := &cobra.Command{Use: "audit", Short: "Read the audit trail: requests, log-ins, and what was done to accounts, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Event != "" && !dam.Valid(f.Event) {
				return &exitError{exitUsage, fmt.Errorf("--event %q is none of %s", f.Event, eventList())}
			}
			return s.existing(cmd, func(a *app.App) error {
				entries, _, err := a.Trail.Entries(cmd.Context(), f, dam.Page{Limit: limit})
				if err != nil {
					return err
				}
				if asJSON {
					type item struct {
						At        time.Time      `json:"created_at"`
						Event     dam.AuditEvent `json:"event"`
						RequestID string         `json:"request_id"`
						UserID    int64          `json:"user_id"`
						TokenID   int64          `json:"token_id"`
						Account   string         `json:"account"`
						Target    string         `json:"target"`
						Count     int            `json:"count"`
						Method    string         `json:"method"`
						Path      string         `json:"path"`
						Status    int            `json:"status"`
						MS        float64        `json:"response_time_ms"`
						IP        string         `json:"ip"`
					}
					items := []item{}
					for _, e := range entries {
						items = append(items, item{e.At, e.Event, e.RequestID, e.UserID, e.TokenID, e.Account, e.Target, e.Count, e.Method, e.Path, e.Status, float64(e.Duration.Microseconds()) / 1000, e.IP})
					}
					return printJSON(cmd.OutOrStdout(), items)
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "TIME\tEVENT\tUSER\tTOKEN\tIP\tSTATUS\tTOOK\tREQUEST\tACCOUNT")
				for _, e := range entries {
					event, about := string(e.Event), shown(strings.TrimSpace(e.Account+" "+e.Target))
					if e.Count > 1 {
						event += fmt.Sprintf(" x%d", e.Count)
					}
					fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%d\t%s\t%s %s\t%s\n", e.At.Format("2006-01-02 15:04:05"), event, e.UserID, e.TokenID, e.IP, e.Status,
						e.Duration.Round(100*time.Microsecond), e.Method, shown(e.Path), about)
				}
				return w.Flush()
			})
		}}
	fl := cmd.Flags()
	fl.BoolVar(&asJSON, "json", false, "write JSON")
	fl.IntVar(&limit, "limit", 100, "how many entries")
	fl.Int64Var(&f.UserID, "user-id", 0, "only requests of this user")
	fl.Int64Var(&f.TokenID, "token-id", 0, "only requests with this token")
	fl.IntVar(&f.Status, "status", 0, "only requests answered with this status")
	fl.StringVar(&f.Method, "method", "", "only requests with this method; CLI stands for commands")
	fl.StringVar((*string)(&f.Event), "event", "", "only entries about this: "+eventList())
	fl.StringVar(&f.Account, "account", "", "only what was done to the account with this `email`, and attempts at it")
	return cmd
}

func eventList() string {
	names := make([]string, 0, len(dam.Values[dam.AuditEvent]()))
	for _, e := range dam.Values[dam.AuditEvent]() {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}

func newReindex(s *settings) *cobra.Command {
	return &cobra.Command{Use: "reindex", Short: "Build the text index anew, while the server goes on", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.existing(cmd, func(a *app.App) error {
				unlock, err := a.Lock()
				if errors.Is(err, app.ErrInUse) {
					return reindexByServer(cmd, a)
				}
				if err != nil {
					return err
				}
				defer unlock()
				if err := a.OpenSearch(cmd.Context()); err != nil {
					return err
				}
				p := newProgress(cmd.ErrOrStderr(), "Indexing")
				err = a.Reindex(cmd.Context(), func(done, total int64) { p.set(done, total) })
				p.end()
				return err
			})
		}}
}

func reindexByServer(cmd *cobra.Command, a *app.App) error {
	pending, err := a.RequestReindex(cmd.Context())
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "The server builds the index; waiting for it. It goes on if this is interrupted.")
	t := time.NewTicker(200 * time.Millisecond)
	defer t.Stop()
	for {
		if still, err := pending(cmd.Context()); err != nil || !still {
			return err
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-t.C:
		}
	}
}

func newCheck(s *settings) *cobra.Command {
	var quick, repair bool
	var from []string
	cmd := &cobra.Command{Use: "check", Short: "Check that every record has its file and every file its checksum", Args: cobra.NoArgs,
		Long: `Checks the database, reads every file and compares it with its checksum, and
looks for files without a record. Assets whose file is damaged are marked, and
are not any more once it is whole. What is wrong goes to stdout, one line each,
and the exit code is 1 if there is anything. It may run beside the server, and on
a disk that is mounted read-only.

The next start of the server moves a file without a record to blobs/lost, where
it is kept for --lost-keep; dal recover makes assets of such files. What is in
blobs/lost is listed, too, but is nothing wrong.

With --repair it mends what can be mended, says of each thing what became of it,
and the exit code is 1 if anything is wrong still. A file that is replaced is
kept in blobs/damaged for 30 days.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(from) > 0 && !repair {
				return &exitError{exitUsage, errors.New("--from says where --repair finds files; it is nothing without it")}
			}
			access := app.AccessCheck
			if repair {
				access = app.AccessWrite
			}
			return s.access(cmd, access, func(a *app.App) error {
				p := newProgress(cmd.ErrOrStderr(), "Checking")
				tell := func(what string) { fmt.Fprintln(cmd.OutOrStdout(), shown(what)) }
				check := func() (app.CheckReport, error) { return a.Check(cmd.Context(), !quick, tell, p.set) }
				if repair {
					check = func() (app.CheckReport, error) {
						return a.Repair(cmd.Context(), app.RepairOptions{Full: !quick, From: from}, tell, p.set)
					}
				}
				report, err := check()
				p.end()
				if err != nil {
					return err
				}
				w := cmd.ErrOrStderr()
				listLost(cmd, report.Lost)
				fmt.Fprintf(w, "%d files checked, %d problems.\n", report.Blobs, report.Problems)
				scanner, err := a.ScannerStatus(cmd.Context())
				if err != nil {
					scanner = "away: " + err.Error()
				}
				fmt.Fprintln(w, "Virus scan:", shown(scanner))
				meanings, err := a.Meanings(cmd.Context())
				if err != nil {
					return err
				}
				for _, m := range meanings {
					fmt.Fprintf(w, "Search by meaning: %s has read the texts of %d assets; it refused %d of them.\n", shown(m.Model), m.Vectors, m.Refused)
				}
				if err := tellLastBackup(cmd.Context(), w, a); err != nil {
					return err
				}
				fmt.Fprintln(w, "Not in this build: text recognition, tags and captions.")
				if report.DeadJobs > 0 {
					fmt.Fprintf(w, "%d jobs gave up; see dal jobs.\n", report.DeadJobs)
				}
				if report.Problems > 0 {
					return fmt.Errorf("%d problems found", report.Problems)
				}
				return nil
			})
		}}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend what can be mended")
	cmd.Flags().StringSliceVar(&from, "from", nil, "a `folder`, such as a backup, in which --repair looks for the bytes of damaged files (repeatable)")
	cmd.Flags().BoolVar(&quick, "quick", false, "do not read the files, only look whether they are there with their size")
	return cmd
}

func newJobs(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "jobs", Short: "Show background jobs: how many wait, and those that gave up", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.existing(cmd, func(a *app.App) error {
				counts, dead, err := a.JobStatus(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), map[string]any{"counts": counts, "dead": dead})
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "KIND\tWAITING\tRUNNING\tGAVE UP")
				for kind, n := range counts {
					fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", kind, n[dam.JobReady], n[dam.JobRunning], n[dam.JobDead])
				}
				if err := w.Flush(); err != nil {
					return err
				}
				for _, j := range dead {
					fmt.Fprintf(cmd.OutOrStdout(), "job %d (%s %d) gave up after %d attempts: %s\n", j.ID, j.Kind, j.Subject, j.Attempt, shown(j.LastError))
				}
				return nil
			})
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func newOpenAPI(*settings) *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the description of the interface: OpenAPI 3.1 in JSON", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			srv, err := web.New(nil, web.Options{})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", srv.OpenAPI())
			return err
		}}
}
