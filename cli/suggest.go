package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// otherNames maps our commands to their names in other programs.
func otherNames() map[string][]string {
	return map[string][]string{
		"audit":        {"log", "logs", "trail"},
		"backup":       {"snapshot", "dump"},
		"check":        {"doctor", "verify", "fsck", "repair", "scrub"},
		"duplicates":   {"dedupe", "dedup"},
		"erase-person": {"gdpr"},
		"health":       {"ping", "ready", "healthcheck"},
		"import":       {"upload", "ingest", "add", "put"},
		"jobs":         {"queue", "queues", "tasks"},
		"licenses":     {"licence", "licences", "license", "notices"},
		"metadata":     {"fields", "schema"},
		"openapi":      {"swagger", "api"},
		"reindex":      {"index", "rebuild"},
		"root":         {"library", "folder", "folders", "watch"},
		"serve":        {"start", "run", "server", "up", "daemon", "web"},
		"status":       {"info", "stats", "show", "statistics", "df"},
		"token":        {"tokens", "apikey", "api-key", "login"},
		"user":         {"users", "account", "accounts", "admin", "superuser", "passwd"},
	}
}

// noCommand rejects arguments that are not a subcommand, and suggests alternatives: a
// command with a similar name, the equivalent of another program's command, or a subcommand
// that lacks its parent.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	like := cmd.SuggestionsFor(args[0])
	for _, c := range cmd.Commands() {
		if slices.Contains(otherNames()[c.Name()], strings.ToLower(args[0])) && !slices.Contains(like, c.Name()) {
			like = append(like, c.Name())
		}
		for _, sub := range c.Commands() {
			if sub.Name() == args[0] && sub.IsAvailableCommand() {
				like = append(like, c.Name()+" "+sub.Name())
			}
		}
	}
	msg := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if len(like) == 0 {
		return fmt.Errorf("%s; dal help lists the commands", msg)
	}
	return fmt.Errorf("%s; did you mean %s?", msg, inWords(like, "or"))
}
