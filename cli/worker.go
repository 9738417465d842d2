package cli

import (
	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/worker"
)

// newConfined returns the command of a process that sandboxes itself and becomes a program
// that the server needs. The arguments after the program's name are passed to it.
func newConfined() *cobra.Command {
	return &cobra.Command{
		Use: confine.Argument, Short: "Start a program for a server, without access to the network or other files", Hidden: true,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return confine.Main(args) },
	}
}

// newWorker returns the command of the process in which a server's engines read files. It
// takes no settings, and needs no data folder.
func newWorker() *cobra.Command {
	return &cobra.Command{
		Use: engine.WorkerArgument, Short: "Read files for the server that started it", Args: takes(), Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return worker.Main(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
