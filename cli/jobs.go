package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

func newJobs(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "jobs", Short: "Show how many background jobs are waiting, and which failed permanently", Args: takes(),
		Example: `  dal jobs
  dal jobs --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				counts, dead, err := a.Maintenance.JobStatus(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return printJobsJSON(cmd, counts, dead)
				}
				w := newTable(cmd.OutOrStdout())
				fmt.Fprintln(w, "KIND\tWAITING\tRUNNING\tFAILED")
				for _, kind := range sortedNames(counts) {
					n := counts[kind]
					fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", kind, n[dam.JobReady], n[dam.JobRunning], n[dam.JobDead])
				}
				if err := w.Flush(); err != nil {
					return err
				}
				for _, j := range dead {
					fmt.Fprintf(cmd.OutOrStdout(), "job %d (%s %d) failed permanently after %s: %s\n",
						j.ID, j.Kind, j.Subject, plural(j.Attempt, "attempt"), shown(j.LastError))
				}
				return nil
			})
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

func printJobsJSON(cmd *cobra.Command, counts map[dam.JobKind]map[dam.JobState]int, dead []*dam.Job) error {
	type item struct {
		ID       int64       `json:"id"`
		Kind     dam.JobKind `json:"kind"`
		Subject  int64       `json:"subject_id"`
		Attempts int         `json:"attempts"`
		Error    string      `json:"last_error"`
	}
	items := []item{}
	for _, j := range dead {
		items = append(items, item{j.ID, j.Kind, j.Subject, j.Attempt, j.LastError})
	}
	return printJSON(cmd.OutOrStdout(), struct {
		Counts map[dam.JobKind]map[dam.JobState]int `json:"counts"`
		Dead   []item                               `json:"dead"`
	}{counts, items})
}
