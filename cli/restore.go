package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/backup"
)

func newRestore(s *settings) *cobra.Command {
	r := &restoreRun{settings: s, at: backup.Latest}
	cmd := &cobra.Command{
		Use: "restore TARGET --data FOLDER", Short: "Turn a backup back into a library, in a new folder", Args: takes("TARGET"),
		Long: `Turns a snapshot in the backup folder TARGET into a library, in the folder that
--data names. That folder must be empty or missing: neither a library nor anything
else is ever overwritten. Every byte is compared with its checksum on the way.
What is damaged in the backup is listed on stdout with what it belongs to, and
everything else is restored. Then the new library is checked as dal check does,
with the same exit codes.

The records come last: if a restore is interrupted or killed, the server refuses
the folder, and the same command continues.

--at picks the newest snapshot that is not later than the given time, in UTC if it
has no zone; a day means its end. Users, tokens and webhooks are as they were
then: what has been revoked since is valid again, and what was waiting for a
webhook is sent again. The index and the previews are rebuilt when the server
first starts.`,
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
	f.text(&r.at, "at", "the `time` to go back to, or the name of a snapshot", backup.Latest)
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
		return errors.New("the restore was interrupted; the same command continues")
	}
	if err != nil {
		return err
	}
	c := &checkRun{asJSON: r.asJSON}
	err = r.withAccess(cmd, app.AccessCheck, func(a *app.App) error { return c.check(cmd, a) })
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
