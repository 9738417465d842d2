package cli

import (
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

func newToken(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Make, list and revoke API tokens", Args: cobra.NoArgs}
	cmd.AddCommand(newTokenCreate(s), newTokenList(s), newTokenRevoke(s))
	return cmd
}

func newTokenCreate(s *settings) *cobra.Command {
	t := &dam.Token{}
	var email string
	var abilities []string
	var all bool
	var expires age
	cmd := &cobra.Command{
		Use: "create --user E --name N --ability A …", Short: "Make an API token", Args: cobra.NoArgs,
		Long: `Makes an API token for a user and prints it, alone, on stdout. It is shown only
now. The abilities are:

` + abilityList(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.existing(cmd, func(a *app.App) error {
				u, err := a.Accounts.UserByEmail(cmd.Context(), email)
				if err != nil {
					return fmt.Errorf("--user %s: %w", email, err)
				}
				for _, ability := range abilities {
					t.Abilities = append(t.Abilities, dam.Ability(ability))
				}
				if all {
					t.Abilities = u.Role.Abilities()
				}
				if expires != 0 {
					end := time.Now().Add(time.Duration(expires))
					t.ExpiresAt = &end
				}
				plain, err := a.Accounts.CreateToken(cmd.Context(), dam.Actor{User: u}, t)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), plain)
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&email, "user", "", "the `email` of the user it acts for")
	f.StringVar(&t.Name, "name", "", "a `name` to tell it by")
	f.StringVar(&t.Description, "description", "", "what it is for")
	f.StringSliceVar(&abilities, "ability", nil, "an `ability` it has (repeatable)")
	f.BoolVar(&all, "all-abilities", false, "give it all that the user may do")
	f.Var(&expires, "expires", "end it after this `time`, such as 90d; never when absent")
	cmd.MarkFlagsOneRequired("ability", "all-abilities")
	return cmd
}

func abilityList() (text string) {
	for _, a := range dam.Values[dam.Ability]() {
		text += "  " + string(a) + "\n"
	}
	return text
}

func newTokenList(s *settings) *cobra.Command {
	var asJSON bool
	var email string
	cmd := &cobra.Command{Use: "list", Short: "List API tokens", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return s.existing(cmd, func(a *app.App) error {
			actor := dam.Actor{User: &dam.User{Role: dam.RoleAdmin}}
			if email != "" {
				u, err := a.Accounts.UserByEmail(cmd.Context(), email)
				if err != nil {
					return err
				}
				actor.User = &dam.User{ID: u.ID}
			}
			type item struct {
				ID         int64         `json:"id"`
				UserID     int64         `json:"user_id"`
				Name       string        `json:"name"`
				Abilities  []dam.Ability `json:"abilities"`
				LastUsedAt *time.Time    `json:"last_used_at"`
				LastUsedIP string        `json:"last_used_ip"`
				ExpiresAt  *time.Time    `json:"expires_at"`
				CreatedAt  time.Time     `json:"created_at"`
			}
			items := []item{}
			for {
				page, total, err := a.Accounts.Tokens(cmd.Context(), actor, dam.Page{Limit: 100, Offset: len(items)})
				if err != nil {
					return err
				}
				for _, t := range page {
					items = append(items, item{t.ID, t.UserID, shown(t.Name), t.Abilities, t.LastUsedAt, t.LastUsedIP, t.ExpiresAt, t.CreatedAt})
				}
				if len(items) >= total || len(page) == 0 {
					break
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), items)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tUSER\tNAME\tABILITIES\tLAST USED\tEXPIRES")
			for _, t := range items {
				fmt.Fprintf(w, "%d\t%d\t%s\t%d\t%s\t%s\n", t.ID, t.UserID, shown(t.Name), len(t.Abilities), day(t.LastUsedAt), day(t.ExpiresAt))
			}
			return w.Flush()
		})
	}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.Flags().StringVar(&email, "user", "", "only those of the user with this `email`")
	return cmd
}

func day(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format("2006-01-02 15:04")
}

func newTokenRevoke(s *settings) *cobra.Command {
	return &cobra.Command{Use: "revoke ID", Short: "Revoke an API token at once", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return &exitError{exitUsage, fmt.Errorf("%q is no token's id", args[0])}
		}
		return s.existing(cmd, func(a *app.App) error {
			err := a.Accounts.RevokeToken(cmd.Context(), dam.Actor{User: &dam.User{Role: dam.RoleAdmin}}, id)
			if err == nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "Token revoked.")
			}
			return err
		})
	}}
}
