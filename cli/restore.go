package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/library"
)

func newRestore(s *settings) *cobra.Command {
	r := &restoreRun{settings: s, at: backup.Latest}
	cmd := &cobra.Command{
		Use: "restore TARGET --data FOLDER", Short: "Restore a library from a backup into a new folder", Args: takes("TARGET"),
		Long: `Restores a snapshot in the backup folder TARGET to the folder --data, which must be
empty or missing: nothing is ever overwritten. The checksum of every file is
verified. Damaged files are listed on stdout with their assets, and all others are
restored. Then the new library is checked like with dal check, with the same exit
codes.

The database is restored last: if the restore is interrupted or killed, the server
does not start on the folder, and the same command continues the restore.

--at selects the newest snapshot that is not later than the given time, in UTC if
it has no zone; a date means the end of that day. Users, tokens and webhooks return
to their state at that time: tokens revoked since are valid again, and deliveries
that were pending are sent again. The index and the previews are rebuilt when the
server first starts.`,
		Example: `  dal restore /mnt/disk/dal --data ./restored
  dal restore /mnt/disk/dal --data ./restored --at 2026-01-31
  dal restore /mnt/disk/dal --data ./restored --at 2026-01-31T12:00:00Z`,
		ValidArgsFunction: completeArgs(folders),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.requireData("the folder to restore into"); err != nil {
				return err
			}
			return r.run(cmd, args[0])
		},
	}
	f := flagsOf(cmd)
	f.text(&r.at, "at", "the `time` to restore, or the name of a snapshot", backup.Latest)
	f.json(&r.asJSON)
	return cmd
}

// restoreRun is one run of dal restore.
type restoreRun struct {
	*settings
	at       string
	asJSON   bool
	problems []string
}

func (r *restoreRun) run(cmd *cobra.Command, target string) error {
	snapshot, problems, err := r.restore(cmd, target)
	if errors.Is(err, context.Canceled) {
		return errors.New("the restore was interrupted; run the same command again to continue")
	}
	if err != nil {
		return err
	}
	c := &checkRun{asJSON: r.asJSON}
	err = r.withAccess(cmd, library.AccessCheck, func(a *app.App) error { return c.check(cmd, a) })
	if err == nil && r.asJSON {
		err = printJSON(cmd.OutOrStdout(), struct {
			Snapshot snapshotItem `json:"snapshot"`
			Problems []string     `json:"problems"`
			Check    checkItem    `json:"check"`
		}{toSnapshotItem(snapshot), append([]string{}, r.problems...), c.item})
	}
	if err = errors.Join(err, c.verdict()); err != nil || problems == 0 {
		return err
	}
	return &exitError{exitPartly, fmt.Errorf("damaged or missing in the backup: %s", plural(problems, "file"))}
}

// restore restores the files and the records.
func (r *restoreRun) restore(cmd *cobra.Command, target string) (snapshot backup.Snapshot, problems int64, err error) {
	t, err := backup.Open(target)
	if err != nil {
		return snapshot, 0, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if snapshot, err = t.Pick(r.at); err != nil {
		return snapshot, 0, wrongUse(err)
	}
	w := cmd.ErrOrStderr()
	if !r.asJSON {
		fmt.Fprintf(w, "Snapshot %s: %s, %s, %s.\n",
			snapshot.Name, plural(snapshot.Assets, "asset"), plural(snapshot.Files, "file"), bytesText(snapshot.Bytes))
	}
	p := newProgress(w, "Restore")
	defer p.end()
	problems, err = t.Restore(cmd.Context(), snapshot, r.data, backup.Options{
		Workers: restoreWorkers, Progress: p.set, Problem: collect(cmd, r.asJSON, &r.problems),
	})
	return snapshot, problems, err
}

// restoreWorkers is the number of batches of files that are restored concurrently.
const restoreWorkers = 4
