package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout is how long a server may take to answer.
const healthTimeout = 5 * time.Second

// healthItem is what a server says about itself, as JSON.
type healthItem struct {
	Ready  bool   `json:"ready"`
	URL    string `json:"url"`
	Reason string `json:"reason,omitempty"` // why it is not
}

func newHealth() *cobra.Command {
	host, port := "", ""
	var asJSON bool
	cmd := &cobra.Command{Use: "health", Short: "Ask a server on this machine whether it is ready", Args: takes(),
		Long: `Asks the server that listens on --listen whether it is ready, for the health
checks of containers and monitors. The exit code is 0 if it is, and otherwise 1
with the reason.`,
		Example: `  dal health
  dal health --listen 127.0.0.1:9000 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			item := askHealth(cmd.Context(), "http://"+net.JoinHostPort(host, port)+"/readyz")
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), item); err != nil {
					return err
				}
			}
			switch {
			case !item.Ready:
				return errors.New("not ready: " + item.Reason)
			case asJSON:
				return nil
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		}}
	f := flagsOf(cmd)
	f.parsed(func(s string) (err error) {
		if host, port, err = net.SplitHostPort(s); err != nil || port == "" {
			return fmt.Errorf("must be an address such as %s, not %q", defaultListen, s)
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() { // it listens on all
			host = "localhost"
		}
		return nil
	}, "listen", defaultListen, "the `address` that the server listens on")
	f.json(&asJSON)
	return cmd
}

// askHealth asks a server whether it is ready.
func askHealth(ctx context.Context, url string) healthItem {
	item := healthItem{URL: url}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, body, err := get(ctx, url)
	switch {
	case err != nil:
		item.Reason = err.Error()
	case status == http.StatusOK:
		item.Ready = true
	default:
		var said struct{ Message string }
		if err := json.Unmarshal(body, &said); err != nil {
			said.Message = string(body)
		}
		item.Reason = cmp.Or(said.Message, http.StatusText(status))
	}
	return item
}

// get fetches the first KiB of a resource.
func get(ctx context.Context, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, 1<<10))
	return res.StatusCode, body, err
}
