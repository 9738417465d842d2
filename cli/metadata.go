package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

func newMetadata(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "metadata", Short: "Define custom fields, vocabularies and asset classes", Args: takes(),
		Long: `Custom fields define the metadata of assets: its type, the asset classes it is
for, whether it is required, and its default. Vocabularies list the terms that
fields of the types term and terms can have. As long as there are no fields,
metadata is free-form.

"dal metadata apply" makes the definitions match a YAML file, "dal metadata
export" writes such a file; "dal help metadata apply" describes it. Both can run
beside a server. Admins can make the same changes over the API, under /metadata
and /asset-classes.`}
	cmd.AddCommand(newMetadataApply(s), newMetadataExport(s), newMetadataImport(s))
	return cmd
}

func newMetadataApply(s *settings) *cobra.Command {
	m := &metadataRun{}
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Make the definitions match a YAML file", Args: m.fileOrPreset,
		Long: `Makes the definitions of the library match a YAML file (- for stdin), all of them
or none. The plan goes to stdout, one change per line; a second run has nothing to
do. It can run beside the server, which follows at once.

  asset_classes: [Photo, Film]
  vocabularies:
    - key: regions              # keys are permanent, names and labels can change
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
      asset_classes: [Photo]    # all if absent
    - key: rating
      label: Rating
      description: How good it is.
      type: integer
      validation: {min: 1, max: 5}   # also max_length, pattern
      is_required: true
      is_searchable: false      # true if absent, like is_filterable
    - key: places
      label: Places
      type: terms
      vocabulary: regions
      xmp_path: lr:hierarchicalSubject  # files fill the field, downloads have it
      accepts_new_terms: true           # files add the terms that are missing

Each of the three lists is complete: what is not in it is deleted. If a list is
absent, its kind stays as it is. Fields, vocabularies and terms are identified by
their keys, which are permanent, and asset classes by their names: a class with
another name in the file is another class, so rename it over the API first.

With --preset, the fields of a preset are added to the present definitions, and
nothing else changes: those that there are already stay as they are. The preset
"iptc" has the headline, alt text, credit line, source, instructions, rights page,
licensor and data mining permission of the IPTC Photo Metadata Standard.

Terms in use are deactivated, not deleted. Deleting a field removes its values
from assets, changing its type removes those that do not fit, and deleting an
asset class removes it from its assets. Such changes are marked LOSS in the plan
and need --allow-loss.

On a terminal, the plan is shown and confirmed first; elsewhere --yes confirms
it. "dal metadata export" writes the present definitions.

Errors in the file are reported with their lines. While the change is made, which
takes about 2 seconds for 100,000 assets whose values change, other writers wait.
If more than 500 assets change, their events follow in the background once a
server runs; new labels are searchable once the index has caught up.

Exit codes: 0 done, or nothing to do; 1 nothing was changed, because the file has
errors, something still needs what would be deleted, there are changes marked
LOSS (with --dry-run too), the answer was no, or the library changed in the
meantime; 2 wrong use, or there was no terminal to ask on.`,
		Example: `  dal metadata apply fields.yaml --dry-run
  dal metadata apply fields.yaml --yes
  dal metadata apply --preset iptc`,
		ValidArgsFunction: completeArgs(filesOf("yaml", "yml")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if m.preset != "" {
				return s.with(cmd, func(a *app.App) error {
					d, err := withPreset(cmd, a, m.preset)
					if err != nil {
						return err
					}
					return m.apply(cmd, a, d, false)
				})
			}
			d, err := readDefinitionsFile(cmd, args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return s.with(cmd, func(a *app.App) error {
				err := m.apply(cmd, a, d, args[0] == "-")
				if dam.KindOf(err) == dam.Invalid {
					err = fmt.Errorf("%s: %w", args[0], err)
				}
				return err
			})
		},
	}
	f := flagsOf(cmd)
	f.choice(&m.preset, "preset", "add the fields of a preset, instead of FILE", presetNames)
	f.yes(&m.yes, "yes", "do not ask")
	f.yes(&m.opt.DryRun, "dry-run", "only show the plan")
	f.yes(&m.opt.AllowLoss, "allow-loss", "also make changes that remove values from assets")
	f.json(&m.asJSON)
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

// metadataRun is one run of dal metadata apply.
type metadataRun struct {
	opt         app.ApplyOptions
	yes, asJSON bool
	preset      string // "" for a file
}

// apply applies definitions, after confirmation unless a flag makes it unnecessary. If
// stdinUsed is set, stdin contains the definitions, so no answer can be read from it.
func (m *metadataRun) apply(cmd *cobra.Command, a *app.App, d *dam.Definitions, stdinUsed bool) error {
	ask := !m.yes && !m.opt.DryRun
	if ask {
		if stdinUsed || terminal(cmd) == nil {
			return usagef("there is no terminal to ask on: --yes applies the definitions, --dry-run shows what that does")
		}
		plan, err := a.Definitions.ApplyDefinitions(cmd.Context(), d, app.ApplyOptions{DryRun: true})
		if err != nil {
			return err
		}
		if len(plan) > 0 {
			if err := m.confirmPlan(cmd, plan); err != nil {
				return err
			}
		}
		m.opt.Expect = plan.String()
	}
	plan, err := a.Definitions.ApplyDefinitions(cmd.Context(), d, m.opt)
	if err != nil && !errors.Is(err, app.ErrLoss) {
		return err
	}
	applied := err == nil && !m.opt.DryRun && len(plan) > 0
	switch {
	case m.asJSON:
		err = errors.Join(err, printPlanJSON(cmd.OutOrStdout(), plan, applied))
	case !ask:
		err = errors.Join(err, printPlan(cmd.OutOrStdout(), plan))
	}
	if e := m.refuseLosses(plan); e != nil {
		return e
	}
	w := cmd.ErrOrStderr()
	switch {
	case err != nil:
		return err
	case len(plan) == 0:
		fmt.Fprintln(w, "Nothing to do.")
	case applied:
		fmt.Fprintf(w, "Applied %s.\n", plural(len(plan), "change"))
	default:
		fmt.Fprintf(w, "%s planned; nothing was changed.\n", plural(len(plan), "change"))
	}
	return nil
}

// confirmPlan shows a plan and asks for confirmation.
func (m *metadataRun) confirmPlan(cmd *cobra.Command, plan app.Plan) error {
	w := cmd.OutOrStdout()
	if m.asJSON {
		w = cmd.ErrOrStderr()
	}
	if err := errors.Join(printPlan(w, plan), m.refuseLosses(plan)); err != nil {
		return err
	}
	return confirm(cmd, "Apply this?", "")
}

// refuseLosses returns an error for a plan with losses that are not allowed.
func (m *metadataRun) refuseLosses(plan app.Plan) error {
	n := plan.Losses()
	if n == 0 || m.opt.AllowLoss {
		return nil
	}
	return fmt.Errorf("%s marked LOSS would remove something from assets; --allow-loss allows that. Nothing was changed",
		plural(n, "change"))
}

func printPlan(w io.Writer, plan app.Plan) error {
	_, err := fmt.Fprint(w, shownLines(plan.String()))
	return err
}

func printPlanJSON(w io.Writer, plan app.Plan, applied bool) error {
	type change struct {
		Action string `json:"action"`
		What   string `json:"what"`
		Detail string `json:"detail"`
		Loss   string `json:"loss"` // the data that assets would lose; "" for none
	}
	changes := []change{}
	for _, step := range plan {
		changes = append(changes, change(step))
	}
	return printJSON(w, struct {
		Changes []change `json:"changes"`
		Applied bool     `json:"applied"`
	}{changes, applied})
}

func newMetadataExport(s *settings) *cobra.Command {
	return &cobra.Command{Use: "export", Short: "Write the present definitions as YAML", Args: takes(),
		Long:    `Writes the present definitions as YAML, in the form that dal metadata apply reads.`,
		Example: `  dal metadata export > fields.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) error {
				d, err := a.Definitions.ExportDefinitions(cmd.Context())
				if err != nil {
					return err
				}
				return writeDefinitions(cmd.OutOrStdout(), d)
			})
		}}
}
