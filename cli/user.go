package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

func newUser(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Create, list and change users", Args: takes()}
	cmd.AddCommand(newUserCreate(s), newUserList(s), newUserInvite(s), newUserSetRole(s), newUserSetPassword(s),
		newUserDisable(s))
	return cmd
}

// userItem is a user as JSON.
type userItem struct {
	ID         int64      `json:"id"`
	Email      string     `json:"email"`
	Name       string     `json:"name"`
	Role       dam.Role   `json:"role"`
	DisabledAt *time.Time `json:"disabled_at"`
	CreatedAt  time.Time  `json:"created_at"`
}

func toUserItem(u *dam.User) userItem {
	return userItem{u.ID, u.Email, u.Name, u.Role, u.DisabledAt, u.CreatedAt}
}

func newUserCreate(s *settings) *cobra.Command {
	u := &dam.User{}
	var fromStdin, asJSON bool
	cmd := &cobra.Command{
		Use: "create --email EMAIL --name NAME --role ROLE", Short: "Create a user", Args: takes(),
		Long: `Creates a user. With --password-stdin, the password is the first line of stdin;
on a terminal, the command asks for it; otherwise it is generated and printed.

Admins can do everything, editors everything except consents and administration,
and viewers can only view and download.`,
		Example: `  dal user create --email ada@example.com --name "Ada Lovelace" --role admin
  dal user create --email ed@example.com --name Ed --role editor --password-stdin < password.txt`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				password, generated, err := newPassword(cmd, fromStdin)
				if err != nil {
					return err
				}
				if err := a.Accounts.CreateUser(cmd.Context(), u, password); err != nil {
					return wrongUse(err)
				}
				if !generated {
					password = ""
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), struct {
						userItem
						Password string `json:"password,omitempty"`
					}{toUserItem(u), password})
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "Created user %d, %s (%s).\n", u.ID, shown(u.Email), u.Role)
				if generated {
					fmt.Fprintln(cmd.ErrOrStderr(), "The password, which is not shown again:")
					fmt.Fprintln(cmd.OutOrStdout(), password)
				}
				return nil
			})
		},
	}
	f := flagsOf(cmd)
	f.text(&u.Email, "email", "the user's `email`, used to log in")
	f.text(&u.Name, "name", "the user's `name`")
	f.choice((*string)(&u.Role), "role", "the user's role", roles())
	f.yes(&fromStdin, "password-stdin", "read the password from the first line of stdin")
	f.json(&asJSON)
	f.required("email", "name", "role")
	return cmd
}

// newPassword reads, prompts for or generates a password.
func newPassword(cmd *cobra.Command, fromStdin bool) (password string, generated bool, err error) {
	if fromStdin {
		line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", false, err
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return "", false, usagef("stdin contains no password")
		}
		return line, false, nil
	}
	in := terminal(cmd)
	if in == nil {
		return account.NewPassword(), true, nil
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt)
		b, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(cmd.ErrOrStderr())
		return string(b), err
	}
	first, err := ask("Password (leave empty to generate one): ")
	if err != nil {
		return "", false, err
	}
	if first == "" {
		return account.NewPassword(), true, nil
	}
	second, err := ask("Repeat it: ")
	if err == nil && first != second {
		err = errors.New("the passwords do not match")
	}
	return first, false, err
}

// terminal returns the terminal for prompts, or nil if stdin is not a terminal.
func terminal(cmd *cobra.Command) *os.File {
	if in, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		return in
	}
	return nil
}

// confirm asks for confirmation on the terminal. Without a terminal, its error suggests
// what to do instead.
func confirm(cmd *cobra.Command, question, instead string) error {
	in := terminal(cmd)
	if in == nil {
		return usagef("there is no terminal to ask on: %s", instead)
	}
	fmt.Fprint(cmd.ErrOrStderr(), question+" [y/N] ")
	answer, err := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("nothing was changed")
	}
	return nil
}

func newUserList(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List users", Args: takes(), Example: `  dal user list
  dal user list --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				users, err := a.Accounts.Users(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					items := make([]userItem, len(users))
					for i, u := range users {
						items[i] = toUserItem(u)
					}
					return printJSON(cmd.OutOrStdout(), items)
				}
				w := newTable(cmd.OutOrStdout())
				fmt.Fprintln(w, "ID\tEMAIL\tNAME\tROLE\tSTATE")
				for _, u := range users {
					state := "active"
					if u.DisabledAt != nil {
						state = "disabled"
					}
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", u.ID, shown(u.Email), shown(u.Name), u.Role, state)
				}
				return w.Flush()
			})
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

func newUserInvite(s *settings) *cobra.Command {
	var site *url.URL
	var asJSON, revokeTokens bool
	cmd := &cobra.Command{
		Use: "invite EMAIL", Short: "Create a one-time link for a user to choose a password",
		Long: `Prints a link where a user chooses a password, the first one or a new one. The link
works once, within 7 days, and replaces an older one.
--revoke-tokens revokes the user's API tokens immediately.

The link starts with --site-url, the public URL of the server.`,
		Example: `  dal user invite ed@example.com --site-url https://dam.example.com`,
		Args:    takes("EMAIL"), ValidArgsFunction: completeArgs(s.completeEmail),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.with(cmd, func(a *app.App) error {
				inv, err := a.Accounts.InviteByEmail(cmd.Context(), args[0], revokeTokens)
				if err != nil {
					return err
				}
				link := siteRoot(site, "http://"+defaultListen) + web.InvitationPage + inv.Secret
				if asJSON {
					return printJSON(cmd.OutOrStdout(), struct {
						URL       string    `json:"url"`
						ExpiresAt time.Time `json:"expires_at"`
					}{link, inv.ExpiresAt})
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "The link for %s works until %s and is not shown again:\n", shown(inv.User.Email),
					inv.ExpiresAt.Local().Format("2006-01-02 15:04"))
				fmt.Fprintln(cmd.OutOrStdout(), link)
				return nil
			})
		},
	}
	f := flagsOf(cmd)
	f.parsed(siteURL(&site), "site-url", "", "the public `URL` of the server; if empty, http://"+defaultListen)
	f.yes(&revokeTokens, "revoke-tokens", "revoke all API tokens of the user now")
	f.json(&asJSON)
	return cmd
}

// userChange completes a command that changes the user named by its first argument. change
// returns a sentence about the result.
func (s *settings) userChange(
	cmd *cobra.Command, change func(cmd *cobra.Command, a *app.App, args []string) (done string, err error),
) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.with(cmd, func(a *app.App) error {
			done, err := change(cmd, a, args)
			if err == nil {
				fmt.Fprintln(cmd.ErrOrStderr(), shown(done))
			}
			return err
		})
	}
	return cmd
}

func newUserSetRole(s *settings) *cobra.Command {
	return s.userChange(&cobra.Command{
		Use: "set-role EMAIL ROLE", Short: "Change a user's role",
		Long: `Changes a user's role to ` + inWords(roles(), "or") + ` immediately. Tokens lose
the abilities that the new role does not have.`,
		Example: `  dal user set-role ed@example.com viewer`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := takes("EMAIL", "ROLE")(cmd, args); err != nil {
				return err
			}
			if err := (&choiceValue{new(string), roles()}).Set(args[1]); err != nil {
				return fmt.Errorf("ROLE %w", err)
			}
			return nil
		},
		ValidArgsFunction: completeArgs(s.completeEmail, cobra.FixedCompletions(roles(), cobra.ShellCompDirectiveNoFileComp)),
	}, func(cmd *cobra.Command, a *app.App, args []string) (string, error) {
		return args[0] + " now has the role " + args[1] + ".", a.Accounts.UpdateUser(cmd.Context(), args[0], func(u *dam.User) error {
			u.Role = dam.Role(args[1])
			return nil
		})
	})
}

func newUserSetPassword(s *settings) *cobra.Command {
	var fromStdin, revokeTokens bool
	cmd := s.userChange(&cobra.Command{
		Use: "set-password EMAIL", Short: "Change a user's password and end their sessions",
		Long: `Changes a user's password and ends all their browser sessions; API tokens keep
working without --revoke-tokens. With --password-stdin, the password is the first
line of stdin; on a terminal, the command asks for it; otherwise it is generated
and printed.`,
		Example: `  dal user set-password ed@example.com
  dal user set-password ed@example.com --revoke-tokens`,
		Args: takes("EMAIL"), ValidArgsFunction: completeArgs(s.completeEmail),
	}, func(cmd *cobra.Command, a *app.App, args []string) (string, error) {
		password, generated, err := newPassword(cmd, fromStdin)
		if err != nil {
			return "", err
		}
		if err := a.Accounts.SetPassword(cmd.Context(), args[0], password, revokeTokens); err != nil {
			return "", wrongUse(err)
		}
		if generated {
			fmt.Fprintln(cmd.OutOrStdout(), password)
		}
		return "Changed the password of " + args[0] + ".", nil
	})
	f := flagsOf(cmd)
	f.yes(&fromStdin, "password-stdin", "read the password from the first line of stdin")
	f.yes(&revokeTokens, "revoke-tokens", "revoke all API tokens of the user")
	return cmd
}

func newUserDisable(s *settings) *cobra.Command {
	var undo bool
	cmd := s.userChange(&cobra.Command{
		Use: "disable EMAIL", Short: "Disable a user immediately",
		Long: `Disables a user immediately: their sessions and tokens stop working, and they can
no longer log in. Their assets and collections are kept. --undo enables the user.`,
		Example: `  dal user disable ed@example.com
  dal user disable ed@example.com --undo`,
		Args: takes("EMAIL"), ValidArgsFunction: completeArgs(s.completeEmail),
	}, func(cmd *cobra.Command, a *app.App, args []string) (string, error) {
		word := " is disabled."
		if undo {
			word = " is enabled."
		}
		return args[0] + word, a.Accounts.UpdateUser(cmd.Context(), args[0], func(u *dam.User) error {
			now := time.Now()
			u.DisabledAt = &now
			if undo {
				u.DisabledAt = nil
			}
			return nil
		})
	})
	flagsOf(cmd).yes(&undo, "undo", "enable the user")
	return cmd
}
