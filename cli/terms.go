package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

func newTerms(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "terms", Short: "Set and show the terms of use", Args: takes(),
		Long: `Everyone who logs in with a browser, including admins, must accept the terms of use
first; dal records who accepted them, and when. A running server applies them from
the next request on. Requests with a token are exempt.`,
	}
	cmd.AddCommand(newTermsSet(s), newTermsShow(s), newTermsList(s), newTermsClear(s))
	return cmd
}

// termsItem is a version of the terms of use as JSON.
type termsItem struct {
	Version int64      `json:"version"`
	Hash    string     `json:"text_hash"`
	SetAt   time.Time  `json:"set_at"`
	EndedAt *time.Time `json:"ended_at"` // null for the terms in force
}

func toTermsItem(t *dam.UseTerms) termsItem { return termsItem{t.Version, t.Hash, t.SetAt, t.EndedAt} }

func newTermsSet(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "set FILE", Short: "Publish terms of use", Args: takes("FILE"),
		Long: `Publishes a text file ("-" for stdin) as the next version of the terms of use. The
text is plain UTF-8 of at most 100,000 characters; Markdown is not interpreted.
Everyone must accept the new version. Publishing the current text again changes
nothing.`,
		Example: `  dal terms set terms.txt
  dal terms set - < terms.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readTerms(cmd, args[0])
			if err != nil {
				return err
			}
			return s.with(cmd, func(a *app.App) error {
				t, isNew, err := a.Shares.SetUseTerms(cmd.Context(), text)
				switch {
				case err != nil:
					return wrongUse(err)
				case asJSON:
					return printJSON(cmd.OutOrStdout(), toTermsItem(t))
				case isNew:
					fmt.Fprintf(cmd.ErrOrStderr(), "Version %d of the terms of use is in force. Everyone is asked to accept it.\n", t.Version)
				default:
					fmt.Fprintf(cmd.ErrOrStderr(), "This text is already in force as version %d.\n", t.Version)
				}
				return nil
			})
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

// readTerms reads a text, up to just beyond the maximum length of terms.
func readTerms(cmd *cobra.Command, name string) (string, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, utf8.UTFMax*dam.MaxUseTerms+1)) // more is too long in any case
	return string(data), err
}

func newTermsShow(s *settings) *cobra.Command {
	var version int64
	cmd := &cobra.Command{Use: "show", Short: "Print the terms of use", Args: takes(),
		Example: `  dal terms show
  dal terms show --version 1`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				t, err := a.Shares.UseTerms(cmd.Context(), version)
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), t.Text)
				}
				return err
			})
		}}
	flagsOf(cmd).number(account.NewLimit("version", &version, 0, 0, maxID), "version", "an older `version`; 0: the current one")
	return cmd
}

func newTermsList(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the versions of the terms of use", Args: takes(), Example: `  dal terms list
  dal terms list --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				all, err := a.Shares.AllUseTerms(cmd.Context())
				if err != nil {
					return err
				}
				items := []termsItem{}
				for _, t := range all {
					items = append(items, toTermsItem(t))
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), items)
				}
				w := newTable(cmd.OutOrStdout())
				fmt.Fprintln(w, "VERSION\tSET\tENDED\tSHA-256")
				for _, t := range items {
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", t.Version, isoTime(t.SetAt), isoTimeOr(t.EndedAt, "in force"), t.Hash)
				}
				return w.Flush()
			})
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

func newTermsClear(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "clear", Short: "Withdraw the terms of use", Args: takes(),
		Long: `Withdraws the terms of use: nobody has to accept them any more. All versions and
their acceptances are kept. Terms that are published later are the next version.`,
		Example: `  dal terms clear`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				had, err := a.Shares.ClearUseTerms(cmd.Context())
				if err == nil && !had {
					err = errors.New("there are no terms of use in force")
				}
				if err == nil {
					fmt.Fprintln(cmd.ErrOrStderr(), "The terms of use are no longer in force.")
				}
				return err
			})
		}}
	return cmd
}

func newErasePerson(s *settings) *cobra.Command {
	e := &eraser{}
	cmd := &cobra.Command{Use: "erase-person EMAIL", Short: "Erase a person's data from the database",
		Long: `Erases an email address and the name of its owner from consents, the access logs
and email lists of shares, the audit log, events and webhook deliveries. Their
entries are kept without the person. The command prints the plan; --yes executes it.

Disable a user with this address first. With --account, the account's name and
address are replaced, and its tokens and invitations are revoked. Its assets and
collections are kept.

Titles, metadata, file names and files are content of the library and do not change;
the plan lists where they contain the address. Backups do not change either: they
contain the person until they are removed.

Finally, the database is rewritten so that its free space contains no erased data.
This needs disk space for two copies of the database and blocks writers meanwhile;
--keep-free-space skips it.`,
		Example: `  dal erase-person bo@example.com
  dal erase-person bo@example.com --yes
  dal erase-person ed@example.com --account --yes`,
		Args: takes("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.with(cmd, func(a *app.App) error { return e.run(cmd, a, args[0]) })
		}}
	f := flagsOf(cmd)
	f.yes(&e.yes, "yes", "erase the data")
	f.yes(&e.account, "account", "also erase the account with the address, which must be disabled")
	f.yes(&e.keepFree, "keep-free-space", "do not rewrite the database")
	f.json(&e.asJSON)
	return cmd
}

// eraser is the command erase-person.
type eraser struct{ yes, account, keepFree, asJSON bool }

func (e *eraser) run(cmd *cobra.Command, a *app.App, email string) error {
	plan, err := a.Maintenance.PlanErasure(cmd.Context(), email, e.account)
	if err != nil {
		return wrongUse(err)
	}
	if e.yes {
		done, err := a.Maintenance.ErasePerson(cmd.Context(), email, e.account, !e.keepFree)
		if err != nil {
			return err
		}
		plan = done
	}
	if e.asJSON {
		return e.printJSON(cmd, plan)
	}
	e.print(cmd, plan)
	return nil
}

func (e *eraser) printJSON(cmd *cobra.Command, plan *dam.Erasure) error {
	type account struct {
		ID         int64 `json:"id"`
		IsDisabled bool  `json:"is_disabled"`
		IsErased   bool  `json:"is_erased"` // or would be
	}
	type left struct {
		Column string `json:"column"`
		Rows   int    `json:"rows"`
	}
	v := struct {
		Done    bool                   `json:"is_done"`
		Erased  map[dam.ErasedKind]int `json:"erased"`
		Account *account               `json:"account"`
		Left    []left                 `json:"left"`
	}{plan.At != nil, map[dam.ErasedKind]int{}, nil, []left{}}
	for _, k := range plan.Erased {
		v.Erased[k.Kind] = k.Rows
	}
	if u := plan.Account; u != nil {
		v.Account = &account{u.ID, u.DisabledAt != nil, e.account && u.DisabledAt != nil}
	}
	for _, n := range plan.Left {
		v.Left = append(v.Left, left{n.Column, n.Rows})
	}
	return printJSON(cmd.OutOrStdout(), v)
}

func (e *eraser) print(cmd *cobra.Command, plan *dam.Erasure) {
	w, out := cmd.ErrOrStderr(), cmd.OutOrStdout()
	if plan.Rows() == 0 && plan.Account == nil {
		fmt.Fprintf(w, "There is no data about %s.\n", shown(plan.Email))
	} else {
		t := newTable(out)
		fmt.Fprintln(t, "RECORDS\tROWS")
		for _, k := range plan.Erased {
			fmt.Fprintf(t, "%s\t%s\n", k.Kind, strconv.Itoa(k.Rows))
		}
		t.Flush()
	}
	if u := plan.Account; u != nil {
		fmt.Fprintln(out, e.accountLine(u, plan.At != nil))
	}
	for _, n := range plan.Left {
		fmt.Fprintf(out, "Not changed, content of the library: %s, %s\n", n.Column, plural(n.Rows, "row"))
	}
	switch {
	case plan.At == nil && (plan.Rows() > 0 || plan.Account != nil):
		fmt.Fprintln(w, "Nothing was changed. --yes erases the person from these records. Backups are not changed.")
	case plan.At != nil:
		fmt.Fprintln(w, "Done. Backups are not changed: they contain the data until they are removed.")
	}
}

// accountLine describes the outcome for an account.
func (e *eraser) accountLine(u *dam.User, done bool) string {
	switch {
	case done:
		return fmt.Sprintf("Account: the name and address of user %d have been replaced.", u.ID)
	case u.DisabledAt == nil:
		return fmt.Sprintf("Account: user %d is not disabled. Disable it first; see dal user disable.", u.ID)
	case !e.account:
		return fmt.Sprintf("Account: user %d. --account erases it.", u.ID)
	}
	return fmt.Sprintf("Account: the name and address of user %d are replaced; its tokens and invitations are revoked.", u.ID)
}
