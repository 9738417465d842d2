package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

func newDuplicates(s *settings) *cobra.Command {
	var asJSON bool
	var distance int
	cmd := &cobra.Command{Use: "duplicates", Short: "List groups of pictures that are the same or nearly so", Args: cobra.NoArgs,
		Long: `Compares the perceptual hashes of all pictures outside the trash: versions of
one picture that are scaled, compressed again or slightly retouched have nearly
the same. Each group is listed oldest first. Nothing is changed; look before
you delete. It may run beside the server.

Files that are the same byte for byte do not get into the library twice, unless
the batch said allow_duplicates.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if distance < 0 || distance > maxDistance {
				return &exitError{exitUsage, fmt.Errorf("--distance is from 0 to %d", maxDistance)}
			}
			return s.existing(cmd, func(a *app.App) error {
				groups, assets := 0, 0
				count := func(g []*dam.Asset) { groups, assets = groups+1, assets+len(g) }
				if asJSON {
					list := [][]duplicate{}
					if err := a.Finder.Duplicates(cmd.Context(), distance, func(g []*dam.Asset) error {
						count(g)
						list = append(list, toDuplicates(g))
						return nil
					}); err != nil {
						return err
					}
					return printJSON(cmd.OutOrStdout(), list)
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
				err := a.Finder.Duplicates(cmd.Context(), distance, func(g []*dam.Asset) error {
					if groups > 0 {
						fmt.Fprintln(w)
					}
					count(g)
					for _, d := range toDuplicates(g) {
						fmt.Fprintf(w, "%s\t%s\t%d×%d\t%d bytes\t%s\n", d.GAID, d.CreatedAt.Format(time.DateOnly), d.Width, d.Height, d.FileSize, shown(d.OriginalFilename))
					}
					return w.Flush()
				})
				fmt.Fprintf(cmd.ErrOrStderr(), "%d groups with %d assets.\n", groups, assets)
				return err
			})
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON: a list of groups")
	cmd.Flags().IntVar(&distance, "distance", search.NearDuplicate, "how many of the 64 `bits` of two hashes may differ")
	return cmd
}

// maxDistance is how different two pictures may be: beyond, most pairs have
// nothing to do with each other, and there are too many to compare.
const maxDistance = 15

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
