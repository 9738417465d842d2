package cli

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
)

// welcome says where the server is and, in a library without users, what to do
// first.
func welcome(cmd *cobra.Command, s *settings, a *app.App, addr net.Addr, log *slog.Logger) error {
	url := "http://" + addr.String()
	if s.logFormat == "json" { // and nothing else
		log.Info("listening", "url", url, "data", s.folder(), "version", thisBuild().Version)
		return nil
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, `dal %s listens on %s
  data       %s
  guide      %[2]s/docs/guide
  reference  %[2]s/docs
`, thisBuild().Version, url, s.folder())
	users, err := a.Accounts.Users(cmd.Context())
	if err != nil || len(users) > 0 {
		return err
	}
	fmt.Fprintf(w, `
There are no users yet. In another terminal, create the first one, import a
folder of pictures, and create a token for the API:

  %[1]s user create --data %[2]q --email you@example.com --name "You" --role admin
  %[1]s import ~/Pictures --data %[2]q --user you@example.com
  %[1]s token create --data %[2]q --user you@example.com --name first --all-abilities

What to do with the token: %[3]s/docs/guide/api

`, calledAs(), s.folder(), url)
	return nil
}

// calledAs is how a reader calls this program: by its name if that finds it, and
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
