package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/app/dam"
)

func newBackup(s *settings) *cobra.Command {
	var opt app.BackupOptions
	cmd := &cobra.Command{Use: "backup TARGET", Short: "Copy the library to another folder, only what is new", Args: cobra.ExactArgs(1),
		Long: `Makes a snapshot of the library in the folder TARGET, which is best on another
disk: the records as they are at one moment, and every file they name. The
server may run meanwhile, and people may work. TARGET is made when missing; the
folder above it must be there. It belongs to one library.

Files are kept under their checksum, so the next backup copies only what is
new. Each is compared with its checksum while it is copied. One that is damaged
or missing in the library goes to stdout with what it belongs to, one line
each; the rest is done, and the exit code is 3. A good copy in TARGET stays
good, whatever happens to the library.

A snapshot appears when all of it is on the disk. A backup that is broken off,
or killed, leaves those before it as they were, and the next one goes on with
the files.

What is in TARGET is as secret as the library. Quarantined files, the index,
previews and exports are left out; hash lists in signatures/ are kept.

  dal backup /mnt/disk/dal              a snapshot; again tomorrow
  dal backup /mnt/disk/dal --keep 7     and remove all but the newest 7
  dal backup /mnt/disk/dal --verify     and read again all that is there
  dal backup list /mnt/disk/dal         what is there
  dal serve --backup-dir /mnt/disk/dal  one a day, by the server
  dal restore /mnt/disk/dal --data new  make a library of it again

Without dal: in TARGET, "sha256sum --quiet -c snapshots/*/SHA256SUMS" checks all
of it, and dal.db of a snapshot with blobs/ beside it in an empty folder is a
library.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("keep") && opt.Keep < 1 {
				return &exitError{exitUsage, errors.New("--keep is at least 1")}
			}
			if args[0] == "" {
				return &exitError{exitUsage, errors.New("TARGET names the folder to copy to")}
			}
			return s.existing(cmd, func(a *app.App) error { return makeBackup(cmd, a, args[0], opt) })
		}}
	f := cmd.Flags()
	f.IntVar(&opt.Keep, "keep", 0, "remove all snapshots but the newest `number`, and what only they name; 0 removes none")
	f.BoolVar(&opt.Verify, "verify", false, "read all files in TARGET again and compare them with their checksums; what is damaged is copied anew")
	f.BoolVar(&opt.New, "new", false, "begin anew in a folder that held backups before and holds none now")
	cmd.AddCommand(newBackupList(), newBackupPrune())
	return cmd
}

func makeBackup(cmd *cobra.Command, a *app.App, target string, opt app.BackupOptions) error {
	w := cmd.ErrOrStderr()
	p := newProgress(w, "Backup")
	opt.Problem = func(problem string) { fmt.Fprintln(cmd.OutOrStdout(), problem) }
	opt.Progress = p.set
	start := time.Now()
	r, pruned, err := a.Backup(cmd.Context(), target, opt)
	p.end()
	if errors.Is(err, context.Canceled) {
		return errors.New("the backup was broken off; those before it are as they were, and the next one goes on")
	}
	if r.Snapshot != "" && r.Records.SHA256 != "" && err == nil {
		fmt.Fprintf(w, "Snapshot %s: %d assets, %d files, %s; %d files, %s were new; %s.\n", r.Snapshot, r.Assets, r.Files, humanize.IBytes(uint64(r.Bytes)),
			r.NewFiles, humanize.IBytes(uint64(r.NewBytes)), time.Since(start).Round(100*time.Millisecond))
	}
	tellPruned(w, pruned)
	switch {
	case err != nil:
		return err
	case r.Problems > 0 && r.Complete:
		return &exitError{exitPartly, fmt.Errorf("%d files are damaged or missing in the library; the backup has them all", r.Problems)}
	case r.Problems > 0:
		return &exitError{exitPartly, fmt.Errorf("%d files are damaged or missing in the library; the backup has all others", r.Problems)}
	}
	return nil
}

func tellPruned(w io.Writer, p backup.Pruned) {
	if p != (backup.Pruned{}) {
		fmt.Fprintf(w, "%d snapshots removed, and %d files, %s.\n", p.Snapshots, p.Files, humanize.IBytes(uint64(p.Bytes)))
	}
}

func newBackupList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list TARGET", Short: "Show the snapshots in a backup folder, the newest first", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			t, err := backup.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			list, err := t.Snapshots()
			if err != nil {
				return err
			}
			return showSnapshots(cmd.OutOrStdout(), list, asJSON)
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func showSnapshots(out io.Writer, list []backup.Snapshot, asJSON bool) error {
	if asJSON {
		type item struct {
			Name     string    `json:"snapshot"`
			Time     time.Time `json:"created_at"`
			Assets   int64     `json:"assets"`
			Files    int64     `json:"files"`
			Bytes    int64     `json:"bytes"`
			Complete bool      `json:"complete"`
			Error    string    `json:"error,omitempty"`
		}
		items := []item{}
		for _, s := range list {
			i := item{Name: s.Name, Time: s.Time}
			if s.Err != nil {
				i.Error = s.Err.Error()
			} else {
				i.Assets, i.Files, i.Bytes, i.Complete = s.Assets, s.Files, s.Bytes, s.Complete
			}
			items = append(items, i)
		}
		return printJSON(out, items)
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "SNAPSHOT\tTIME\tASSETS\tFILES\tSIZE\tSTATE")
	for _, s := range list {
		at := s.Time.Format("2006-01-02 15:04:05")
		switch {
		case s.Err != nil:
			fmt.Fprintf(w, "%s\t%s\t\t\t\tcannot be used: %v\n", s.Name, at, s.Err)
		case s.Complete:
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\tcomplete\n", s.Name, at, s.Assets, s.Files, humanize.IBytes(uint64(s.Bytes)))
		default:
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\tsome files were damaged or missing\n", s.Name, at, s.Assets, s.Files, humanize.IBytes(uint64(s.Bytes)))
		}
	}
	return w.Flush()
}

func newBackupPrune() *cobra.Command {
	var keep int
	cmd := &cobra.Command{Use: "prune TARGET --keep N", Short: "Remove old snapshots from a backup folder", Args: cobra.ExactArgs(1),
		Long: `Removes all snapshots but the newest N from a backup folder, and the files that
none of those which stay names. The newest complete snapshot stays in any case.
What dal did not make is left alone.`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if keep < 1 {
				return &exitError{exitUsage, errors.New("--keep says how many snapshots stay, at least 1")}
			}
			t, err := backup.OpenToPrune(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			p, err := t.Prune(cmd.Context(), keep)
			tellPruned(cmd.ErrOrStderr(), p)
			return err
		}}
	cmd.Flags().IntVar(&keep, "keep", 0, "how many snapshots stay, a `number`")
	return cmd
}

func newRestore(s *settings) *cobra.Command {
	var at string
	cmd := &cobra.Command{Use: "restore TARGET --data DIR", Short: "Make a library of a backup, in a new folder", Args: cobra.ExactArgs(1),
		Long: `Makes a library of a snapshot in the backup folder TARGET, in the folder that
--data names, which must be empty or missing: a library that is there, or
anything else, is never overwritten. Every byte is compared with its checksum
on the way. What is damaged in the backup goes to stdout with what it belongs
to, and the rest is done. Then dal check reads all of the new library, and the
exit code is its.

The records come last: a restore that is broken off, or killed, leaves a folder
that the server refuses. The same command again goes on.

  dal restore /mnt/disk/dal --data ./dal-data
  dal restore /mnt/disk/dal --data ./dal-data --at 2026-01-31
  dal restore /mnt/disk/dal --data ./dal-data --at 2026-01-31T12:00:00Z

--at takes the newest snapshot that is not after that time, in UTC if it names
no zone; a day means its end. Users, tokens and webhooks are as they were then:
what was revoked since is valid again, and what was waiting for a webhook goes
out again. The first start of the server makes index and previews anew.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.data == "" {
				return &exitError{exitUsage, errors.New("--data names the folder to restore into")}
			}
			problems, err := restore(cmd, s, args[0], at)
			if errors.Is(err, context.Canceled) {
				return errors.New("the restore was broken off; the same command goes on")
			}
			if err != nil {
				return err
			}
			check := newCheck(s)
			check.SetContext(cmd.Context())
			check.SetOut(cmd.OutOrStdout())
			check.SetErr(cmd.ErrOrStderr())
			if err := check.RunE(check, nil); err != nil || problems == 0 {
				return err
			}
			return &exitError{exitPartly, fmt.Errorf("%d files were damaged or missing in the backup", problems)}
		}}
	cmd.Flags().StringVar(&at, "at", backup.Latest, "the `time` to go back to, or the name of a snapshot")
	return cmd
}

func restore(cmd *cobra.Command, s *settings, target, at string) (problems int64, err error) {
	t, err := backup.Open(target)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	snapshot, err := t.Pick(at)
	if err != nil {
		return 0, err
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "Snapshot %s: %d assets, %d files, %s.\n", snapshot.Name, snapshot.Assets, snapshot.Files, humanize.IBytes(uint64(snapshot.Bytes)))
	p := newProgress(w, "Restore")
	defer p.end()
	return t.Restore(cmd.Context(), snapshot, s.data, backup.Options{Workers: restoreWorkers, Progress: p.set,
		Problem: func(problem string) { fmt.Fprintln(cmd.OutOrStdout(), problem) }})
}

// restoreWorkers is how many batches of files are restored at once.
const restoreWorkers = 4

// tellLastBackup says when a backup was made.
func tellLastBackup(ctx context.Context, w io.Writer, a *app.App) error {
	last, made, err := a.LastBackup(ctx)
	if err != nil {
		return err
	}
	when := func(b *dam.Backup) string { return b.Ended.Format("2006-01-02 15:04:05") }
	if made == nil {
		fmt.Fprintln(w, "Last backup: none; see dal help backup.")
	} else {
		fmt.Fprintf(w, "Last backup: %s to %s, %d files, %d damaged or missing.\n", when(made), made.Target, made.Files, made.Problems)
	}
	if last != nil && last.Error != "" {
		fmt.Fprintf(w, "The backup of %s failed: %s\n", when(last), last.Error)
	}
	return nil
}
