package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
)

func newReindex(s *settings) *cobra.Command {
	return &cobra.Command{Use: "reindex", Short: "Rebuild the text index", Args: takes(),
		Long: `Rebuilds the text index from the database. If a server runs on the data folder, it
rebuilds the index while it answers requests, and finishes even if this command is
interrupted.`,
		Example: `  dal reindex`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				unlock, err := a.Lock()
				if errors.Is(err, app.ErrInUse) {
					return reindexByServer(cmd, a)
				}
				if err != nil {
					return err
				}
				defer unlock()
				if err := a.OpenSearch(cmd.Context()); err != nil {
					return err
				}
				p := newProgress(cmd.ErrOrStderr(), "Indexing")
				err = a.Maintenance.Reindex(cmd.Context(), func(done, total int64) { p.set(done, total) })
				p.end()
				return err
			})
		}}
}

// reindexByServer lets the server rebuild the index and waits for it.
func reindexByServer(cmd *cobra.Command, a *app.App) error {
	pending, err := a.Maintenance.RequestReindex(cmd.Context())
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "The server is rebuilding the index. It will finish even if this command is interrupted.")
	t := time.NewTicker(200 * time.Millisecond)
	defer t.Stop()
	for {
		if still, err := pending(cmd.Context()); err != nil || !still {
			return err
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-t.C:
		}
	}
}
