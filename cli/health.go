package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout is how long a server may take to say how it is.
const healthTimeout = 5 * time.Second

func newHealth() *cobra.Command {
	var listen string
	cmd := &cobra.Command{Use: "health", Short: "Ask a server on this machine whether it is ready", Args: cobra.NoArgs,
		Long: `Asks the server that listens on --listen whether it is ready, for the health
checks of containers and monitors. The exit code is 0 if it is, else 1 with the
reason.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, port, err := net.SplitHostPort(listen)
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("--listen: %w", err)}
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() { // it listens on all
				host = "localhost"
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTimeout)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
			if err != nil {
				return err
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			body, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
			if err != nil {
				return err
			}
			if res.StatusCode != http.StatusOK {
				return fmt.Errorf("not ready: %s: %s", res.Status, body)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		}}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "the `address` that the server listens on")
	return cmd
}
