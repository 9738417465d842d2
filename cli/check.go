package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/maintain"
)

func newCheck(s *settings) *cobra.Command {
	c := &checkRun{}
	cfg := app.DefaultConfig()
	cfg.AIKey = os.Getenv(aiKey)
	cmd := &cobra.Command{Use: "check", Short: "Verify the database and the checksum of every file", Args: takes(),
		Long: `Checks the database, reads every file and compares it with its checksum, and
finds orphaned files, which no asset refers to. Assets with a damaged file are
marked until the file is intact again. Problems are listed on stdout, one per
line, and the exit code is 1 if there are any. The command can run beside the
server, and on a disk that is mounted read-only.

At its next start, the server moves orphaned files to blobs/lost and keeps them
there for --lost-keep; dal recover creates assets from them. Files in blobs/lost
are listed but are not problems.

Files of external libraries are read and compared, too. If an external library is
offline, its files are only counted.

--repair repairs problems where possible and reports the outcome for each one; the
exit code is 1 if any are left. A damaged file that was replaced is kept in
blobs/damaged for 30 days.`,
		Example: `  dal check
  dal check --quick --json
  dal check --repair --from /mnt/disk/dal`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(c.from) > 0 && !c.repair {
				return usagef("--from has no effect without --repair, which searches its folders for intact files")
			}
			cfg.Access = library.AccessCheck
			if c.repair {
				cfg.Access = library.AccessWrite
			}
			return s.withConfig(cmd, cfg, func(a *app.App) error {
				if err := c.check(cmd, a); err != nil {
					return err
				}
				if c.asJSON {
					if err := printJSON(cmd.OutOrStdout(), c.item); err != nil {
						return err
					}
				}
				return c.verdict()
			})
		}}
	f := flagsOf(cmd)
	f.yes(&c.quick, "quick", "only check that the files exist and have the right size")
	f.yes(&c.repair, "repair", "repair problems where possible")
	f.folders(&c.from, "from", "a `folder`, such as a backup, that --repair searches for intact copies of damaged files (repeatable)")
	f.enginesThere(&cfg)
	f.ocrData(&cfg)
	f.ffmpeg(&cfg)
	f.aiEndpoint(&cfg)
	f.smtp(&cfg.SMTP)
	f.json(&c.asJSON)
	return cmd
}

// checkRun is one check of a library.
type checkRun struct {
	quick, repair, asJSON bool
	from                  []string
	item                  checkItem // the result
}

// checkItem is the result of a check as JSON.
type checkItem struct {
	Files    int       `json:"files_checked"`
	InPlace  int       `json:"files_in_place_checked"`
	Offline  int       `json:"files_in_place_offline"` // their state is unknown
	Problems int       `json:"problems"`               // not repaired
	Messages []string  `json:"messages"`               // about problems and repairs
	Lost     []lostRow `json:"lost"`
	DeadJobs int       `json:"dead_jobs"`

	Scanner    string       `json:"virus_scan"`
	Engines    []engineRow  `json:"engines"`
	Confined   string       `json:"confinement"`   // of the processes that read files
	FFmpeg     string       `json:"ffmpeg"`        // "" for none
	AI         string       `json:"ai_endpoint"`   // "" for none
	Mail       string       `json:"mail_server"`   // "" for none
	Languages  []string     `json:"ocr_languages"` // supported by text recognition
	Models     []modelRow   `json:"embedding_models"`
	Backup     *lastBackup  `json:"last_backup"`
	BackupFail *backupError `json:"last_backup_failure"` // after the last backup
}

type (
	lostRow struct {
		SHA256 string    `json:"sha256"`
		Size   int64     `json:"file_size"`
		Since  time.Time `json:"moved_at"`
	}
	engineRow struct {
		Name  string `json:"name"`
		State string `json:"state"` // built in, replaced (or why the replacement does not start), switched off or missing
	}
	modelRow struct {
		Model   string `json:"model"`
		Assets  int64  `json:"assets"`
		Refused int64  `json:"refused"`
	}
	lastBackup struct {
		Target   string    `json:"target"`
		Ended    time.Time `json:"ended_at"`
		Files    int64     `json:"files"`
		Problems int64     `json:"problems"`
	}
	backupError struct {
		Target string    `json:"target"`
		Ended  time.Time `json:"ended_at"`
		Error  string    `json:"error"`
	}
)

// check checks the library and, unless JSON is requested, prints the result.
func (c *checkRun) check(cmd *cobra.Command, a *app.App) error {
	p := newProgress(cmd.ErrOrStderr(), "Checking")
	c.item = checkItem{Messages: []string{}, Lost: []lostRow{}, Models: []modelRow{}}
	message := collect(cmd, c.asJSON, &c.item.Messages)
	var report maintain.CheckReport
	var err error
	if c.repair {
		report, err = a.Maintenance.Repair(cmd.Context(), maintain.RepairOptions{Full: !c.quick, From: c.from}, message, p.set)
	} else {
		report, err = a.Maintenance.Check(cmd.Context(), !c.quick, message, p.set)
	}
	p.end()
	if err != nil {
		return err
	}
	if err := c.gather(cmd, a, report); err != nil {
		return err
	}
	if !c.asJSON {
		c.print(cmd)
	}
	return nil
}

// gather fills c.item.
func (c *checkRun) gather(cmd *cobra.Command, a *app.App, report maintain.CheckReport) (err error) {
	c.item.Files, c.item.Problems, c.item.DeadJobs = report.Blobs, report.Problems, report.DeadJobs
	c.item.InPlace, c.item.Offline = report.InPlace, report.Offline
	for _, l := range report.Lost {
		c.item.Lost = append(c.item.Lost, lostRow{l.SHA256, l.Size, l.Since.UTC()})
	}
	if c.item.Scanner, err = a.Uploads.ScannerStatus(cmd.Context()); err != nil {
		c.item.Scanner = "cannot be reached: " + err.Error()
	}
	for _, e := range a.Engines(cmd.Context()) {
		c.item.Engines = append(c.item.Engines, engineRow(e))
	}
	c.item.FFmpeg, c.item.Confined = a.Images.FFmpeg(), confine.Supported().String()
	c.item.AI, c.item.Mail = a.Analyses.CheckAI(cmd.Context()), a.Shares.CheckMail(cmd.Context())
	if c.item.Languages, err = a.Analyses.OCRLanguages(); err != nil {
		return err
	}
	models, err := a.Finder.Meanings(cmd.Context())
	if err != nil {
		return err
	}
	for _, m := range models {
		c.item.Models = append(c.item.Models, modelRow{m.Model, int64(m.Vectors), int64(m.Refused)})
	}
	last, made, err := a.Maintenance.LastBackup(cmd.Context())
	if made != nil {
		c.item.Backup = &lastBackup{made.Target, made.Ended, made.Files, made.Problems}
	}
	if last != nil && last.Error != "" {
		c.item.BackupFail = &backupError{last.Target, last.Ended, last.Error}
	}
	return err
}

// print prints c.item, except for the messages, which were already printed.
func (c *checkRun) print(cmd *cobra.Command) {
	w, item := cmd.ErrOrStderr(), c.item
	var lostBytes int64
	for _, l := range item.Lost {
		fmt.Fprintf(cmd.OutOrStdout(), "lost %s: orphaned file of %d bytes, moved on %s\n", l.SHA256, l.Size, isoTime(l.Since))
		lostBytes += l.Size
	}
	if n := len(item.Lost); n > 0 {
		fmt.Fprintf(w, "In blobs/lost: %s (%s); dal recover creates assets from them.\n", plural(n, "file"), bytesText(lostBytes))
	}
	fmt.Fprintf(w, "Checked %s, found %s.\n", plural(item.Files, "file"), plural(item.Problems, "problem"))
	if item.InPlace > 0 {
		fmt.Fprintf(w, "Checked %s in external libraries; %s offline.\n", plural(item.InPlace, "file"), plural(item.Offline, "file"))
	}
	fmt.Fprintln(w, "Virus scan:", shown(item.Scanner))
	for _, e := range item.Engines {
		fmt.Fprintf(w, "Engine %s: %s.\n", shown(e.Name), shown(e.State))
	}
	fmt.Fprintf(w, "Processes that read files: %s.\n", item.Confined)
	if item.FFmpeg == "" {
		fmt.Fprintln(w, "FFmpeg: none; videos that browsers cannot play are not transcoded. See --ffmpeg.")
	} else {
		fmt.Fprintf(w, "FFmpeg: %s.\n", shown(item.FFmpeg))
	}
	if item.AI != "" {
		fmt.Fprintf(w, "AI endpoint: %s.\n", shown(item.AI))
	}
	if item.Mail != "" {
		fmt.Fprintf(w, "Mail server: %s.\n", shown(item.Mail))
	}
	fmt.Fprintf(w, "Text recognition: %s.\n", shown(strings.Join(item.Languages, ", ")))
	for _, m := range item.Models {
		fmt.Fprintf(w, "Semantic search: %s has indexed %s and rejected %d.\n",
			shown(m.Model), plural(m.Assets, "asset"), m.Refused)
	}
	if b := item.Backup; b == nil {
		fmt.Fprintln(w, "Last backup: none; see dal help backup.")
	} else {
		fmt.Fprintf(w, "Last backup: %s to %s, %s, %d damaged or missing.\n",
			isoTime(b.Ended), shown(b.Target), plural(b.Files, "file"), b.Problems)
	}
	if b := item.BackupFail; b != nil {
		fmt.Fprintf(w, "The backup of %s failed: %s\n", isoTime(b.Ended), shown(b.Error))
	}
	if item.DeadJobs > 0 {
		fmt.Fprintf(w, "Failed permanently: %s; see dal jobs.\n", plural(item.DeadJobs, "job"))
	}
}

// verdict returns an error if the check found problems.
func (c *checkRun) verdict() error {
	if c.item.Problems == 0 {
		return nil
	}
	return fmt.Errorf("found %s", plural(c.item.Problems, "problem"))
}
