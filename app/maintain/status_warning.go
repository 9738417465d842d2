package maintain

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// WarningCode identifies a kind of warning.
type WarningCode string

// The warning codes.
const (
	WarnNoBackup         WarningCode = "no_backup"
	WarnBackupOld        WarningCode = "backup_old"
	WarnBackupFailed     WarningCode = "backup_failed"
	WarnBackupIncomplete WarningCode = "backup_incomplete"
	WarnDiskFull         WarningCode = "disk_full"
	WarnDiskNearlyFull   WarningCode = "disk_nearly_full"
	WarnScannerDown      WarningCode = "scanner_down"
	WarnSignaturesOld    WarningCode = "signatures_old"
	WarnDamagedFiles     WarningCode = "damaged_files"
	WarnCheckFailed      WarningCode = "check_failed"
	WarnJobsGivenUp      WarningCode = "jobs_given_up"
	WarnQueueStuck       WarningCode = "queue_stuck"
	WarnIndexBehind      WarningCode = "index_behind"
	WarnWebhooksDisabled WarningCode = "webhooks_disabled"
	WarnNotEncrypted     WarningCode = "not_encrypted"
	WarnAIEndpointDown   WarningCode = "ai_endpoint_down"
	WarnMailDown         WarningCode = "mail_down"
	WarnRootOffline      WarningCode = "root_offline"
	WarnRootNotWatched   WarningCode = "root_not_watched"
)

// Values lists the codes, most severe first.
func (WarningCode) Values() []WarningCode {
	return []WarningCode{WarnDamagedFiles, WarnDiskFull, WarnNoBackup, WarnBackupFailed, WarnBackupIncomplete, WarnBackupOld, WarnCheckFailed,
		WarnScannerDown, WarnSignaturesOld, WarnNotEncrypted, WarnDiskNearlyFull, WarnJobsGivenUp, WarnQueueStuck, WarnIndexBehind,
		WarnAIEndpointDown, WarnMailDown, WarnWebhooksDisabled, WarnRootOffline, WarnRootNotWatched}
}

// Warning is a condition that an admin should act on.
type Warning struct {
	Code          WarningCode
	Message, ToDo string // complete sentences
}

const (
	day           = 24 * time.Hour
	backupOld     = 7 * day
	signaturesOld = 7 * day
	stuckAfter    = time.Hour        // for a queue in which nothing runs
	behindAfter   = 10 * time.Minute // for the index
)

// troubles adds the warnings derived from the database.
func (h *Health) troubles(tx *storage.Tx, s *Status) error {
	damaged, err := tx.CountDamaged()
	if err != nil {
		return err
	}
	disabled, err := tx.CountDisabledWebhooks()
	if damaged > 0 {
		s.warn(WarnDamagedFiles, "dal check --repair --from BACKUP mends them from a backup; so does uploading the same files again.",
			"%s damaged or missing.", english.Plural(damaged, "file is", "files are"))
	}
	if disabled > 0 {
		s.warn(WarnWebhooksDisabled, "See why among their deliveries, mend the endpoint, and make them active again.",
			"%s disabled after repeated failures.", english.Plural(disabled, "webhook was", "webhooks were"))
	}
	if err != nil {
		return err
	}
	return h.placeTroubles(tx, s)
}

// placeTroubles adds the warnings about external libraries.
func (h *Health) placeTroubles(tx *storage.Tx, s *Status) error {
	roots, err := tx.Roots()
	if err != nil {
		return err
	}
	blind := h.External.Blind()
	for _, r := range roots {
		switch {
		case r.State == dam.RootOffline:
			s.warn(WarnRootOffline, "Mount the disk or the share that has "+r.Path+". Nothing happens to its assets meanwhile.",
				"The files in place in %s are offline. %s", r.Name, r.Note)
		case blind[r.ID] != "":
			s.warn(WarnRootNotWatched, "Changes there are found by a scan every "+h.RescanEvery.String()+
				", or sooner with a smaller --rescan-every, or with dal root scan. On Linux, fs.inotify.max_user_watches may be raised.",
				"Changes in %s are not noticed at once: %s.", r.Name, blind[r.ID])
		}
	}
	return nil
}

func (s *Status) warn(code WarningCode, toDo, message string, args ...any) {
	s.Warnings = append(s.Warnings, Warning{code, fmt.Sprintf(message, args...), toDo})
}

// warnings returns all warnings, most severe first.
func (h *Health) warnings(s *Status) (sorted []Warning) {
	now := h.Now()
	s.warnBackup(now)
	s.warnDisk()
	s.warnScanner(now)
	s.warnWork(now)
	for _, code := range dam.Values[WarningCode]() {
		for _, w := range s.Warnings {
			if w.Code == code {
				sorted = append(sorted, w)
			}
		}
	}
	return sorted
}

func (s *Status) warnBackup(now time.Time) {
	const make = "Set --backup-dir to a folder on another disk, or run dal backup TARGET."
	switch {
	case s.Backup == nil && s.Index.Documents > 0:
		s.warn(WarnNoBackup, make, "No backup has ever been made.")
	case s.Backup != nil && now.Sub(s.Backup.Ended) > backupOld:
		s.warn(WarnBackupOld, make, "The last backup is %s old.", days(now.Sub(s.Backup.Ended)))
	}
	if s.Failed != nil {
		toDo := "Mend what the message says, and run dal backup " + s.Failed.Target + "."
		s.warn(WarnBackupFailed, toDo, "The last backup failed: %s", s.Failed.Error)
	}
	if s.Backup != nil && s.Backup.Problems > 0 {
		s.warn(WarnBackupIncomplete, "Run dal check; dal check --repair mends what it can.",
			"%s damaged or missing when the last backup was made.", english.Plural(int(s.Backup.Problems), "file was", "files were"))
	}
	if s.Check != nil && s.Check.Problems > 0 {
		s.warn(WarnCheckFailed, "Run dal check --repair, then dal check again.", "The last check found %s.",
			english.Plural(s.Check.Problems, "problem", "problems"))
	}
}

func days(d time.Duration) string { return english.Plural(int(d/day), "day", "days") }

func (s *Status) warnDisk() {
	d := &s.Disk
	free := humanize.IBytes(uint64(d.Free))
	const room = "Make room, or move the data folder to a larger disk. Deleting from the trash for good frees space."
	switch {
	case d.Full:
		s.warn(WarnDiskFull, room, "The disk is full: uploads, exports and the search index wait for space.")
	case d.Total > 0 && (d.Free < 2*d.Reserve || d.Free < d.Total/20):
		s.warn(WarnDiskNearlyFull, room, "Only %s are free on the disk.", free)
	}
}

func (s *Status) warnScanner(now time.Time) {
	c := &s.Scanner
	switch {
	case c.Down != "":
		s.warn(WarnScannerDown, "Start clamd, or correct --clamd.",
			"The virus scanner cannot be reached, and new files wait for it: %s.", c.Down)
	case c.SignaturesAt != nil && now.Sub(*c.SignaturesAt) > signaturesOld:
		s.warn(WarnSignaturesOld, "See whether freshclam runs where clamd does.", "The virus signatures are %s old.",
			days(now.Sub(*c.SignaturesAt)))
	}
}

func (s *Status) warnWork(now time.Time) {
	spent := 0
	var stuck []string
	for _, q := range s.Queues {
		spent += q.Spent
		if q.OldestAt != nil && q.Running == 0 && now.Sub(*q.OldestAt) > stuckAfter {
			stuck = append(stuck, q.Name)
		}
	}
	if spent > 0 {
		s.warn(WarnJobsGivenUp, "dal jobs says which and why; the files of uploads can be tried again.",
			"%s given up after several attempts.", english.Plural(spent, "job was", "jobs were"))
	}
	if len(stuck) > 0 {
		s.warn(WarnQueueStuck, "Look in the log for what they wait for, and restart the server if it says nothing.",
			"Work has waited for more than an hour: %s.", strings.Join(stuck, ", "))
	}
	if s.AI != nil && s.AI.Down != "" {
		s.warn(WarnAIEndpointDown, "Start the service, or correct --ai-endpoint, --ai-model or the key.",
			"The AI endpoint does not answer, and captions wait for it: %s", s.AI.Down)
	}
	if s.Mail != nil && s.Mail.Down != "" {
		s.warn(WarnMailDown, "Correct --smtp, or mend the mail server; dal check tries it.",
			"Mails to guests cannot be sent: %s", s.Mail.Down)
	}
	if s.Index.Lag > behindAfter && s.Index.Behind > 0 {
		s.warn(WarnIndexBehind, "Look in the log; dal reindex builds the search index anew.",
			"Searches miss changes of the last %s.", english.Plural(int(s.Index.Lag/time.Minute), "minute", "minutes"))
	}
}
