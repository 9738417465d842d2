package cli

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// welcome prints the address of the server and, in a library without users, how to create
// the first one.
func welcome(cmd *cobra.Command, s *settings, a *app.App, public *url.URL, addr net.Addr, log *slog.Logger) error {
	url := "http://" + addr.String()
	secret, err := a.Accounts.OpenSetup(cmd.Context())
	if err != nil {
		return err
	}
	link := siteRoot(public, reachedAt(addr)) + web.SetupPage + secret
	if s.logFormat == "json" { // stderr contains only JSON
		log.Info("listening", "url", url, "data", s.folder(), "version", thisBuild().Version)
		if secret != "" {
			log.Info("the library has no users; the first person to open this link becomes its admin", "link", link)
		}
		return nil
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, `dal %s listens on %s
  data       %s
  guide      %[2]s/docs/guide
  reference  %[2]s/docs
`, thisBuild().Version, url, s.folder())
	if secret == "" {
		return nil
	}
	fmt.Fprintf(w, `
There are no users yet. Open this link to create the first admin. It works once;
the next start prints a new one.

  %[1]s

Without a browser, use another terminal:

  %[2]s user create --data %[3]q --email you@example.com --name "You" --role admin
  %[2]s import ~/Pictures --data %[3]q --user you@example.com
  %[2]s token create --data %[3]q --user you@example.com --name first --all-abilities

How to use the token: %[4]s/docs/guide/api

`, link, calledAs(), s.folder(), url)
	return nil
}

// reachedAt returns the root URL of a server that listens on an address, as seen from this
// machine.
func reachedAt(addr net.Addr) string {
	at, err := netip.ParseAddrPort(addr.String())
	if err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", at.Port())
	}
	return "http://" + addr.String()
}

// siteRoot returns the public root URL of a server without a trailing slash, or reached if
// it has none.
func siteRoot(public *url.URL, reached string) string {
	if public == nil {
		return reached
	}
	return strings.TrimSuffix(public.String(), "/")
}

// calledAs returns how to invoke this program: by its name if that is in the PATH, and
// through go in a checkout.
func calledAs() string {
	self, err := os.Executable()
	if err != nil {
		return "dal"
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return "go run ."
	}
	found, err := exec.LookPath("dal")
	if err != nil || !sameFile(self, found) {
		return self
	}
	return "dal"
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
