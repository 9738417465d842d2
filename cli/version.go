package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of a release, set by the linker.
var release string

// build describes this binary.
type build struct {
	Version  string `json:"version"` // of the release, or dev
	Commit   string `json:"commit"`  // "" if it was not built in a checkout
	Date     string `json:"date"`    // of the commit, RFC 3339 UTC
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild reads the information recorded by the linker and the Go toolchain.
func thisBuild() build {
	b := build{Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if b.Version == "" {
		b.Version = "dev"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				b.Date = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	return b
}

// String returns a line such as "dal 1.2.3 (commit 0123456789ab, 2026-01-31T12:00:00Z)
// linux/amd64 go1.26".
func (b build) String() string {
	from := ""
	if b.Commit != "" {
		changed := ""
		if b.Modified {
			changed = " with changes"
		}
		from = fmt.Sprintf(" (commit %.12s%s, %s)", b.Commit, changed, b.Date)
	}
	return fmt.Sprintf("dal %s%s %s %s", b.Version, from, b.Platform, b.Go)
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "version", Short: "Print the version and its commit", Args: takes(),
		Example: `  dal version
  dal version --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), thisBuild())
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), thisBuild())
			return err
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}
