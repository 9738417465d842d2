package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/schema"
)

func newMetadata(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "metadata", Short: "Define custom fields, vocabularies and asset classes", Args: takes(),
		Long: `Custom fields define the metadata of assets: their type, asset classes and default,
and whether they are required. Vocabularies list the terms for fields of the types
term and terms. Without fields, metadata is free-form.

"dal metadata apply" changes the definitions to match a YAML file, "dal metadata
export" writes such a file; "dal help metadata apply" describes the format. Both
can run beside a server. Admins can make the same changes through the API, under
/metadata and /asset-classes.`}
	cmd.AddCommand(newMetadataApply(s), newMetadataExport(s), newMetadataImport(s))
	return cmd
}

func newMetadataApply(s *settings) *cobra.Command {
	m := &metadataRun{}
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Change the definitions to match a YAML file", Args: m.fileOrPreset,
		Long: `Changes the definitions of the library to match a YAML file (- for stdin), all of
them or none. The plan is printed to stdout, one change per line; a second run
changes nothing. The command can run beside the server, which uses the new
definitions immediately.

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
      xmp_path: lr:hierarchicalSubject  # read from files, written into downloads
      accepts_new_terms: true           # files add missing terms

Each of the three lists must be complete: definitions that it does not contain are
deleted. If a list is absent, those definitions do not change. Fields, vocabularies
and terms are identified by their permanent keys, asset classes by their names: to
rename a class, use the API first, since a new name in the file is a new class.

--preset adds the fields of a preset; existing definitions do not change. The preset
"iptc" contains the headline, alt text, credit line, source, instructions, rights
page, licensor and data mining permission of the IPTC Photo Metadata Standard.

Terms in use are deactivated, not deleted. Deleting a field removes its values from
assets, changing its type removes incompatible values, and deleting an asset class
removes it from its assets. Such changes are marked LOSS in the plan and require
--allow-loss.

On a terminal, the command shows the plan and asks; elsewhere --yes confirms it.
"dal metadata export" writes the current definitions.

Errors in the file are reported with their lines. Other writers wait while the
change is made, about 2 seconds per 100,000 assets whose values change. If more than
500 assets change, a running server sends their events in the background; new labels
are searchable once the index is up to date.

Exit codes: 0 success, or nothing to do; 1 nothing was changed: the file has errors,
a deleted definition is still in use, changes are marked LOSS (with --dry-run too),
the answer was no, or the library changed in the meantime; 2 usage error, or no
terminal to ask on.`,
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
	f.choice(&m.preset, "preset", "add the fields of a preset instead of reading FILE", presetNames)
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
	opt         schema.ApplyOptions
	yes, asJSON bool
	preset      string // "" for a file
}

// apply applies definitions, after confirmation unless a flag makes it unnecessary. If
// stdinUsed is set, stdin contains the definitions, so no answer can be read from it.
func (m *metadataRun) apply(cmd *cobra.Command, a *app.App, d *dam.Definitions, stdinUsed bool) error {
	ask := !m.yes && !m.opt.DryRun
	if ask {
		if stdinUsed || terminal(cmd) == nil {
			return usagef("there is no terminal to ask on: --yes applies the definitions, --dry-run shows the plan")
		}
		plan, err := a.Definitions.ApplyDefinitions(cmd.Context(), d, schema.ApplyOptions{DryRun: true})
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
	if err != nil && !errors.Is(err, schema.ErrLoss) {
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
func (m *metadataRun) confirmPlan(cmd *cobra.Command, plan schema.Plan) error {
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
func (m *metadataRun) refuseLosses(plan schema.Plan) error {
	n := plan.Losses()
	if n == 0 || m.opt.AllowLoss {
		return nil
	}
	return fmt.Errorf("%s marked LOSS would remove values from assets; --allow-loss confirms that. Nothing was changed",
		plural(n, "change"))
}

func printPlan(w io.Writer, plan schema.Plan) error {
	_, err := fmt.Fprint(w, shownLines(plan.String()))
	return err
}

func printPlanJSON(w io.Writer, plan schema.Plan, applied bool) error {
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
	return &cobra.Command{Use: "export", Short: "Write the current definitions as YAML", Args: takes(),
		Long:    `Writes the current definitions as YAML, in the format of dal metadata apply.`,
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
