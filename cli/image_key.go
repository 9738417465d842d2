package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

func newImageKey(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "image-key", Short: "List and rotate the keys that sign image URLs", Args: takes(),
		Long: `Image URLs need no login, so they are signed with a key of the library. After the
key is rotated, existing URLs stop working, immediately or after an overlap. The
first key is created for the first image URL.`,
	}
	cmd.AddCommand(newImageKeyList(s), newImageKeyRotate(s))
	return cmd
}

// imageKeyItem is a key as JSON.
type imageKeyItem struct {
	ID        int64      `json:"id"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"` // null for the signing key
}

func toImageKeyItem(k dam.ImageKey) imageKeyItem {
	return imageKeyItem{k.ID, k.CreatedAt, k.ExpiresAt}
}

func newImageKeyList(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the keys whose image URLs are valid", Args: takes(),
		Example: `  dal image-key list
  dal image-key list --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				keys, err := a.Images.ImageKeys(cmd.Context())
				if err != nil {
					return err
				}
				items := []imageKeyItem{}
				for _, k := range keys {
					items = append(items, toImageKeyItem(k))
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), items)
				}
				w := newTable(cmd.OutOrStdout())
				fmt.Fprintln(w, "ID\tCREATED\tEXPIRES")
				for _, k := range items {
					fmt.Fprintf(w, "%d\t%s\t%s\n", k.ID, isoTime(k.CreatedAt), isoTimeOr(k.ExpiresAt, "never: signing key"))
				}
				return w.Flush()
			})
		}}
	flagsOf(cmd).json(&asJSON)
	return cmd
}

// imageKeyOverlap is the default time for which image URLs remain valid after another key
// has taken over signing.
const imageKeyOverlap = 30 * 24 * time.Hour

func newImageKeyRotate(s *settings) *cobra.Command {
	overlap := imageKeyOverlap
	var asJSON bool
	cmd := &cobra.Command{Use: "rotate", Short: "Sign image URLs with a new key", Args: takes(),
		Long: `Creates a new key that signs image URLs from now on. Existing URLs are valid until
the overlap ends; replace them by then, with POST /image-urls. A running server uses
the new key immediately. Copies of pictures in external caches can remain there for
up to a year.`,
		Example: `  dal image-key rotate
  dal image-key rotate --overlap 0   invalidate all image URLs immediately`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				key, err := a.Images.RotateImageKey(cmd.Context(), overlap)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), toImageKeyItem(key))
				}
				what := "are no longer valid"
				if overlap > 0 {
					what = "are valid until " + isoTime(key.CreatedAt.Add(overlap))
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "Key %d signs image URLs from now on. Existing URLs %s.\n", key.ID, what)
				return nil
			})
		}}
	f := flagsOf(cmd)
	f.time(account.NewLimit("overlap", &overlap, overlap, 0, 366*24*time.Hour), "overlap", "how long existing image URLs stay valid")
	f.json(&asJSON)
	return cmd
}
