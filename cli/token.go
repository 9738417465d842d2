package cli

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

func newToken(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Create, list and revoke API tokens", Args: takes()}
	cmd.AddCommand(newTokenCreate(s), newTokenList(s), newTokenRevoke(s))
	return cmd
}

// tokenItem is a token as JSON.
type tokenItem struct {
	ID         int64         `json:"id"`
	UserID     int64         `json:"user_id"`
	Name       string        `json:"name"`
	Abilities  []dam.Ability `json:"abilities"`
	LastUsedAt *time.Time    `json:"last_used_at"`
	LastUsedIP string        `json:"last_used_ip"`
	ExpiresAt  *time.Time    `json:"expires_at"`
	CreatedAt  time.Time     `json:"created_at"`
	RateLimit  int           `json:"rate_limit"` // 0 for the server's default
}

func toTokenItem(t *dam.Token) tokenItem {
	return tokenItem{t.ID, t.UserID, t.Name, t.Abilities, t.LastUsedAt, t.LastUsedIP, t.ExpiresAt, t.CreatedAt, t.RateLimit}
}

func newTokenCreate(s *settings) *cobra.Command {
	t := &dam.Token{}
	var email string
	var wanted []string
	var all, asJSON bool
	expires := noExpiry
	cmd := &cobra.Command{
		Use: "create --user EMAIL --name NAME --ability ABILITY …", Short: "Create an API token", Args: takes(),
		Long: `Creates an API token for a user and prints it to stdout. It is not shown again.
The abilities are:

` + abilityList(),
		Example: `  dal token create --user ada@example.com --name everything --all-abilities
  dal token create --user ada@example.com --name reader --ability assets:read --expires 90d`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(wanted) == 0 && !all {
				return usagef("--ability or --all-abilities is required")
			}
			return s.with(cmd, func(a *app.App) error {
				u, err := a.Accounts.UserByEmail(cmd.Context(), email)
				if err != nil {
					return fmt.Errorf("--user %s: %w", email, err)
				}
				for _, ability := range wanted {
					t.Abilities = append(t.Abilities, dam.Ability(ability))
				}
				if all {
					t.Abilities = u.Role.Abilities()
				}
				if expires != noExpiry {
					end := time.Now().Add(expires)
					t.ExpiresAt = &end
				}
				plain, err := a.Accounts.CreateToken(cmd.Context(), dam.Actor{User: u}, t)
				if err != nil {
					return wrongUse(err)
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), struct {
						tokenItem
						Token string `json:"token"`
					}{toTokenItem(t), plain})
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), plain)
				return err
			})
		},
	}
	f := flagsOf(cmd)
	f.user(s, &email, "user", "the `email` of the user whose token it is")
	f.text(&t.Name, "name", "the `name` of the token")
	f.text(&t.Description, "description", "the purpose of the token")
	f.list(&wanted, "ability", "an `ability` of the token (repeatable)", oneOf(abilities()), abilities()...)
	f.yes(&all, "all-abilities", "give the token all abilities of the user")
	f.time(account.NewLimit("expires", &expires, noExpiry, time.Second, 36_500*24*time.Hour), "expires",
		"the `time` until the token expires, such as 90d; by default, it does not expire")
	f.number(account.NewLimit("rate-limit", &t.RateLimit, 0, 0, dam.MaxTokenRate), "rate-limit",
		"a separate limit of requests per minute; 0: the server's rate, shared with the user's other tokens")
	f.json(&asJSON)
	f.required("user", "name")
	return cmd
}

// noExpiry is the lifetime of a token that does not expire.
const noExpiry time.Duration = 0

// oneOf returns a check that accepts only the options.
func oneOf(options []string) func(string) error {
	return (&choiceValue{new(string), options}).Set
}

func abilityList() (text string) {
	for _, a := range abilities() {
		text += "  " + a + "\n"
	}
	return text
}

func newTokenList(s *settings) *cobra.Command {
	var asJSON bool
	var email string
	cmd := &cobra.Command{Use: "list", Short: "List API tokens", Args: takes(), Example: `  dal token list
  dal token list --user ada@example.com --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				actor := dam.Actor{User: &dam.User{Role: dam.RoleAdmin}}
				if email != "" {
					u, err := a.Accounts.UserByEmail(cmd.Context(), email)
					if err != nil {
						return fmt.Errorf("--user %s: %w", email, err)
					}
					actor.User = &dam.User{ID: u.ID}
				}
				items := []tokenItem{}
				for {
					page, total, err := a.Accounts.Tokens(cmd.Context(), actor, false, dam.Page{Limit: 100, Offset: len(items)})
					if err != nil {
						return err
					}
					for _, t := range page {
						items = append(items, toTokenItem(t))
					}
					if len(items) >= total || len(page) == 0 {
						break
					}
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), items)
				}
				w := newTable(cmd.OutOrStdout())
				fmt.Fprintln(w, "ID\tUSER\tNAME\tABILITIES\tLAST USED\tEXPIRES")
				for _, t := range items {
					fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%s\t%s\n", t.ID, t.UserID, shown(t.Name), len(t.Abilities),
						isoTimeOr(t.LastUsedAt, "never"), isoTimeOr(t.ExpiresAt, "never"))
				}
				return w.Flush()
			})
		}}
	f := flagsOf(cmd)
	f.user(s, &email, "user", "only tokens of the user with this `email`")
	f.json(&asJSON)
	return cmd
}

func newTokenRevoke(s *settings) *cobra.Command {
	return &cobra.Command{Use: "revoke ID", Short: "Revoke an API token immediately", Example: `  dal token revoke 1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := takes("ID")(cmd, args); err != nil {
				return err
			}
			if _, err := strconv.ParseInt(args[0], 10, 64); err != nil {
				return errors.New("ID must be a number; see dal token list")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return err
			}
			return s.with(cmd, func(a *app.App) error {
				err := a.Accounts.RevokeToken(cmd.Context(), dam.Actor{User: &dam.User{Role: dam.RoleAdmin}}, id)
				if err == nil {
					fmt.Fprintln(cmd.ErrOrStderr(), "Token revoked.")
				}
				return err
			})
		}}
}
