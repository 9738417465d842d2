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
	cmd := &cobra.Command{Use: "metadata", Short: "Define custom fields, vocabularies and asset classes", Args: cobra.NoArgs,
		Long: `Custom fields say what metadata assets have: of which type, for assets of which
classes, required or not, with which default. Vocabularies list the terms that
fields of the types term and terms can have. As long as there are no fields,
metadata is free-form.

dal metadata apply makes the definitions those of a YAML file, dal metadata
export writes such a file; dal help metadata apply says what is in it and what
the exit codes mean. Both work beside a server. Administrators can do the same
over the interface, under /metadata and /asset-classes.`}
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
is absent leaves its kind as it is. Fields, vocabularies and terms are known by
their keys, which are for ever; classes by their names, so that one with another
name in the file is another class: rename it over the interface first.

Terms that assets have are deactivated, not deleted. Deleting a field takes its
values from assets, another type those that do not fit it, deleting an asset
class takes it from its assets: such changes are marked LOSS in the plan and
done only with --allow-loss.

On a terminal the plan is shown first and asked for; elsewhere --yes says that
it may be done. dal metadata export writes the present definitions.

What is wrong with the file is told by its lines. While the change is made,
which takes about 2 s for 100,000 assets whose values change, others that write
wait. Of more than 500 changed assets the events follow in the background, as
soon as a server runs; texts are found under new labels as the index follows.

Exit codes: 0 done, or nothing to do; 1 nothing was changed, because the file is
wrong, something needs what would go, there are changes marked LOSS (--dry-run
too), the answer was no, or the library changed meanwhile; 2 wrong use, or
nobody could be asked.`,
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
	if _, err := fmt.Fprint(cmd.OutOrStdout(), shownLines(plan.String())); err != nil {
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
