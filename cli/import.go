package cli

import (
	"github.com/spf13/cobra"
)

func newImport(s *settings) *cobra.Command { return &cobra.Command{Use: "import"} }
