package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/library"
)

// roles returns the roles of users.
func roles() []string { return valuesOf[dam.Role]() }

// abilities returns the abilities of tokens.
func abilities() []string { return valuesOf[dam.Ability]() }

// auditEvents returns the events in the audit log.
func auditEvents() []string { return valuesOf[dam.AuditEvent]() }

// valuesOf returns the values of an enum as strings.
func valuesOf[E dam.Enum[E]]() (list []string) {
	for _, v := range dam.Values[E]() {
		list = append(list, string(v))
	}
	return list
}

// completeEmail suggests the users of the library, if it exists.
func (s *settings) completeEmail(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if err := applySettings(cmd, s.config); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	cfg := app.DefaultConfig()
	cfg.DataDir, cfg.Access, cfg.Embeddings, cfg.Log = s.data, library.AccessCheck, find.EmbeddingsOff, slog.New(slog.DiscardHandler)
	cfg.KeepAll()
	a, err := app.Open(cmd.Context(), cfg)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer a.Close()
	users, err := a.Accounts.Users(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var emails []cobra.Completion
	for _, u := range users {
		emails = append(emails, cobra.CompletionWithDesc(u.Email, u.Name))
	}
	return emails, cobra.ShellCompDirectiveNoFileComp
}

// completeArgs completes each argument of a command with the function at its position, and
// suggests nothing after the last.
func completeArgs(of ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(of) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return of[len(args)](cmd, args, typed)
	}
}

// folders completes a folder.
func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// filesOf completes a file with one of the extensions.
func filesOf(extensions ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}
