package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

func newMetadata(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "metadata", Short: "Define custom fields, vocabularies and asset classes", Args: cobra.NoArgs}
	cmd.AddCommand(newMetadataApply(s), newMetadataExport(s))
	return cmd
}

func newMetadataApply(s *settings) *cobra.Command {
	var opt app.ApplyOptions
	var yes bool
	cmd := &cobra.Command{
		Use: "apply FILE.yaml", Short: "Make the definitions those of a file", Args: cobra.ExactArgs(1),
		Long: `Makes the definitions of the library those of a YAML file, - for stdin, all of
them or none. The plan goes to stdout, one change a line; a second run has
nothing to do. It may run beside the server, which follows at once.

  asset_classes: [Photo, Film]
  vocabularies:
    - key: regions              # keys are for ever, names and labels can change
      name: Regions
      terms:
        - key: europe
          label: Europe
          terms:
            - {key: fr, label: France}
            - {key: su, label: Soviet Union, is_active: false}
  fields:
    - key: region
      label: Region
      type: terms               # text, long_text, integer, number, boolean, date,
      vocabulary: regions       # datetime, term, terms or url
      default_value: [fr]
      asset_classes: [Photo]    # all when absent
    - key: rating
      label: Rating
      description: How good it is.
      type: integer
      validation: {min: 1, max: 5}   # also max_length, pattern
      is_required: true
      is_searchable: false      # true when absent, as is_filterable

Each of the three lists is complete: what is not in it is deleted. A list that
is absent leaves its kind as it is. Terms that assets have are deactivated, not
deleted. Deleting a field takes its values from assets, another type those that
do not fit it, deleting an asset class takes it from its assets: that is done
only with --allow-loss.

On a terminal the plan is shown first and asked for; elsewhere --yes says that
it may be done. dal metadata export writes the present definitions.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := readDefinitionsFile(cmd, args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return s.existing(cmd, func(a *app.App) error {
				err := applyDefinitions(cmd, a, d, opt, yes, args[0] == "-")
				if dam.KindOf(err) == dam.Invalid {
					err = fmt.Errorf("%s: %w", args[0], err)
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&yes, "yes", false, "do not ask")
	f.BoolVar(&opt.DryRun, "dry-run", false, "only show the plan")
	f.BoolVar(&opt.AllowLoss, "allow-loss", false, "also do what takes values from assets")
	return cmd
}

func readDefinitionsFile(cmd *cobra.Command, path string) (*dam.Definitions, error) {
	if path == "-" {
		return readDefinitions(cmd.InOrStdin())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readDefinitions(f)
}

func applyDefinitions(cmd *cobra.Command, a *app.App, d *dam.Definitions, opt app.ApplyOptions, yes, stdinUsed bool) error {
	ask := false
	if !yes && !opt.DryRun {
		in, ok := cmd.InOrStdin().(*os.File)
		if ask = ok && !stdinUsed && term.IsTerminal(int(in.Fd())); !ask {
			return &exitError{exitUsage, errors.New("nobody can be asked here: --yes applies the definitions, --dry-run shows what that does")}
		}
	}
	if ask {
		plan, err := a.ApplyDefinitions(cmd.Context(), d, app.ApplyOptions{DryRun: true})
		if err != nil {
			return err
		}
		if err := show(cmd, plan, opt); err != nil || len(plan) == 0 {
			return err
		}
		fmt.Fprint(cmd.ErrOrStderr(), "Apply this? [y/N] ")
		answer, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 100)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
			return errors.New("nothing was changed")
		}
		opt.Expect = plan.String()
	}
	plan, err := a.ApplyDefinitions(cmd.Context(), d, opt)
	if err != nil && !errors.Is(err, app.ErrLoss) {
		return err
	}
	if !ask {
		if err := show(cmd, plan, opt); err != nil || len(plan) == 0 {
			return err
		}
	}
	switch {
	case opt.DryRun:
		fmt.Fprintf(cmd.ErrOrStderr(), "%d changes. Nothing was changed.\n", len(plan))
	case err == nil:
		fmt.Fprintf(cmd.ErrOrStderr(), "%d changes applied.\n", len(plan))
	}
	return err
}

// show prints a plan; one with losses that are not allowed is an error.
func show(cmd *cobra.Command, plan app.Plan, opt app.ApplyOptions) error {
	if _, err := fmt.Fprint(cmd.OutOrStdout(), plan.String()); err != nil {
		return err
	}
	if len(plan) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Nothing to do.")
	}
	if n := plan.Losses(); n > 0 && !opt.AllowLoss {
		return fmt.Errorf("%d changes marked LOSS take something from assets; --allow-loss allows that. Nothing was changed", n)
	}
	return nil
}

func newMetadataExport(s *settings) *cobra.Command {
	return &cobra.Command{Use: "export", Short: "Write the present definitions as YAML, as dal metadata apply reads them", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.existing(cmd, func(a *app.App) error {
				d, err := a.ExportDefinitions(cmd.Context())
				if err != nil {
					return err
				}
				return writeDefinitions(cmd.OutOrStdout(), d)
			})
		}}
}
