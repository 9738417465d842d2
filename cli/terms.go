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
	"github.com/digital-asset-library/dal/app/dam"
)

func newTerms(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "terms", Short: "Set and show the terms of use that people accept", Args: takes(),
		Long: `Terms of use are a text that everybody who signs in at a browser has to accept
first, admins too; dal keeps who has, and when. A running server asks from the
next request on. Programs with a token are not asked.`,
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
	cmd := &cobra.Command{Use: "set FILE", Short: "Put terms of use in force", Args: takes("FILE"),
		Long: `Puts the text in a file in force as the next version of the terms of use; "-" is
stdin. The text is UTF-8, at most 100,000 characters, and shown as it is: Markdown
is not interpreted. Everybody has to accept the new version. The same text as
before changes nothing.`,
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
					fmt.Fprintf(cmd.ErrOrStderr(), "Version %d of the terms of use is in force. Everybody is asked to accept it.\n", t.Version)
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
	flagsOf(cmd).number(app.NewLimit("version", &version, 0, 0, maxID), "version", "an older `version`; 0 is the one in force")
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
	cmd := &cobra.Command{Use: "clear", Short: "End the terms of use", Args: takes(),
		Long: `Ends the terms of use: nobody is asked any more. All versions, and who has
accepted them, are kept. Terms that are set later are the next version.`,
		Example: `  dal terms clear`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				had, err := a.Shares.ClearUseTerms(cmd.Context())
				if err == nil && !had {
					err = errors.New("there are no terms of use in force")
				}
				if err == nil {
					fmt.Fprintln(cmd.ErrOrStderr(), "There are no terms of use in force any more.")
				}
				return err
			})
		}}
	return cmd
}

func newErasePerson(s *settings) *cobra.Command {
	e := &eraser{}
	cmd := &cobra.Command{Use: "erase-person EMAIL", Short: "Take a person out of the records",
		Long: `Takes whoever has an email address out of consents, the access logs and lists of
shares, the audit log, events and deliveries of webhooks. What happened stays,
without who it was. It prints what would be done; --yes does it.

A user with the address has to be disabled first; with --account the account gets
another name and address, and its tokens and invitations end. What it made stays.

What people wrote into titles, metadata, file names and files is content of the
library, and left as it is; the plan says where the address is in it. Backups are
not changed: they have the person until they are removed.

In the end the database is written anew, so that nothing is left in its free
space. It takes room for two copies of it, and nobody can write meanwhile;
--keep-free-space leaves it out.`,
		Example: `  dal erase-person bo@example.com
  dal erase-person bo@example.com --yes
  dal erase-person ed@example.com --account --yes`,
		Args: takes("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.with(cmd, func(a *app.App) error { return e.run(cmd, a, args[0]) })
		}}
	f := flagsOf(cmd)
	f.yes(&e.yes, "yes", "do it")
	f.yes(&e.account, "account", "erase the account with the address too, which has to be disabled")
	f.yes(&e.keepFree, "keep-free-space", "do not write the database anew")
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
		fmt.Fprintf(w, "Nothing is kept about %s.\n", shown(plan.Email))
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
		fmt.Fprintf(out, "Left as content of the library: %s, %s\n", n.Column, plural(n.Rows, "row"))
	}
	switch {
	case plan.At == nil && (plan.Rows() > 0 || plan.Account != nil):
		fmt.Fprintln(w, "Nothing was changed. With --yes the person is taken out of these records. Backups are not changed.")
	case plan.At != nil:
		fmt.Fprintln(w, "Done. Backups are not changed: they have what they had until they are removed.")
	}
}

// accountLine describes the outcome for an account.
func (e *eraser) accountLine(u *dam.User, done bool) string {
	switch {
	case done:
		return fmt.Sprintf("Account: user %d has another name and address now.", u.ID)
	case u.DisabledAt == nil:
		return fmt.Sprintf("Account: user %d is not disabled. Disable it first; see dal user disable.", u.ID)
	case !e.account:
		return fmt.Sprintf("Account: user %d. It is erased with --account.", u.ID)
	}
	return fmt.Sprintf("Account: user %d gets another name and address; its tokens and invitations end.", u.ID)
}
