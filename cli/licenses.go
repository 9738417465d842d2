package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/packed"
)

// licensesFile contains the licences of all components of the binary. .release/run licenses
// writes it.
//
//go:embed licenses.json.zst
var licensesFile []byte

// licenses are the components of the binary and the texts of their licences, each text
// once.
type licenses struct {
	Components []struct {
		Name    string   `json:"name"`
		Version string   `json:"version"`
		License string   `json:"license"` // an SPDX expression
		Texts   []string `json:"texts"`   // keys
	} `json:"components"`
	Texts map[string]string `json:"texts"`
}

// weakCopyleft reports whether a licence requires more than a notice: that changes to its
// files remain under it.
func weakCopyleft(spdx string) bool {
	return strings.Contains(spdx, "MPL") || strings.Contains(spdx, "LGPL")
}

func newLicenses() *cobra.Command {
	var asJSON, texts bool
	cmd := &cobra.Command{Use: "licenses", Short: "Print the licences of the components of this binary", Args: takes(),
		Long: `Lists the modules, models and pages in this binary with their versions and
licences. dal itself is under the Apache License 2.0.`,
		Example: `  dal licenses
  dal licenses --text | less`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := packed.Unpack(licensesFile)
			if err != nil {
				return err
			}
			var all licenses
			if err := json.Unmarshal(data, &all); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return printJSON(out, all)
			}
			w := newTable(out)
			fmt.Fprintln(w, "COMPONENT\tVERSION\tLICENCE")
			for _, c := range all.Components {
				note := ""
				if weakCopyleft(c.License) {
					note = " (weak copyleft)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s%s\n", c.Name, c.Version, c.License, note)
			}
			if err := w.Flush(); err != nil || !texts {
				return err
			}
			for _, c := range all.Components {
				fmt.Fprintf(out, "\n%s\n%s %s: %s\n%[1]s\n", strings.Repeat("=", 80), c.Name, c.Version, c.License)
				for _, key := range c.Texts {
					fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(all.Texts[key]))
				}
			}
			return nil
		}}
	f := flagsOf(cmd)
	f.yes(&texts, "text", "also print the full texts")
	f.json(&asJSON)
	return cmd
}
