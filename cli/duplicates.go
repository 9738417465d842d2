package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

func newDuplicates(s *settings) *cobra.Command {
	var asJSON bool
	distance := search.NearDuplicate
	cmd := &cobra.Command{Use: "duplicates", Short: "List groups of identical or similar pictures", Args: takes(),
		Long: `Compares the perceptual hashes of all pictures outside the trash. Resized,
recompressed or slightly retouched versions of a picture have similar hashes. Each
group is listed oldest first. Nothing is changed; compare the pictures before you
delete any. The command can run beside the server.

Identical files are stored only once, unless their upload batch set
allow_duplicates.`,
		Example: `  dal duplicates
  dal duplicates --distance 4 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				if asJSON {
					groups := [][]duplicate{}
					err := a.Finder.Duplicates(cmd.Context(), distance, func(assets []*dam.Asset) error {
						groups = append(groups, toDuplicates(assets))
						return nil
					})
					if err != nil {
						return err
					}
					return printJSON(cmd.OutOrStdout(), groups)
				}
				return printDuplicates(cmd, a, distance)
			})
		}}
	f := flagsOf(cmd)
	f.number(account.NewLimit("distance", &distance, distance, 0, maxDistance), "distance",
		"how many of the 64 `bits` of two hashes may differ")
	f.json(&asJSON)
	return cmd
}

// printDuplicates prints the groups, separated by empty lines.
func printDuplicates(cmd *cobra.Command, a *app.App, distance int) error {
	groups, count := 0, 0
	w := newTable(cmd.OutOrStdout())
	err := a.Finder.Duplicates(cmd.Context(), distance, func(assets []*dam.Asset) error {
		if groups > 0 {
			fmt.Fprintln(w)
		}
		groups, count = groups+1, count+len(assets)
		for _, d := range toDuplicates(assets) {
			fmt.Fprintf(w, "%s\t%s\t%d×%d\t%d bytes\t%s\n",
				d.GAID, isoTime(d.CreatedAt), d.Width, d.Height, d.FileSize, shown(d.OriginalFilename))
		}
		return w.Flush()
	})
	fmt.Fprintf(cmd.ErrOrStderr(), "%s with %s.\n", plural(groups, "group"), plural(count, "asset"))
	return err
}

// maxDistance is the maximum difference between two pictures. Beyond it, most pairs are
// unrelated, and there would be too many to compare.
const maxDistance = 15

// duplicate is an asset in a group as JSON.
type duplicate struct {
	GAID             dam.GAID  `json:"gaid"`
	Title            string    `json:"title"`
	OriginalFilename string    `json:"original_filename"`
	Width            int       `json:"width"`
	Height           int       `json:"height"`
	FileSize         int64     `json:"file_size"`
	CreatedAt        time.Time `json:"created_at"`
}

func toDuplicates(assets []*dam.Asset) []duplicate {
	var list []duplicate
	for _, a := range assets {
		list = append(list, duplicate{a.GAID, a.Title, a.OriginalFilename, a.Width, a.Height, a.FileSize, a.CreatedAt})
	}
	return list
}
