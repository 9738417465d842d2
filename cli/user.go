package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

func newUser(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Make and change users", Args: cobra.NoArgs}
	cmd.AddCommand(newUserCreate(s), newUserList(s), newUserSetRole(s), newUserSetPassword(s), newUserDisable(s))
	return cmd
}

func newUserCreate(s *settings) *cobra.Command {
	u := &dam.User{}
	var role string
	var fromStdin bool
	cmd := &cobra.Command{
		Use: "create --email E --name N --role admin|editor|viewer", Short: "Make a user", Args: cobra.NoArgs,
		Long: `Makes a user. The password is read from the first line of stdin with
--password-stdin, asked for on a terminal, and otherwise made and printed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			u.Role = dam.Role(role)
			return s.existing(cmd, func(a *app.App) error {
				password, made, err := newPassword(cmd, fromStdin)
				if err != nil {
					return err
				}
				if err := a.Accounts.CreateUser(cmd.Context(), u, password); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "User %d, %s, is %s.\n", u.ID, shown(u.Email), u.Role)
				if made {
					fmt.Fprintln(cmd.ErrOrStderr(), "Their password, shown only now:")
					fmt.Fprintln(cmd.OutOrStdout(), password)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&u.Email, "email", "", "the user's `email`, by which they log in")
	f.StringVar(&u.Name, "name", "", "the user's `name`")
	f.StringVar(&role, "role", "", "admin (everything), editor (all but consents and administration) or viewer (look and fetch)")
	f.BoolVar(&fromStdin, "password-stdin", false, "read the password from the first line of stdin")
	return cmd
}

// newPassword reads, asks for or makes a password.
func newPassword(cmd *cobra.Command, fromStdin bool) (password string, made bool, err error) {
	if fromStdin {
		line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", false, err
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return "", false, errors.New("there is no password on stdin")
		}
		return line, false, nil
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return app.NewPassword(), true, nil
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt)
		b, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(cmd.ErrOrStderr())
		return string(b), err
	}
	first, err := ask("Password (empty to have one made): ")
	if err != nil {
		return "", false, err
	}
	if first == "" {
		return app.NewPassword(), true, nil
	}
	second, err := ask("Again: ")
	if err == nil && first != second {
		err = errors.New("the passwords differ")
	}
	return first, false, err
}

func newUserList(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List users", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return s.existing(cmd, func(a *app.App) error {
			users, err := a.Accounts.Users(cmd.Context())
			if err != nil {
				return err
			}
			type item struct {
				ID         int64      `json:"id"`
				Email      string     `json:"email"`
				Name       string     `json:"name"`
				Role       dam.Role   `json:"role"`
				DisabledAt *time.Time `json:"disabled_at"`
				CreatedAt  time.Time  `json:"created_at"`
			}
			items := make([]item, len(users))
			for i, u := range users {
				items[i] = item{u.ID, u.Email, u.Name, u.Role, u.DisabledAt, u.CreatedAt}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), items)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tEMAIL\tNAME\tROLE\tSTATE")
			for _, u := range items {
				state := "active"
				if u.DisabledAt != nil {
					state = "disabled"
				}
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", u.ID, shown(u.Email), shown(u.Name), u.Role, state)
			}
			return w.Flush()
		})
	}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// changeUser is a command that changes the user that its first argument names.
func changeUser(s *settings, use, short string, args int, change func(cmd *cobra.Command, a *app.App, args []string) (string, error)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(args), RunE: func(cmd *cobra.Command, args []string) error {
		return s.existing(cmd, func(a *app.App) error {
			done, err := change(cmd, a, args)
			if err == nil {
				fmt.Fprintln(cmd.ErrOrStderr(), shown(done))
			}
			return err
		})
	}}
}

func newUserSetRole(s *settings) *cobra.Command {
	return changeUser(s, "set-role EMAIL admin|editor|viewer", "Give a user another role", 2, func(cmd *cobra.Command, a *app.App, args []string) (string, error) {
		return args[0] + " is " + args[1] + " now.", a.Accounts.UpdateUser(cmd.Context(), args[0], func(u *dam.User) error {
			u.Role = dam.Role(args[1])
			return nil
		})
	})
}

func newUserSetPassword(s *settings) *cobra.Command {
	var fromStdin bool
	cmd := changeUser(s, "set-password EMAIL", "Give a user another password and log them out everywhere", 1, func(cmd *cobra.Command, a *app.App, args []string) (string, error) {
		password, made, err := newPassword(cmd, fromStdin)
		if err != nil {
			return "", err
		}
		if err := a.Accounts.SetPassword(cmd.Context(), args[0], password); err != nil {
			return "", err
		}
		if made {
			fmt.Fprintln(cmd.OutOrStdout(), password)
		}
		return "The password of " + args[0] + " is changed.", nil
	})
	cmd.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from the first line of stdin")
	return cmd
}

func newUserDisable(s *settings) *cobra.Command {
	var undo bool
	cmd := changeUser(s, "disable EMAIL", "Shut a user out at once: log-ins and tokens stop working", 1, func(cmd *cobra.Command, a *app.App, args []string) (string, error) {
		word := " is disabled."
		if undo {
			word = " is active again."
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
	cmd.Flags().BoolVar(&undo, "undo", false, "let the user in again")
	return cmd
}
