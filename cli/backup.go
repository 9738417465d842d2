package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/maintain"
)

func newBackup(s *settings) *cobra.Command {
	b := &backupRun{}
	cmd := &cobra.Command{
		Use: "backup TARGET", Short: "Back up the library incrementally to another folder", Args: takes("TARGET"),
		Long: `Creates a snapshot of the library in the folder TARGET, preferably on another disk:
the database at one point in time, and every file it refers to. The server can keep
running, and people can keep working. TARGET is created if missing; its parent
folder must exist. A backup folder belongs to one library.

Files are stored by checksum, so the next backup copies only new files. The
checksum of each file is verified while it is copied. Files that are damaged or
missing in the library are listed on stdout with their assets, one per line; all
others are backed up, and the exit code is 3. Damage to the library never affects
an intact copy in TARGET.

A snapshot appears once all of it is on the disk. An interrupted or killed backup
does not affect earlier snapshots, and the next backup continues with the files.

Keep TARGET as secret as the library. Quarantined files, the index, previews and
exports are not backed up; hash lists in signatures/ are.

Without dal, "sha256sum --quiet -c snapshots/*/SHA256SUMS" in TARGET verifies the
backup. A snapshot's dal.db and blobs/ in an empty folder form a library.`,
		Example: `  dal backup /mnt/disk/dal               create a snapshot
  dal backup /mnt/disk/dal --keep 7      and keep only the newest 7
  dal backup /mnt/disk/dal --verify      and verify all files in it
  dal backup list /mnt/disk/dal          list its snapshots
  dal serve --backup-dir /mnt/disk/dal   create one a day while serving
  dal restore /mnt/disk/dal --data new   restore the library`,
		ValidArgsFunction: completeArgs(folders),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" {
				return usagef("TARGET is empty; it must name the backup folder")
			}
			return s.with(cmd, func(a *app.App) error { return b.run(cmd, a, args[0]) })
		},
	}
	f := flagsOf(cmd)
	f.number(keepLimit(&b.opt.Keep), "keep",
		"keep only this `number` of the newest snapshots and their files; by default, all are kept")
	f.yes(&b.opt.Verify, "verify",
		"verify the checksums of all files in TARGET, and replace damaged ones")
	f.yes(&b.opt.New, "new", "start over in a folder that contained backups before and is empty now")
	f.json(&b.asJSON)
	cmd.AddCommand(newBackupList(), newBackupPrune())
	return cmd
}

// keepLimit returns the limit of the number of snapshots kept, which has the same bounds as
// that of the server.
func keepLimit(v *int) account.Limit {
	cfg := app.DefaultConfig()
	server := cfg.Limits().Of(&cfg.BackupKeep)
	return account.NewLimit("keep", v, *v, int(server.Min), int(server.Max))
}

// backupRun is one run of dal backup.
type backupRun struct {
	opt      maintain.BackupOptions
	asJSON   bool
	problems []string
}

// prunedItem reports the removal of old snapshots as JSON.
type prunedItem struct {
	Snapshots int   `json:"snapshots"`
	Files     int64 `json:"files"`
	Bytes     int64 `json:"bytes"`
}

func (b *backupRun) run(cmd *cobra.Command, a *app.App, target string) error {
	p := newProgress(cmd.ErrOrStderr(), "Backup")
	b.opt.Problem = collect(cmd, b.asJSON, &b.problems)
	b.opt.Progress = p.set
	start := time.Now()
	r, pruned, err := a.Maintenance.Backup(cmd.Context(), target, b.opt)
	p.end()
	if errors.Is(err, context.Canceled) {
		return errors.New("the backup was interrupted; earlier ones are not affected, and the next one continues")
	}
	placed, e := a.External.CountInPlace(cmd.Context())
	err = errors.Join(err, e)
	made := err == nil && r.Snapshot != "" && r.Records.SHA256 != ""
	if e := b.report(cmd, r, pruned, made, placed, time.Since(start)); e != nil || err != nil {
		return errors.Join(err, e)
	}
	if r.Problems == 0 {
		return nil
	}
	rest := "all other files are backed up"
	if r.Complete {
		rest = "the backup has intact copies of all of them"
	}
	return &exitError{exitPartly, fmt.Errorf("damaged or missing in the library: %s; %s", plural(r.Problems, "file"), rest)}
}

// report prints the result of a backup.
func (b *backupRun) report(cmd *cobra.Command, r backup.Result, pruned backup.Pruned, made bool, placed int, took time.Duration) error {
	if !b.asJSON {
		w := cmd.ErrOrStderr()
		if made {
			fmt.Fprintf(w, "Snapshot %s: %s, %s, %s; new: %s, %s; took %s.\n",
				r.Snapshot, plural(r.Assets, "asset"), plural(r.Files, "file"), bytesText(r.Bytes),
				plural(r.NewFiles, "file"), bytesText(r.NewBytes), took.Round(100*time.Millisecond))
			if placed > 0 {
				fmt.Fprintf(w, "Files in external libraries are not backed up, only their metadata: %s.\n", plural(placed, "asset"))
			}
		}
		printPruned(w, pruned)
		return nil
	}
	if !made {
		return nil
	}
	return printJSON(cmd.OutOrStdout(), struct {
		Snapshot string     `json:"snapshot"`
		Assets   int64      `json:"assets"`
		InPlace  int        `json:"assets_in_place"` // their files are not in the backup
		Files    int64      `json:"files"`
		Bytes    int64      `json:"bytes"`
		NewFiles int64      `json:"new_files"`
		NewBytes int64      `json:"new_bytes"`
		Complete bool       `json:"complete"`
		Removed  prunedItem `json:"removed"`
		Problems []string   `json:"problems"`
	}{
		r.Snapshot, r.Assets, placed, r.Files, r.Bytes, r.NewFiles, r.NewBytes, r.Complete, prunedItem(pruned),
		append([]string{}, b.problems...),
	})
}

// collect returns a function that prints one line of output at a time, or collects the
// lines for a JSON document.
func collect(cmd *cobra.Command, asJSON bool, lines *[]string) func(string) {
	return func(line string) {
		if asJSON {
			*lines = append(*lines, line)
			return
		}
		fmt.Fprintln(cmd.OutOrStdout(), shown(line))
	}
}

func printPruned(w io.Writer, p backup.Pruned) {
	if p != (backup.Pruned{}) {
		fmt.Fprintf(w, "Removed %s and %s, %s.\n", plural(p.Snapshots, "snapshot"), plural(p.Files, "file"), bytesText(p.Bytes))
	}
}

// snapshotItem is a snapshot as JSON.
type snapshotItem struct {
	Name     string    `json:"snapshot"`
	Time     time.Time `json:"created_at"`
	Assets   int64     `json:"assets"`
	Files    int64     `json:"files"`
	Bytes    int64     `json:"bytes"`
	Complete bool      `json:"complete"`
	Error    string    `json:"error,omitempty"`
}

func toSnapshotItem(s backup.Snapshot) snapshotItem {
	if s.Err != nil {
		return snapshotItem{Name: s.Name, Time: s.Time, Error: s.Err.Error()}
	}
	return snapshotItem{Name: s.Name, Time: s.Time, Assets: s.Assets, Files: s.Files, Bytes: s.Bytes, Complete: s.Complete}
}

func newBackupList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list TARGET", Short: "List the snapshots in a backup folder, newest first", Args: takes("TARGET"),
		Example: `  dal backup list /mnt/disk/dal
  dal backup list /mnt/disk/dal --json`,
		ValidArgsFunction: completeArgs(folders),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			t, err := backup.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			snapshots, err := t.Snapshots()
			if err != nil {
				return err
			}
			items := []snapshotItem{}
			for _, s := range snapshots {
				items = append(items, toSnapshotItem(s))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), items)
			}
			return printSnapshots(cmd.OutOrStdout(), items)
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

func printSnapshots(out io.Writer, items []snapshotItem) error {
	w := newTable(out)
	fmt.Fprintln(w, "SNAPSHOT\tTIME\tASSETS\tFILES\tSIZE\tSTATE")
	for _, s := range items {
		if s.Error != "" {
			fmt.Fprintf(w, "%s\t%s\t\t\t\tunusable: %s\n", s.Name, isoTime(s.Time), shown(s.Error))
			continue
		}
		state := "complete"
		if !s.Complete {
			state = "some files were damaged or missing"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", s.Name, isoTime(s.Time), s.Assets, s.Files, bytesText(s.Bytes), state)
	}
	return w.Flush()
}

func newBackupPrune() *cobra.Command {
	var keep int
	var asJSON bool
	cmd := &cobra.Command{Use: "prune TARGET --keep NUMBER", Short: "Remove old snapshots from a backup folder", Args: takes("TARGET"),
		Long: `Removes all but the newest snapshots from a backup folder, and the files that no
remaining snapshot contains. The newest complete snapshot is always kept. Files
that dal did not create are not changed.`,
		Example:           `  dal backup prune /mnt/disk/dal --keep 7`,
		ValidArgsFunction: completeArgs(folders),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			t, err := backup.OpenToPrune(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			pruned, err := t.Prune(cmd.Context(), keep)
			if asJSON {
				return errors.Join(err, printJSON(cmd.OutOrStdout(), prunedItem(pruned)))
			}
			printPruned(cmd.ErrOrStderr(), pruned)
			return err
		}}
	f := flagsOf(cmd)
	f.number(keepLimit(&keep), "keep", "the `number` of snapshots to keep")
	f.json(&asJSON)
	f.required("keep")
	return cmd
}
