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

	"github.com/digital-asset-library/dal/app"
)

// healthTimeout is the maximum time that a server may take to answer.
const healthTimeout = 5 * time.Second

// readyPath is the path of the readiness check.
const readyPath = "/readyz"

// healthItem is the health of a server as JSON.
type healthItem struct {
	Ready  bool   `json:"ready"`
	URL    string `json:"url"`
	Reason string `json:"reason,omitempty"` // why it is not ready

	answered bool
}

func newHealth(s *settings) *cobra.Command {
	var at string
	var asJSON bool
	cmd := &cobra.Command{Use: "health", Short: "Check whether a server on this machine is ready", Args: takes(),
		Long: `Checks whether the server of the data folder is ready, for containers and
monitoring. With --listen, it checks the server at that address. The exit code is 0
if the server is ready; otherwise it is 1, and the reason is printed.`,
		Example: `  dal health
  dal health --data /srv/dal
  dal health --listen 127.0.0.1:9000 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			item, err := s.health(cmd.Context(), at)
			if err != nil {
				return err
			}
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
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		}}
	f := flagsOf(cmd)
	f.parsed(func(s string) error {
		host, port, err := net.SplitHostPort(s)
		if err != nil || port == "" {
			return fmt.Errorf("must be an address such as %s, not %q", defaultListen, s)
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() { // it listens on all addresses
			host = "localhost"
		}
		at = "http://" + net.JoinHostPort(host, port)
		return nil
	}, "listen", "", "the `address` of the server; by default, that of the server of the data folder")
	f.json(&asJSON)
	return cmd
}

// health checks whether the server at a URL is ready or, if that is empty, the server of
// the data folder.
func (s *settings) health(ctx context.Context, at string) (healthItem, error) {
	if at != "" {
		return askHealth(ctx, at), nil
	}
	at, err := app.ServerURL(s.data)
	if err != nil {
		return healthItem{}, err
	}
	var item healthItem
	if at != "" {
		item = askHealth(ctx, at)
	}
	if !item.answered {
		item.Reason = fmt.Sprintf("no server runs on %s; dal serve starts one", s.folder())
	}
	return item, nil
}

// askHealth checks whether the server at a URL is ready.
func askHealth(ctx context.Context, root string) healthItem {
	item := healthItem{URL: root + readyPath}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, body, err := get(ctx, item.URL)
	var dial *net.OpError
	item.answered = !errors.As(err, &dial) || dial.Op != "dial"
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
