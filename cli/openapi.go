package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/web"
)

func newOpenAPI() *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI 3.1 document of the API", Args: takes(),
		Example: `  dal openapi > dal.openapi.json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			srv, err := web.New(nil, web.DefaultOptions())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", srv.OpenAPI())
			return err
		}}
}
