package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/maintain"
)

func newStatus(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "status", Short: "Show the library at a glance", Args: takes(),
		Long: `Shows the size of the library, whether a server is running, the free disk space, the
last backup and check, and what needs attention. It only reads the database: dal
check verifies the files, and a server's status page shows more.`,
		Example: `  dal status
  dal status --data /srv/dal --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withAccess(cmd, library.AccessCheck, func(a *app.App) error {
				sum, err := a.Maintenance.Summary(cmd.Context())
				if err != nil {
					return err
				}
				server, err := s.health(cmd.Context(), "")
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), toStatusItem(s.folder(), sum, server))
				}
				return printStatus(cmd.OutOrStdout(), s.folder(), sum, server)
			})
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

// statusItem is an overview of a library as JSON.
type statusItem struct {
	Data        string        `json:"data"`
	Server      serverItem    `json:"server"`
	Assets      []useItem     `json:"assets"`
	Trashed     int64         `json:"trashed"`
	Collections int           `json:"collections"`
	Users       int           `json:"users"`
	Originals   int64         `json:"originals_bytes"`
	Free        int64         `json:"disk_free_bytes"`
	Total       int64         `json:"disk_total_bytes"`
	Waiting     int64         `json:"jobs_waiting"`
	Dead        int64         `json:"jobs_failed"`
	Backup      *time.Time    `json:"last_backup_at"`
	Check       *time.Time    `json:"last_check_at"`
	Roots       []folderItem  `json:"external_folders"`
	Warnings    []warningItem `json:"warnings"`
}

type serverItem struct {
	Running bool   `json:"running"`
	URL     string `json:"url"`
	Ready   bool   `json:"ready"`
}

type useItem struct {
	Category dam.FileCategory `json:"category"`
	Count    int64            `json:"count"`
	Bytes    int64            `json:"bytes"`
}

type folderItem struct {
	Name  string        `json:"name"`
	Path  string        `json:"path"`
	State dam.RootState `json:"state"`
}

type warningItem struct {
	Code     maintain.WarningCode `json:"code"`
	Message  string               `json:"message"`
	WhatToDo string               `json:"what_to_do"`
}

func toStatusItem(data string, sum maintain.Summary, server healthItem) statusItem {
	item := statusItem{Data: data, Server: serverItem{Running: server.answered, Ready: server.Ready}, Trashed: sum.Trashed,
		Collections: sum.Collections, Users: sum.Users, Originals: sum.Disk.Originals, Free: sum.Disk.Free, Total: sum.Disk.Total,
		Assets: []useItem{}, Roots: []folderItem{}, Warnings: []warningItem{}}
	if server.answered {
		item.Server.URL = strings.TrimSuffix(server.URL, readyPath)
	}
	for _, u := range sum.Use {
		item.Assets = append(item.Assets, useItem(u))
	}
	item.Waiting, item.Dead = queued(sum.Status)
	if b := sum.Backup; b != nil {
		at := b.Ended.UTC()
		item.Backup = &at
	}
	if c := sum.Check; c != nil {
		at := c.Ended.UTC()
		item.Check = &at
	}
	for _, r := range sum.Roots {
		item.Roots = append(item.Roots, folderItem{r.Name, r.Path, r.State})
	}
	for _, w := range sum.Warnings {
		item.Warnings = append(item.Warnings, warningItem{w.Code, w.Message, w.ToDo})
	}
	return item
}

// queued counts the background jobs that wait or run, and those that failed permanently.
func queued(s *maintain.Status) (waiting, dead int64) {
	for _, q := range s.Queues {
		waiting += int64(q.Waiting + q.Running)
		dead += int64(q.Spent)
	}
	return waiting, dead
}

func printStatus(w io.Writer, data string, sum maintain.Summary, server healthItem) error {
	t := newTable(w)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, shown(fmt.Sprintf(format, args...)))
	}
	line("Library", "%s", data)
	switch at := strings.TrimSuffix(server.URL, readyPath); {
	case !server.answered:
		line("Server", "not running")
	case !server.Ready:
		line("Server", "%s, not ready: %s", at, server.Reason)
	default:
		line("Server", "%s", at)
	}
	printAssets(line, sum)
	line("Collections", "%d", sum.Collections)
	line("Users", "%d", sum.Users)
	if d := sum.Disk; d.Total > 0 {
		line("Disk", "originals %s, free %s of %s", bytesText(d.Originals), bytesText(d.Free), bytesText(d.Total))
	}
	for _, r := range sum.Roots {
		line("External library", "%s, %s: %s", r.Name, r.State, r.Path)
	}
	waiting, dead := queued(sum.Status)
	line("Background jobs", "%d waiting or running, %d failed", waiting, dead)
	if b := sum.Backup; b != nil {
		line("Last backup", "%s to %s", isoTime(b.Ended), b.Target)
	} else {
		line("Last backup", "never")
	}
	if c := sum.Check; c != nil {
		line("Last check", "%s, %s", isoTime(c.Ended), plural(c.Problems, "problem"))
	} else {
		line("Last check", "never")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, warning := range sum.Warnings {
		fmt.Fprintf(w, "\n%s\n  %s\n", shown(warning.Message), shown(warning.ToDo))
	}
	return nil
}

// printAssets prints the number of assets in each category.
func printAssets(line func(name, format string, args ...any), sum maintain.Summary) {
	var count, bytes int64
	var each []string
	for _, u := range sum.Use {
		count, bytes = count+u.Count, bytes+u.Bytes
		each = append(each, string(u.Category)+" "+humanize.Comma(u.Count))
	}
	text := humanize.Comma(count)
	if count > 0 {
		text += " (" + strings.Join(append(each, bytesText(bytes)), ", ") + ")"
	}
	if sum.Trashed > 0 {
		text += ", " + humanize.Comma(sum.Trashed) + " more in the trash"
	}
	line("Assets", "%s", text)
}
