package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

func newAudit(s *settings) *cobra.Command {
	var asJSON bool
	var filter dam.AuditFilter
	page := dam.Page{Limit: 100}
	cmd := &cobra.Command{Use: "audit", Short: "List the audit log: requests, logins and changes to accounts", Args: takes(),
		Long: `Lists the latest entries of the audit log, newest first: requests, logins and
changes to accounts. One entry can summarize many failed logins, with their number.

The events are:

  ` + strings.Join(auditEvents(), "\n  "),
		Example: `  dal audit --limit 20
  dal audit --event login.failed --json
  dal audit --account ada@example.com`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				entries, _, err := a.Trail.Entries(cmd.Context(), filter, page)
				if err != nil {
					return err
				}
				if asJSON {
					return printAuditJSON(cmd, entries)
				}
				return printAudit(cmd, entries)
			})
		}}
	f := flagsOf(cmd)
	f.number(account.NewLimit("limit", &page.Limit, page.Limit, 1, 100_000), "limit", "maximum number of entries")
	f.number(account.NewLimit("user-id", &filter.UserID, 0, 1, maxID), "user-id", "only requests by the user with this `id`")
	f.number(account.NewLimit("token-id", &filter.TokenID, 0, 1, maxID), "token-id", "only requests with the token with this `id`")
	f.number(account.NewLimit("status", &filter.Status, 0, 100, 599), "status", "only requests with this response `status`, such as 404")
	f.text(&filter.Method, "method", "only requests with this `method`; "+access.CommandMethod+" for commands",
		valuesOf[web.RequestMethod]()...)
	f.choice((*string)(&filter.Event), "event", "only entries of this `event`", auditEvents())
	f.user(s, &filter.Account, "account", "only logins to, and changes of, the account with this `email`")
	f.json(&asJSON)
	return cmd
}

// maxID is the largest id that JSON can represent exactly.
const maxID = 1<<53 - 1

func printAudit(cmd *cobra.Command, entries []*dam.AuditEntry) error {
	w := newTable(cmd.OutOrStdout())
	fmt.Fprintln(w, "TIME\tEVENT\tUSER\tTOKEN\tIP\tSTATUS\tTOOK\tACCOUNT\tREQUEST")
	for _, e := range entries {
		event := string(e.Event)
		if e.Count > 1 {
			event += fmt.Sprintf(" x%d", e.Count)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%d\t%s\t%s\t%s %s\n",
			isoTime(e.At), event, e.UserID, e.TokenID, e.IP, e.Status, e.Duration.Round(100*time.Microsecond),
			shown(strings.TrimSpace(e.Account+" "+e.Target)), e.Method, shown(e.Path)) // a path can be long
	}
	return w.Flush()
}

func printAuditJSON(cmd *cobra.Command, entries []*dam.AuditEntry) error {
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
		items = append(items, item{
			At: e.At, Event: e.Event, RequestID: e.RequestID, UserID: e.UserID, TokenID: e.TokenID,
			Account: e.Account, Target: e.Target, Count: e.Count, Method: e.Method, Path: e.Path, Status: e.Status,
			MS: milliseconds(e.Duration), IP: e.IP,
		})
	}
	return printJSON(cmd.OutOrStdout(), items)
}
